import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { JsonObject } from "../../src/domain/json.ts";
import type { AnyTool } from "../../src/tools/contract.ts";
import { normaliseResult } from "../../src/tools/normalise.ts";
import { maskPersonal } from "../../src/tools/personal-data.ts";
import { resultReply } from "../../src/tools/replies.ts";
import { success } from "../../src/tools/results.ts";
import { failure } from "../../src/tools/runner.ts";
import { withoutSecrets } from "../../src/tools/secret-shapes.ts";

const output = z.object({
  ok: z.literal(true),
  note: z.string().optional(),
  wallet: z.string().optional(),
  mine: z.string().optional(),
  code: z.string().meta({ secret: true }).optional(),
  inner: z
    .array(z.object({ note: z.string(), pin: z.string().meta({ secret: true }).optional() }))
    .optional(),
});
const tool = {
  ...{ name: "look", output, shown: ["wallet"], own: ["mine"] },
} as unknown as AnyTool; // what its results are made of

const dataOf = (data: JsonObject) =>
  normaliseResult(tool, success({ type: "thing", summary: "found" }, data)).data;

const WALLET = "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8";
const CARD = "2200 7007 0000 0002";

describe("B38 a result on its way to the model", () => {
  it("has the form that its tool promised, and no other fields", () => {
    expect(dataOf({ note: "tea", internal_rate: "31.5" })).toEqual({ ok: true, note: "tea" });
    const odd = normaliseResult(tool, success({ type: "thing", summary: "s" }, { note: 5 }));
    expect(odd).toMatchObject({ ok: false, data: {}, error: { code: "RESULT_INVALID" } });
  });

  it("loses what its schema marks as secret, at any depth", () => {
    const inner = [{ note: "a", pin: "1234" }];
    expect(dataOf({ code: "778899", inner })).toEqual({ ok: true, inner: [{ note: "a" }] });
  });

  it("hides the personal data of others, and most of the client's own", () => {
    const text = `Anna: anna@example.com, +66 81 234 5678, card ${CARD}`;
    expect(dataOf({ note: text, mine: text })).toEqual({
      ok: true,
      note: "Anna: [e-mail], [phone], card •••• 0002",
      mine: "Anna: a***@example.com, ***5678, card •••• 0002",
    });
  });

  it("keeps letter by letter what the client has to be given", () => {
    const wallet = `${WALLET} memo 7007, card ${CARD}, +7 999 123-45-67, pay@desk.example`;
    expect(dataOf({ wallet })).toEqual({ ok: true, wallet });
  });

  it("holds no key, not even where something is to be shown", () => {
    const key = "sk-proj-aBcDeFgHiJkLmNoP1234567890";
    expect(dataOf({ wallet: `use ${key}`, note: key })).toEqual({
      ...{ ok: true, wallet: "use [removed]", note: "[removed]" },
    });
  });

  it("tells nobody where in the code something went wrong", () => {
    const stack =
      "it broke\n    at pay (/app/src/tools/pay.ts:12:3)\n    at node:internal/main:1:2";
    const result = normaliseResult(tool, failure("PROVIDER_ERROR", stack, { note: stack }));
    expect(JSON.stringify(result)).not.toMatch(/\/app|pay\.ts|node:internal/);
    expect(result.error?.message).toBe("it broke");
    const raw = resultReply(failure("TIMEOUT", "no answer in /srv/app/dist/tools/pay.js:1:2"));
    expect(raw.error?.message).toBe("no answer in [file]");
    const python = failure("PROVIDER_ERROR", 'Traceback (most recent call last)\n File "x.py"');
    expect(resultReply(python).error?.message).toBe("");
  });

  it("is the same when it passes twice", () => {
    const once = normaliseResult(tool, success({ type: "t", summary: "s" }, { note: CARD }));
    expect(normaliseResult(tool, once)).toEqual(once);
  });

  it("D14 nothing found, a denial and no answer in time are three different things", () => {
    const empty = resultReply(
      success({ type: "evidence", summary: "0 passages" }, { matches: [] }),
    );
    const denied = resultReply(failure("PERMISSION_DENIED", "not the client's own"));
    const late = resultReply(failure("TIMEOUT", "no answer in time"));
    expect(empty).toMatchObject({ ok: true, status: "completed", data: { matches: [] } });
    expect(denied).toMatchObject({
      ...{ ok: false, status: "denied", error: { code: "PERMISSION_DENIED" } },
    });
    expect(late).toMatchObject({ ok: false, status: "failed", error: { code: "TIMEOUT" } });
  });
});

describe("personal data is known by its form", () => {
  const masked: [string, string][] = [
    ["card 4111 1111 1111 1111", "card •••• 1111"],
    ["4111-1111-1111-1111", "•••• 1111"],
    ["паспорт 45 08 123456", "паспорт [number]"],
    ["passport No. AB1234567", "passport No. [number]"],
    ["4508 123456", "[number]"],
    ["a.b+c@mail.example.co.uk!", "[e-mail]!"],
    ["+7 (999) 123-45-67", "[phone]"],
    ["8 800 555 35 35", "[phone]"],
    ["89161234567", "[phone]"],
    ["081-234-5678", "[phone]"],
  ];
  it.each(masked)("%s", (text, shown) => {
    expect(maskPersonal(text, "others")).toBe(shown);
  });

  const kept = [
    "EX-20418, A-17, Q-5",
    "15650.50 THB for 500 USDT at 31.3",
    "1 000 000.00",
    "80000000000.5",
    "2026-11-30T10:15:00.000Z",
    "2026-11-30 10:15:00",
    WALLET,
    "3b1f0c9a8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d3e2f1a",
    "01938472-1234-7123-8123-123456789012",
    "1234 5678 9012 3456", // no card: the sum is wrong
    "exchange ID 412345678",
    "@desk_manager, t.me/desk",
    "9:00–18:00, +2 hours",
  ];
  it.each(kept)("and %s is none", (text) => {
    expect(maskPersonal(text, "others")).toBe(text);
  });
});

describe("keys are known by their form", () => {
  const secrets = [
    `telegram 1234567890:AA${"b".repeat(33)}`,
    "xoxb-123456789012-abcdefABCDEF",
    "xapp-1-A0123456789-abcdef",
    "sk-aBcDeFgHiJkLmNoP1234567890",
    "ghp_abcdefghijklmnopqrstuvwxyz012345",
    "AKIAIOSFODNN7EXAMPLE",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefgh12345",
    "Authorization: Bearer abcdefghijklmnop1234",
    "-----BEGIN PRIVATE KEY-----\nMIIEvQ\n-----END PRIVATE KEY-----",
    "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ",
    "private key: 3b1f0c9a8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d3e2f1a",
    "секретный ключ: 9f8e7d6c5b4a3210",
    "пароль: Kangaroo77",
    "seed phrase: army van defense carry jealous true garbage claim echo media make crunch",
    "postgres://desk:hunter22@db.internal:5432/desk",
    `cst_${"A1b2".repeat(8)}`,
  ];
  it.each(secrets)("%s", (text) => {
    const shown = withoutSecrets(text);
    expect(shown).toContain("[removed]");
    expect(shown.length).toBeLessThan(text.length);
  });

  const kept = [
    WALLET,
    "0x52908400098527886E0F7030069857D2E4169EE7",
    "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
    "hash 3b1f0c9a8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d3e2f1a",
    "https://tronscan.org/#/transaction/3b1f0c9a",
    "your password protection and the API key documentation",
    "никому не сообщайте пароль и приватный ключ",
    "sk-8 street, task-force-one",
  ];
  it.each(kept)("and %s is none", (text) => {
    expect(withoutSecrets(text)).toBe(text);
  });
});

describe("D18 what is too long is cut visibly", () => {
  const matches = (count: number, length: number) =>
    Array.from({ length: count }, (_, index) => ({
      ...{ evidence_id: `E${index + 1}`, document_id: `d${index}`, revision: 1 },
      excerpt: "x".repeat(length),
    }));
  const shownOf = (data: JsonObject) => resultReply(success({ type: "t", summary: "s" }, data));

  it("items stay whole with where they come from, and the rest is counted", () => {
    const reply = shownOf({ matches: matches(10, 1900), next: { top_k: 3 } });
    const data = reply.data as JsonObject;
    const kept = data.matches as JsonObject[];
    expect(JSON.stringify(data).length).toBeLessThanOrEqual(12_000);
    expect(kept.length).toBeGreaterThan(3);
    expect(kept).toEqual(matches(10, 1900).slice(0, kept.length));
    expect(data.next).toEqual({ top_k: 3 });
    expect(data.truncated).toMatchObject({
      left_out: [{ field: "matches", shown: kept.length, left: 10 - kept.length, of: "items" }],
    });
    expect(JSON.stringify(data.truncated)).toContain("ask for less");
  });

  it("a long text says how much of it is missing", () => {
    const data = shownOf({ note: "y".repeat(30_000), sum: "5" }).data as JsonObject;
    expect(data.sum).toBe("5");
    expect(data.note).toMatch(/^y+ … \[cut\]$/);
    expect(data.truncated).toMatchObject({
      left_out: [{ field: "note", shown: 4000, left: 26_000, of: "characters" }],
    });
  });

  it("a thousand fields are an excerpt", () => {
    const fields = Object.fromEntries(
      Array.from({ length: 3000 }, (_, index) => [`field${index}`, "value"]),
    );
    const data = shownOf(fields).data as JsonObject;
    expect(JSON.stringify(data).length).toBeLessThan(15_000);
    expect(data).toMatchObject({ truncated: { how_to_go_on: expect.any(String) } });
  });

  it("what fits is left as it is", () => {
    expect(shownOf({ note: "short" }).data).toEqual({ ok: true, note: "short" });
  });
});
