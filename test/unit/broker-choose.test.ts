import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Candidate, choose, ratingValue, sharesOf } from "../../src/model/broker/choose.ts";
import { seeded } from "../support/model-pool.ts";

const NO_RATING = { sum: 0, count: 0 };
const model = (name: string, over: Partial<Candidate> = {}): Candidate => ({
  ...{ name, weight: 1, rating: NO_RATING, rank: 0, ...over },
});

const ratings = fc
  .tuple(fc.double({ min: 0, max: 100, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([count, mean]) => ({ sum: count * mean, count }));
const pools = fc
  .array(
    fc.record({
      weight: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1_000, noNaN: true })),
      rating: ratings,
      rank: fc.nat(3),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((list) => list.map((one, at) => ({ name: `m${at}`, ...one })));

describe("of any pool", () => {
  it("shares are a distribution over the lowest rank, and nobody of it dies", () => {
    fc.assert(
      fc.property(pools, (pool) => {
        const shares = sharesOf(pool);
        const lowest = Math.min(...pool.map(({ rank }) => rank));
        expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
        for (const [at, { rank }] of pool.entries()) {
          if (rank !== lowest) expect(shares[at]).toBe(0);
          // a twentieth of the weight and of the rating of seven others that have the most
          else expect(shares[at]).toBeGreaterThan((0.05 * 0.05) / 8);
        }
      }),
    );
  });

  it("more weight or better verdicts never make a share smaller", () => {
    fc.assert(
      fc.property(
        pools,
        fc.nat(7),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (pool, pick, by) => {
          const at = pick % pool.length;
          const before = sharesOf(pool)[at] ?? 0;
          const praised = pool.map((one, index) => {
            const { sum, count } = one.rating;
            return index === at
              ? { ...one, rating: { sum: sum + by * (count - sum), count } }
              : one;
          });
          const heavier = pool.map((one, index) =>
            index === at ? { ...one, weight: one.weight + 10 * by } : one,
          );
          expect(sharesOf(praised)[at]).toBeGreaterThanOrEqual(before - 1e-12);
          expect(sharesOf(heavier)[at]).toBeGreaterThanOrEqual(before - 1e-12);
        },
      ),
    );
  });

  it("who is chosen has the lowest rank, whatever chance says", () => {
    const chances = fc.oneof(
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.constantFrom(0, 1 - Number.EPSILON / 2),
    );
    fc.assert(
      fc.property(pools, chances, (pool, chance) => {
        const chosen = choose(pool, () => chance);
        expect(chosen?.rank).toBe(Math.min(...pool.map(({ rank }) => rank)));
      }),
    );
  });
});

describe("chance", () => {
  it("draws as often as weight × rating says", () => {
    const pool = [
      model("heavy", { weight: 1 }),
      model("praised", { weight: 0.5, rating: { sum: 16, count: 16 } }),
      model("blamed", { weight: 0.5, rating: { sum: 0, count: 16 } }),
      model("last", { weight: 0 }),
    ];
    // of 16 verdicts a fifth of the exponent is left: 1 × 0.5, 0.5^0.2 × 0.9, 0.5^0.2 × 0.1, 0.05 × 0.5
    const judged = 0.870_550_563_296_124;
    const raw = [0.5, judged * 0.9, judged * 0.1, 0.025];
    const total = raw.reduce((sum, share) => sum + share, 0);
    expect(sharesOf(pool)).toEqual(raw.map((share) => expect.closeTo(share / total, 12)));
    const random = seeded(7);
    const drawn = new Map<string, number>();
    const draws = 20_000;
    for (let at = 0; at < draws; at += 1) {
      const name = choose(pool, random)?.name ?? "";
      drawn.set(name, (drawn.get(name) ?? 0) + 1);
    }
    for (const [at, share] of sharesOf(pool).entries()) {
      const bound = 4 * Math.sqrt(draws * share * (1 - share));
      expect(Math.abs((drawn.get(pool[at]?.name ?? "") ?? 0) - draws * share)).toBeLessThan(bound);
    }
  });

  it("hangs on the weight alone at the start, and on the ratings in the end", () => {
    const shareOfFirst = (verdicts: number) =>
      sharesOf([
        model("heavy", { weight: 1, rating: { sum: 0, count: verdicts } }),
        model("light", { weight: 0, rating: { sum: verdicts, count: verdicts } }),
      ])[0];
    expect(shareOfFirst(0)).toBeCloseTo(1 / 1.05, 12);
    expect(shareOfFirst(100)).toBeLessThan(0.06);
  });

  it("draws at exact borders", () => {
    const pool = [model("a", { weight: 3 }), model("b", { weight: 1 })];
    expect(choose(pool, () => 0)?.name).toBe("a");
    expect(choose(pool, () => 0.7499)?.name).toBe("a");
    expect(choose(pool, () => 0.75)?.name).toBe("b");
    expect(choose([], () => 0)).toBeNull();
  });

  it("counts all the same when no weight is given", () => {
    const pool = ["a", "b", "c", "d"].map((name) => model(name, { weight: 0 }));
    expect(sharesOf(pool)).toEqual([0.25, 0.25, 0.25, 0.25]);
  });
});

describe("a rating", () => {
  it("starts in the middle, moves softly and never leaves 0 to 1", () => {
    expect(ratingValue(NO_RATING)).toBe(0.5);
    expect(ratingValue({ sum: 0, count: 1 })).toBe(0.4);
    expect(ratingValue({ sum: 1, count: 1 })).toBe(0.6);
    expect(ratingValue({ sum: 0, count: 36 })).toBe(0.05);
    expect(ratingValue({ sum: 36, count: 36 })).toBe(0.95);
  });
});
