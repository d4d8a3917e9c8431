import { describe, expect, it } from "vitest";
import { payoutLine, tellsPayout } from "../../src/tools/exchange/payout-words.ts";
import { check, created, order, result, wallet } from "./guard-support.ts";

const COURIER = {
  payoutMethod: "courier_cash",
  payoutLocation: "hotel Sunrise, 12 Palm Road, room 5",
  payoutDestinationJson: null,
};
const BANK = {
  payoutMethod: "thai_bank_transfer",
  payoutLocation: null,
  payoutDestinationJson: { bank: "Kasikornbank", account: "123-4-56789-0", holder: "Anna Petrova" },
};
const ATM = { payoutMethod: "cardless_atm", payoutLocation: null, payoutDestinationJson: null };

describe("the line about the payout", () => {
  it.each([
    [COURIER, "en", "Payout: cash by courier, hotel Sunrise, 12 Palm Road, room 5."],
    [COURIER, "ru", "Выдача: наличные с курьером, hotel Sunrise, 12 Palm Road, room 5."],
    [
      BANK,
      "en",
      "Payout: transfer to a Thai bank account, Kasikornbank, 123-4-56789-0, Anna Petrova.",
    ],
    [ATM, "ru", "Выдача: наличные в банкомате без карты."],
    [
      { ...COURIER, payoutLocation: null },
      "en",
      "Payout: cash by courier, the place is not named yet.",
    ],
  ] as const)("%#", (payout, language, line) => {
    expect(payoutLine(payout, language)).toMatch(new RegExp(`^${line.replaceAll(".", "\\.")} .+`));
  });

  it("is none while nobody has said how", () => {
    expect(payoutLine({ ...ATM, payoutMethod: null }, "en")).toBeNull();
  });

  it.each([
    [COURIER, "en"],
    [COURIER, "ru"],
    [BANK, "en"],
    [BANK, "ru"],
    [ATM, "en"],
    [ATM, "ru"],
  ] as const)("tells itself, and a guard lets it through (%#)", (payout, language) => {
    const line = payoutLine(payout, language) ?? "";
    expect(tellsPayout(line, payout)).toBe(true);
    for (const told of [created, wallet]) {
      const data = { ...(told.data as object), payoutLine: line };
      const facts = { tool_results: [result(told.tool, data)], order: order("awaiting_payment") };
      expect(check(line, facts).findings).toEqual([]);
    }
  });
});

describe("a text tells the payout", () => {
  it.each([
    ["We bring it to HOTEL Sunrise,  12 Palm Road,\nroom 5.", COURIER, true],
    ["We bring it to Sunrise.", COURIER, false],
    ["Your address: hotel Sunrise, 12 Palm Road, room 5.", COURIER, false],
    ["Переведём на счёт Kasikornbank 123-4-56789-0, Anna Petrova", BANK, true],
    ["To your account 123-4-56789-0 at Kasikornbank", BANK, false],
    ["Деньги в банкомате", ATM, true],
    ["Деньги потом", ATM, false],
  ] as const)("%s", (text, payout, tells) => {
    expect(tellsPayout(text, payout)).toBe(tells);
  });
});
