import { describe, expect, it } from "vitest";
import { chooseLanguage, textsOf } from "../../src/admin/pages/language.ts";
import { rowOf, withRow } from "../../src/admin/pages/policy-form.ts";
import { requestOf } from "../../src/admin/pages/proposal-request.ts";
import { EN, type TextKey } from "../../src/admin/pages/texts-en.ts";
import { RU } from "../../src/admin/pages/texts-ru.ts";
import { piecesOf, visibleJson } from "../../src/admin/pages/visible-text.ts";
import type { PolicyRow } from "../../src/domain/policy-row.ts";

const KEYS = Object.keys(EN) as TextKey[]; // its own keys

describe("the words of the pages", () => {
  it("are the same keys in both languages, none of them empty", () => {
    expect(Object.keys(RU)).toEqual(KEYS);
    expect(KEYS.filter((key) => EN[key].trim() === "" || RU[key].trim() === "")).toEqual([]);
  });

  it("take the same values in both", () => {
    const placesIn = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();
    for (const key of KEYS) expect([key, placesIn(RU[key])]).toEqual([key, placesIn(EN[key])]);
  });

  it("are Russian in Russian", () => {
    const same = KEYS.filter((key) => RU[key] === EN[key] && !/\{/.test(EN[key]));
    expect(same).toEqual(["artifact.pull_request"]);
  });

  it("put values in as they are, also ones that look like a place", () => {
    const t = textsOf("en");
    expect(t("line.vote", { who: "{name}", name: "A-1", decision: "$&", via: "x" })).toBe(
      "{name} on A-1: $& (x)",
    );
  });

  it("name a value that has no word by itself", () => {
    expect(textsOf("ru").word("risk", "payment")).toBe("выплата");
    expect(textsOf("ru").word("risk", "brand_new")).toBe("brand new");
  });
});

describe("the language", () => {
  it.each([
    ["ru", "en-US", "ru"],
    ["en", "ru", "en"],
    [undefined, "ru-RU,ru;q=0.9,en;q=0.8", "ru"],
    [undefined, "de,en;q=0.8,ru;q=0.5", "en"],
    ["xx", undefined, "en"],
  ])("chosen %j, accepted %j: %s", (chosen, accepted, language) => {
    expect(chooseLanguage(chosen, accepted)).toBe(language);
  });
});

describe("a text from outside", () => {
  it.each([
    ["a\u202eb", ["a", "U+202E", "b"]],
    ["\u200b", ["U+200B"]],
    ["x\u0000y", ["x", "U+0000", "y"]],
    ["tag\u{e0041}", ["tag", "U+E0041"]],
    ["one\ntwo\tthree", ["one\ntwo\tthree"]],
    ["👩‍💻 ok", ["👩‍💻 ok"]],
    ["a\u200db", ["a", "U+200D", "b"]],
  ])("%j has every character shown", (text, shown) => {
    expect(
      piecesOf(text).map((piece) => (piece.kind === "text" ? piece.text : piece.name)),
    ).toEqual(shown);
  });

  it("is JSON that says the same, with the unseen escaped", () => {
    const value = { name: "a\u202eb\u{e0041}", text: "один" };
    const json = visibleJson(value);
    expect(json).toContain("a\\u202eb\\udb40\\udc41");
    expect(JSON.parse(json)).toEqual(value);
  });
});

describe("a rule's form", () => {
  const fields: Record<string, string> = {
    ...{ id: " big ", tool_name: "send_email", role: "*", approver_role: "admin" },
    ...{ allow_call: "on", approvals_required: "2", approval_ttl_s: " " },
    ...{ max_calls_per_run: "3", max_payload_size: "many" },
  };
  const row = rowOf((name) => fields[name] ?? "", { amount: 1 });

  it("gives the API what was typed, a wrong number as text", () => {
    expect(row).toEqual({
      ...{ id: "big", tool_name: "send_email", role: "*", condition_json: { amount: 1 } },
      ...{ allow_call: true, requires_approval: false, approvals_required: 2 },
      ...{ approver_role: "admin", approval_ttl_s: null, max_calls_per_run: 3 },
      ...{ max_payload_size: "many", is_active: false },
    });
  });

  it("puts the row in its old place, a new one at the end", () => {
    const rows = [{ id: "a" }, { id: "b" }] as PolicyRow[]; // only the id is looked at
    expect(withRow(rows, { id: "c" }, "a")).toEqual([{ id: "c" }, { id: "b" }]);
    expect(withRow(rows, { id: "c" }, "")).toEqual([{ id: "a" }, { id: "b" }, { id: "c" }]);
  });
});

describe("a proposal's form", () => {
  it("leaves out what was left empty", () => {
    expect(requestOf({ act: "dismiss", note: " " })).toEqual({ act: "dismiss", body: {} });
    expect(requestOf({ act: "apply", ref_kind: "ticket", ref_value: "" })).toEqual({
      act: "apply",
      body: {},
    });
  });

  it("reads arguments and lists of a case", () => {
    const typed = {
      ...{ act: "case", title: " T ", expected_args: '{"a":1}' },
      ...{ forbidden_tools: "one, two", action_items: "do this\n\n and that " },
    };
    expect(requestOf(typed)).toEqual({
      act: "case",
      body: {
        ...{ title: "T", expected_args: { a: 1 } },
        ...{ forbidden_tools: ["one", "two"], action_items: ["do this", "and that"] },
      },
    });
    expect(requestOf({ act: "case", expected_args: "{" })).toHaveProperty("refused");
  });
});
