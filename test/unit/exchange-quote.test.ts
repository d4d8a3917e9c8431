import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { amount } from "../../src/domain/money.ts";
import { computeQuote, type QuoteInput } from "../../src/tools/exchange/quote.ts";
import type { RateRow, Tier } from "../../src/tools/exchange/rate-lookup.ts";

const GUARD = { maxDeviationPct: "35", epsPct: "0.5" };

function rateRow(over: Partial<RateRow> = {}): RateRow {
  return {
    asset: "USDT",
    network: "trc20",
    quoteMode: "multiply",
    baseRate: "32.00",
    marginPct: "2.5",
    feeFixed: "0",
    minAmountFrom: "50",
    maxAmountFrom: "20000",
    quoteAsset: "THB",
    ...over,
  };
}

const rub = (over: Partial<RateRow> = {}) =>
  rateRow({
    asset: "RUB",
    network: "",
    quoteMode: "divide",
    baseRate: "2.40",
    marginPct: "4",
    minAmountFrom: "5000",
    maxAmountFrom: "500000",
    ...over,
  });

function source(value: string, asset = "USDT"): QuoteInput {
  return { asset, amount: value, amountMode: "source_amount" };
}

function target(value: string, asset = "USDT"): QuoteInput {
  return { asset, amount: value, amountMode: "target_amount" };
}

const openTier = (displayRate: string, over: Partial<Tier> = {}): Tier => ({
  min: "0",
  max: null,
  displayRate,
  ...over,
});

describe("the sums of a quote", () => {
  it("takes the fixed fee off the payout in source mode", () => {
    const quote = computeQuote(source("500"), rateRow({ feeFixed: "100" }), [], GUARD);
    expect(quote).toMatchObject({ ok: true, amountTo: "15500", feeFixed: "100" });
  });

  it("adds the fixed fee to the target before it is turned round", () => {
    const quote = computeQuote(target("10000"), rateRow({ feeFixed: "100" }), [], GUARD);
    expect(quote).toMatchObject({ amountFrom: "323.717949", amountTo: "10000" });
  });

  it("rounds a divided target up to a whole unit", () => {
    expect(computeQuote(target("10001", "RUB"), rub(), [], GUARD)).toMatchObject({
      amountFrom: "24963",
      amountTo: "10001",
    });
  });

  it("never promises less than nothing when the fee eats the sum", () => {
    const quote = computeQuote(source("50"), rateRow({ feeFixed: "5000" }), [], GUARD);
    expect(quote).toMatchObject({ ok: true, amountTo: "0" });
  });

  it("rounds half a unit of payout up", () => {
    const row = rateRow({ baseRate: "1", marginPct: "0", minAmountFrom: null });
    expect(computeQuote(source("0.5"), row, [], GUARD)).toMatchObject({ amountTo: "1" });
    expect(computeQuote(source("0.499999"), row, [], GUARD)).toMatchObject({ amountTo: "0" });
    expect(computeQuote(target("1000.5"), row, [], GUARD)).toMatchObject({ amountTo: "1001" });
  });

  it("writes sums without trailing zeros or exponents", () => {
    const row = rateRow({
      asset: "BTC",
      network: "",
      baseRate: "2000000.00",
      marginPct: "0",
      minAmountFrom: null,
    });
    expect(computeQuote(source("0.00000100", "BTC"), row, [], GUARD)).toMatchObject({
      amountFrom: "0.000001",
      rate: "2000000",
      amountTo: "2",
    });
  });

  it("names asset and network in their normal form", () => {
    const input = { ...source("500", " usdt "), network: " TRC-20 " };
    expect(computeQuote(input, rateRow(), [], GUARD)).toMatchObject({
      asset: "USDT",
      network: "trc20",
    });
  });

  it("counts a BTC source in satoshi, rounded up, when asked for the asset's own units (T14)", () => {
    const row = rateRow({
      asset: "BTC",
      network: "",
      baseRate: "2150000.5",
      marginPct: "3",
      feeFixed: "250",
      minAmountFrom: null,
    });
    const input: QuoteInput = { ...target("50000", "BTC"), sourceUnits: "asset_units" };
    expect(computeQuote(input, row, [], GUARD)).toMatchObject({ amountFrom: "0.02409494" });
  });

  it("leaves an asset of six places as the published formula has it", () => {
    const row = rateRow({ minAmountFrom: null });
    const plain = computeQuote(target("1000"), row, [], GUARD);
    const units = computeQuote({ ...target("1000"), sourceUnits: "asset_units" }, row, [], GUARD);
    expect(plain).toMatchObject({ amountFrom: "32.051282" });
    expect(units).toEqual(plain);
  });
});

describe("the order of refusals", () => {
  it.each([
    ["a zero amount before a missing rate", source("0"), null, "amount_not_positive"],
    ["a negative amount", source("-5"), rateRow(), "amount_not_positive"],
    ["an amount that is no decimal", source("1e3"), rateRow(), "amount_not_positive"],
    ["a missing rate before anything else", source("1"), null, "rate_not_configured"],
    ["the minimum before a broken rate", source("1"), rateRow({ marginPct: "100" }), "below_min"],
    [
      "the maximum before a broken rate",
      source("90000"),
      rateRow({ marginPct: "100" }),
      "above_max",
    ],
    ["the guard before a computed minimum", target("10"), rateRow({ marginPct: "100" }), "guard"],
    [
      "a row whose base is zero, which the guard cannot judge",
      source("500"),
      rateRow({ baseRate: "0" }),
      "rate_not_configured",
    ],
    [
      "a divided row whose base is zero",
      target("500", "RUB"),
      rub({ baseRate: "0" }),
      "rate_not_configured",
    ],
  ] as const)("names %s", (_, input, row, error) => {
    expect(computeQuote(input, row, [], GUARD)).toMatchObject({ ok: false, error });
  });

  it("names the computed source when a target goes past the maximum", () => {
    expect(computeQuote(target("1000000"), rateRow(), [], GUARD)).toEqual({
      ok: false,
      error: "above_max",
      limit: "20000",
      computedAmountFrom: "32051.282051",
    });
  });

  it("lets an amount that is exactly a limit pass", () => {
    expect(computeQuote(source("50"), rateRow(), [], GUARD).ok).toBe(true);
    expect(computeQuote(source("20000"), rateRow(), [], GUARD).ok).toBe(true);
  });
});

describe("tiers", () => {
  const tiers: Tier[] = [
    { min: "100000", max: null, displayRate: "31.6" },
    { min: "2000", max: "10000", displayRate: "31.2" },
    { min: "10000", max: "100000", displayRate: "31.3" },
  ];

  it.each([
    ["1999.99", "31.2", null],
    ["2000", "31.2", "2000"],
    ["9999.99", "31.2", "2000"],
    ["10000", "31.3", "10000"],
    ["100000", "31.6", "100000"],
  ])("a target of %s gets %s, whatever the order of rows", (value, rate, tierMin) => {
    const row = rateRow({ minAmountFrom: null });
    expect(computeQuote(target(value), row, tiers, GUARD)).toMatchObject({ rate, tierMin });
  });

  it("counts the deviation from the base when none is stored", () => {
    expect(computeQuote(source("500"), rateRow(), tiers, GUARD)).toMatchObject({
      marginPct: "-2.1875",
    });
    const rubTier = [openTier("2.48")];
    expect(computeQuote(target("10000", "RUB"), rub(), rubTier, GUARD)).toMatchObject({
      marginPct: "3.3333",
    });
  });

  it("is chosen by the base rate, without margin and fee", () => {
    // 312.5 * 32 = 10000 exactly, while 312.5 * 31.2 - 500 is far below
    const quote = computeQuote(source("312.5"), rateRow({ feeFixed: "500" }), tiers, GUARD);
    expect(quote).toMatchObject({ tierMin: "10000", amountTo: "9281" });
  });

  it("may be measured in the source amount", () => {
    const bySource = [openTier("31.5", { min: "500", max: "1000", rangeBasis: "source_amount" })];
    expect(computeQuote(source("500"), rateRow(), bySource, GUARD)).toMatchObject({ rate: "31.5" });
    expect(computeQuote(source("499"), rateRow(), bySource, GUARD)).toMatchObject({ rate: "31.2" });
    expect(computeQuote(target("16000"), rateRow(), bySource, GUARD)).toMatchObject({
      rate: "31.5",
    });
  });

  it("still prices an asset whose base is not known", () => {
    const row = rateRow({ baseRate: "0" });
    expect(computeQuote(target("10000"), row, [openTier("31")], GUARD)).toMatchObject({
      ok: true,
      rate: "31",
      marginPct: "0",
    });
  });
});

describe("the rate guard", () => {
  const row = rateRow({ baseRate: "100", marginPct: "0", minAmountFrom: null });
  it.each([
    ["64.5", true],
    ["64.49999999", false],
    ["135.5", true],
    ["135.50000001", false],
    ["0", false],
  ])("a tier of %s against a base of 100 passes: %s", (displayRate, ok) => {
    expect(computeQuote(source("100"), row, [openTier(displayRate)], GUARD).ok).toBe(ok);
  });

  it("is loosened and tightened by its settings", () => {
    const tight = { maxDeviationPct: "1", epsPct: "0" };
    expect(computeQuote(source("500"), rateRow(), [], tight)).toMatchObject({
      error: "guard",
      needsOperator: true,
      guard: { reason: "implausible_deviation", deviationPct: "-2.5", thresholdPct: "1" },
    });
  });
});

describe("exactness", () => {
  const RATES = [
    "2.60",
    "2.55",
    "2.48",
    "2.45",
    "2.43",
    "2.59",
    "2.52",
    "2.47",
    "2.44",
    "2.41",
    "2.40",
  ];
  const targets = Array.from({ length: 119 }, (_, index) => 1000 + index * 500);

  it("asks for not one ruble more than whole arithmetic does, over eleven rates and 119 targets (T13)", () => {
    const wrong = RATES.flatMap((baseRate) =>
      targets.filter((value) => {
        const row = rub({ baseRate, marginPct: "0", minAmountFrom: null, maxAmountFrom: null });
        const quote = computeQuote(target(String(value), "RUB"), row, [], GUARD);
        const hundredths = BigInt(baseRate.replace(".", "")) * BigInt(value);
        const whole = (hundredths + 99n) / 100n;
        return !quote.ok || quote.amountFrom !== whole.toString();
      }),
    );
    expect(wrong).toEqual([]);
    expect(RATES.length * targets.length).toBe(1309);
  });

  const money = fc
    .tuple(fc.integer({ min: 1, max: 9_999_999 }), fc.integer({ min: 0, max: 999_999 }))
    .map(([whole, part]) => `${whole}.${String(part).padStart(6, "0")}`);
  const margins = fc.integer({ min: -3000, max: 3000 }).map((value) => `${value / 100}`);
  const modes = fc.constantFrom("multiply" as const, "divide" as const);
  const loose = { minAmountFrom: null, maxAmountFrom: null };

  it("never pays out more than half a unit above the exact product in source mode", () => {
    fc.assert(
      fc.property(money, money, margins, modes, (value, baseRate, marginPct, quoteMode) => {
        const row = rateRow({ ...loose, baseRate, marginPct, quoteMode });
        const quote = computeQuote(source(value), row, [], GUARD);
        if (!quote.ok) return false;
        const eff = amount(quote.exactRate);
        const exact = quoteMode === "multiply" ? eff.times(value) : amount(value).div(eff);
        return amount(quote.amountTo).minus(exact).lte("0.5");
      }),
    );
  });

  it("pays out a whole target to the unit, for a source that covers it", () => {
    const wholes = fc.integer({ min: 1, max: 10_000_000 }).map(String);
    fc.assert(
      fc.property(wholes, money, margins, modes, (value, baseRate, marginPct, quoteMode) => {
        const row = rateRow({ ...loose, baseRate, marginPct, quoteMode, feeFixed: "7.5" });
        const input: QuoteInput = { ...target(value, "BTC"), sourceUnits: "asset_units" };
        const quote = computeQuote(input, row, [], GUARD);
        if (!quote.ok || quote.amountTo !== value) return false;
        const eff = amount(quote.exactRate);
        const from = amount(quote.amountFrom);
        const worth = quoteMode === "multiply" ? from.times(eff) : from.div(eff);
        return worth.minus("7.5").gte(amount(value).minus("1e-30"));
      }),
    );
  });

  it("gives a larger source no smaller payout within one rate", () => {
    fc.assert(
      fc.property(money, money, money, modes, (left, right, baseRate, quoteMode) => {
        const row = rateRow({ ...loose, baseRate, quoteMode });
        const [small, large] = amount(left).lte(right) ? [left, right] : [right, left];
        const first = computeQuote(source(small), row, [], GUARD);
        const second = computeQuote(source(large), row, [], GUARD);
        return first.ok && second.ok && amount(first.amountTo).lte(second.amountTo);
      }),
    );
  });
});
