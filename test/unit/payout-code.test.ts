import { describe, expect, test } from "vitest";
import { maskCodes, maskedCode, mayQuoteCode } from "../../src/domain/payout-code.ts";

const CODE = "900000111122";

describe("a quoted code", () => {
  test.each([
    ["the machine refuses 900000111122", "the machine refuses ••22"],
    ["900000111122, and again: 900000111122!", "••22, and again: ••22!"],
    ["9000 0011 1122?", "••22?"],
    ["900-000-111-122", "••22"],
    ["9 0 0 0 0 0 1 1 1 1 2 2", "••22"],
    ["900\u2013000\u00a0111\n122", "••22"],
    ["код900000111122", "код••22"],
    ["sent 90000 THB at 11:12", "sent 90000 THB at 11:12"],
  ])("%j is stored as %j", (text, stored) => {
    expect(maskCodes(text, [CODE])).toBe(stored);
  });

  test("is found in any case, and without the signs it is written with", () => {
    expect(maskCodes("k74821qx? K7 4821 QX", ["K7-4821-QX"])).toBe("••QX? ••QX");
  });

  test("that is short is no part of a sum or a hash", () => {
    expect(maskCodes("I sent 48210 THB, hash ab4821cd", ["4821"])).toBe(
      "I sent 48210 THB, hash ab4821cd",
    );
    expect(maskCodes("4821 does not work: 48-21", ["4821"])).toBe("••21 does not work: ••21");
  });

  test("of three characters leaves none of them", () => {
    expect([maskCodes("pin 507", ["507"]), maskedCode("507")]).toEqual(["pin ••••", "••••"]);
  });

  test("with signs that mean something in a pattern is taken as it is", () => {
    expect(maskCodes("(12.34)*[56]", ["(12.34)*[56]"])).toMatch(/^\(••6\]\]$/);
  });

  test("is not looked for in a text that is too short for one", () => {
    expect([mayQuoteCode("ok"), mayQuoteCode("5 0 7")]).toEqual([false, true]);
  });
});
