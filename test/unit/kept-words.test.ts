import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { keptJson, keptText } from "../../src/quality/kept-words.ts";
import { differencesOf } from "../../src/quality/match-arguments.ts";

const KEY = "sk-abcdefghijklmnopqrstuvwx1234";
const CARD = "4111 1111 1111 1111";

describe("what is kept of words", () => {
  it.each([
    ["a key", `use ${KEY} for it`, "use [removed] for it"],
    ["a short password", "Password: hunter2", "Password: [removed]"],
    ["a password without a colon", "мой пароль qwerty77", "мой пароль [removed]"],
    ["a PIN", "PIN 4821, please", "PIN [removed], please"],
    ["a code of a bank", "код из смс 48213", "код из смс [removed]"],
    ["a card", `pay to ${CARD} today`, "pay to •••• 1111 today"],
    ["a card and its back", `${CARD} 123`, "•••• 1111 123"],
    ["a card behind another number", `4821 ${CARD} 12`, "4821 •••• 1111 12"],
    ["two cards in a row", `${CARD} ${CARD}`, "•••• 1111 •••• 1111"],
    ["a passport", "паспорт 4508 123456", "паспорт [number]"],
    ["an address with a password", "ftp://bob:secret@host/x", "ftp://[removed]@host/x"],
  ])("holds no secret: %s", (_what, text, kept) => {
    expect(keptText(text)).toBe(kept);
  });

  it("holds no pickup code of the conversation, however it is written", () => {
    expect(keptText("my code is ab-12-cd!", ["AB12CD"])).toBe("my code is ••CD!");
  });

  it.each([
    "Change 500 USDT to baht, I am at Patong beach",
    "Номер заявки EX-2041, жду с 20:00",
    "write to ivan@example.org or +66 76 555 0182",
    "TXLAQ63Xg1NAzckPwKHvzw7CSEmLMEqcdj",
    "the password is long",
    "0190a6e2-1234-7abc-8def-1234567890ab",
  ])("is else what the client wrote: %s", (text) => {
    expect(keptText(text)).toBe(text);
    expect(keptJson(text)).toBe(text);
  });
});

describe("what is kept of arguments and results", () => {
  it("is masked at any depth, also in JSON within a text, which stays JSON", () => {
    const inner = { note: `my "card" ${CARD}`, password: 'a"b\\c1234' };
    const kept = keptJson({ deep: [{ arguments: JSON.stringify(inner), amount: "1500000000" }] });
    const [one] = (kept as { deep: { arguments: string; amount: string }[] }).deep;
    expect(one?.amount).toBe("1500000000");
    expect(JSON.parse(one?.arguments ?? "")).toEqual({
      ...{ note: 'my "card" •••• 1111', password: "[removed]" },
    });
  });

  it("goes by the field's name where the value tells nothing", () => {
    expect(keptJson({ apiKey: "abc", pin: 1234, token: "USDT", card: CARD })).toEqual({
      ...{ apiKey: "[removed]", pin: "[removed]", token: "USDT", card: "•••• 1111" },
    });
  });

  it("is the same when it passes twice", () => {
    const word = fc.constantFrom(KEY, CARD, "Password: hunter2", "PIN 4821", "500", "hi", '"', "{");
    const text = fc.array(word).map((words) => words.join(" "));
    const value: fc.Arbitrary<Json> = fc.dictionary(
      fc.constantFrom("note", "amount", "password", "card"),
      fc.oneof(text, fc.array(text), fc.integer()),
    );
    fc.assert(
      fc.property(value, (given) => {
        const once = keptJson(given);
        expect(keptJson(once)).toEqual(once);
      }),
    );
  });
});

describe("an expected argument", () => {
  const wanted = { to: CARD, pin: "4821", sum: "500" };
  const expected = keptJson(wanted);

  it("that is masked is met by the same argument, masked or not, and by no other", () => {
    expect(differencesOf(expected, wanted)).toEqual([]);
    expect(differencesOf(expected, keptJson(wanted))).toEqual([]);
    const other = { ...wanted, to: "5555 5555 5555 4444" };
    expect(differencesOf(expected, other).map(({ path }) => path)).toEqual([".to"]);
    expect(differencesOf(expected, { ...wanted, sum: "600" })).toHaveLength(1);
  });

  it("may be an expression, which finds what is masked", () => {
    expect(differencesOf({ to: { matches: "1111$" } }, { to: CARD })).toEqual([]);
    expect(differencesOf({ to: { matches: "^•••• 1111$" } }, { to: CARD })).toEqual([]);
    expect(differencesOf({ to: { matches: "4444$" } }, { to: CARD })).toHaveLength(1);
  });
});
