import { describe, expect, it } from "vitest";
import { markCalls } from "../../src/admin/pages/replay-differences.ts";
import { wishOf } from "../../src/admin/pages/replay-wish.ts";
import {
  type CoachProposal,
  guidanceBefore,
  whyNotAccepted,
} from "../../src/admin/pages/shown-coach.ts";
import type { ShownStyle, StyleVersion } from "../../src/admin/pages/shown-style.ts";
import { exampleRows, readStyleForm } from "../../src/admin/pages/style-fields.ts";
import type { JudgedCall, Shadow } from "../../src/domain/quality.ts";

describe("a replay's form", () => {
  const wish = (fields: Record<string, string>) => wishOf((name) => fields[name] ?? "");

  it.each([
    ["none", null],
    ["own", ""],
    ["other", "m-2"],
  ])("the model %s is sent as %j", (model, sent) => {
    const body = { conversation_id: "c", model: sent };
    expect(wish({ conversation_id: "c", model, model_name: " m-2 " })).toEqual({ body });
  });

  it("sends rules only when they were chosen", () => {
    expect(wish({ policies: "[1]", rules: "in_force" })).not.toHaveProperty("body.policies");
    expect(wish({ policies: "[1]", rules: "given" })).toHaveProperty("body.policies", [1]);
  });

  it("cannot be sent with another model without a name, or rules that are no JSON", () => {
    expect(wish({ model: "other", model_name: " " })).toEqual({ refused: "name" });
    expect(wish({ rules: "given", policies: "[{]" })).toMatchObject({ refused: "json" });
  });
});

describe("what differs in a replay", () => {
  const call = (change: Partial<JudgedCall> = {}): JudgedCall => ({
    ...{ toolName: "quote", args: { a: 1, b: 2 }, policyResult: "allow", reason: null },
    ...change,
  });
  const marks = (before: JudgedCall[], now: JudgedCall[]) => {
    const { recorded, replayed } = markCalls(before, now);
    return [recorded.map((one) => one.marks), replayed.map((one) => one.marks)];
  };

  it.each<[string, JudgedCall[], JudgedCall[], unknown]>([
    ["nothing", [call()], [call({ args: { b: 2, a: 1 } })], [[[]], [[]]]],
    ["the arguments", [call()], [call({ args: {} })], [[[]], [["args"]]]],
    [
      "the decision",
      [call()],
      [call({ policyResult: "deny", reason: "blocked" })],
      [[[]], [["policy"]]],
    ],
    ["the reason alone", [call()], [call({ reason: "blocked" })], [[[]], [["reason"]]]],
    ["another tool", [call()], [call({ toolName: "other" })], [[["gone"]], [["new"]]]],
    ["a call less", [call(), call({ args: {} })], [call({ args: {} })], [[["gone"], []], [[]]]],
    ["a call more", [call()], [call({ args: {} }), call()], [[[]], [["new"], []]]],
    [
      "the order alone",
      [call(), call({ args: {} })],
      [call({ args: {} }), call()],
      [
        [[], []],
        [[], []],
      ],
    ],
  ])("%s", (_name, before, now, expected) => {
    expect(marks(before, now)).toEqual(expected);
  });
});

describe("a style's form", () => {
  it("keeps line ends as they were, and leaves out examples without a word", () => {
    const form = {
      ...{ id: " formal ", name: "Formal", guidance: "One.\r\nTwo.", skill_polite: "on" },
      ...{ example_client_0: "Hi", example_answer_0: "Hello\r\nthere" },
      ...{ example_client_1: " ", example_answer_1: "" },
      ...{ example_client_2: "Only this", example_answer_2: "" },
    };
    expect(readStyleForm(form)).toEqual({
      ...{ id: "formal", name: "Formal", guidance: "One.\nTwo.", skills: ["polite"] },
      examples: [
        { client: "Hi", answer: "Hello\nthere" },
        { client: "Only this", answer: "" },
      ],
      is_active: false,
    });
  });

  it("has room for two more examples, up to the most that a style holds", () => {
    const one = { client: "a", answer: "b" };
    expect([0, 3, 7, 8].map((n) => exampleRows(Array(n).fill(one)).length)).toEqual([2, 5, 8, 8]);
  });
});

describe("a coach's proposal", () => {
  const version = (n: number, guidance: string) =>
    ({ version: n, guidance, is_active: false }) as StyleVersion; // what is looked at
  const style = {
    active: version(2, "now"),
    versions: [version(2, "now"), version(1, "then")],
  } as ShownStyle;
  const done: Shadow = {
    ...{ token: "t", version: 2, digest: "d", state: "done", at: 0, modelId: "m" },
    ...{ total: 3, passedBefore: 2, passedAfter: 3, broken: [], mended: ["a"] },
  };
  const proposal = (change: Partial<CoachProposal>) =>
    ({
      ...{ status: "pending", base_version: 2, shadow_json: done },
      becomes: { guidance: "", examples: [], skills: [] },
      ...change,
    }) as CoachProposal; // what is looked at
  const { token, digest } = done;

  it.each<[string | null, Partial<CoachProposal>]>([
    [null, {}],
    ["coachNo.unfit", { becomes: null }],
    ["coachNo.none", { shadow_json: null }],
    ["coachNo.running", { shadow_json: { token, version: 2, digest, state: "running", at: 0 } }],
    [
      "coachNo.failed",
      { shadow_json: { token, version: 2, digest, state: "failed", at: 0, error: "x" } },
    ],
    ["coachNo.changed", { shadow_json: { ...done, version: 1 } }],
    ["coachNo.empty", { shadow_json: { ...done, total: 0 } }],
    ["coachNo.broken", { shadow_json: { ...done, broken: ["a"] } }],
  ])("%s is the reason for %o", (why, change) => {
    expect(whyNotAccepted(proposal(change), style)).toBe(why);
  });

  it("is compared with the words now, once decided with those it was made on", () => {
    expect(guidanceBefore(proposal({}), style)).toBe("now");
    expect(guidanceBefore(proposal({}), undefined)).toBe("");
    const decided = { status: "accepted", base_version: 1 } as const;
    expect(guidanceBefore(proposal(decided), style)).toBe("then");
    expect(guidanceBefore(proposal({ ...decided, base_version: 0 }), style)).toBe("");
    expect(guidanceBefore(proposal({ ...decided, base_version: 9 }), style)).toBeNull();
  });
});
