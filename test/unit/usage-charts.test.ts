import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { heightOn, namedDays, scaleUpTo } from "../../src/admin/pages/chart-scale.ts";
import { numbersIn } from "../../src/admin/pages/page-numbers.ts";
import { daysUntil } from "../../src/admin/pages/usage-days.ts";
import { sayWhich } from "../../src/admin/pages/usage-verdict.tsx";

describe("the scale of a chart", () => {
  it.each([
    [0, 1, [0, 1]],
    [1, 1, [0, 1]],
    [3, 1, [0, 1, 2, 3]],
    [4, 1, [0, 1, 2, 3, 4]],
    [9, 1, [0, 5, 10]],
    [10, 1, [0, 5, 10]],
    [100, 1, [0, 25, 50, 75, 100]],
    [101, 1, [0, 50, 100, 150]],
    [0.3, 0.0001, [0, 0.1, 0.2, 0.3]],
    [0.00001, 0.0001, [0, 0.0001]],
    [0.0007, 0.0001, [0, 0.0002, 0.0004, 0.0006, 0.0008]],
    [2_147_483_647, 1, [0, 1e9, 2e9, 3e9]],
    [Number.NaN, 1, [0, 1]],
    [-5, 1, [0, 1]],
  ])("up to %d in steps of at least %d has the ticks %j", (largest, least, ticks) => {
    expect(scaleUpTo(largest, { least })).toEqual({ top: ticks.at(-1), ticks });
  });

  it("holds every value below its top, with few ticks that are whole steps", () => {
    const values = fc.double({ min: 0, noNaN: true });
    fc.assert(
      fc.property(values, fc.constantFrom(1, 0.0001), (largest, least) => {
        const { top, ticks } = scaleUpTo(largest, { least });
        expect(Number.isFinite(top)).toBe(true);
        expect(top).toBeGreaterThanOrEqual(Math.min(largest, 1e300) * (1 - 1e-11));
        expect(ticks.length).toBeGreaterThanOrEqual(2);
        expect(ticks.length).toBeLessThanOrEqual(5);
        expect(new Set(ticks).size).toBe(ticks.length);
        if (least === 1 && top < 1e9) expect(ticks.every(Number.isInteger)).toBe(true);
      }),
    );
  });

  it.each([
    [0, 0],
    [5, 0.5],
    [10, 1],
    [11, 1],
    [-1, 0],
  ])("puts %d of 10 at %d of the height", (value, height) => {
    expect(heightOn({ top: 10, ticks: [] }, value)).toBe(height);
  });

  it.each([
    [1, [0]],
    [2, [0, 1]],
    [7, [0, 2, 4, 6]],
    [30, [9, 19, 29]],
    [90, [29, 59, 89]],
  ])("names of %d days these: %j", (count, named) => {
    expect(namedDays(count)).toEqual(named);
  });
});

describe("the days of a period", () => {
  it("are those of UTC, also when none of them had a call, and end today", () => {
    const days = ["2024-02-28", "2024-02-29", "2024-03-01"];
    expect(daysUntil(Date.UTC(2024, 2, 1), 3)).toEqual(days);
    expect(daysUntil(Date.UTC(2024, 2, 1, 23, 59, 59, 999), 3)).toEqual(days);
  });
});

describe("numbers", () => {
  /** Languages put spaces that do not break between digits and units. */
  const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, " ");

  it.each([
    ["0", "$0.00", "0,00 $"],
    ["0.3", "$0.30", "0,30 $"],
    ["1234.5", "$1,234.50", "1 234,50 $"],
    ["0.12345", "$0.1235", "0,1235 $"],
    ["0.00005", "< $0.0001", "< 0,0001 $"],
    ["90071992547409931.0001", "$90,071,992,547,409,931.0001", "90 071 992 547 409 931,0001 $"],
  ])("%s dollars", (decimal, english, russian) => {
    expect(plain(numbersIn("en").money(decimal))).toBe(english);
    expect(plain(numbersIn("ru").money(decimal))).toBe(russian);
  });

  it.each([
    [0, "0 ms", "0 мс"],
    [999.4, "999 ms", "999 мс"],
    [1250, "1.3 sec", "1,3 с"],
    [61_000, "61 sec", "61 с"],
  ])("%d milliseconds", (ms, english, russian) => {
    expect(plain(numbersIn("en").time(ms))).toBe(english);
    expect(plain(numbersIn("ru").time(ms))).toBe(russian);
  });

  it("are short on axes", () => {
    const { brief } = numbersIn("ru");
    expect(plain(brief.count(2_500_000))).toBe("2,5 млн");
    expect(plain(brief.money(0.0002))).toBe("0,0002 $");
    expect(plain(brief.day("2026-11-05"))).toBe("5 нояб.");
  });
});

describe("the sentence on model and tool", () => {
  it.each([
    ["model", "2", "1", "model"],
    ["tool", "1", "2", "tool"],
    [null, "1", "1", "same"],
    ["model", "1", null, "onlyModel"],
    ["tool", null, "1", "onlyTool"],
    [null, null, null, "none"],
  ] as const)("%s, %s against %s: %s", (heavier, model, tool, sentence) => {
    expect(sayWhich(heavier, [model, tool])).toBe(sentence);
  });
});
