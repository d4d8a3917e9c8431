import { describe, expect, it } from "vitest";
import { dearer, slower, weigh } from "../../src/quality/usage.ts";

const cost = (costType: string, amount: string, currency = "USD") => ({
  ...{ costType, amount, currency },
});
const latency = (component: string, avgMs: number) => ({ component, avgMs, p95Ms: 10_000 });
const total = (costUsd: string | null, latencyAvgMs: number | null = null) => ({
  ...{ costUsd, latencyAvgMs },
});

describe("what is dearer", () => {
  it.each([
    [null, [], null],
    ["0.1", [], "model"],
    [null, [cost("outside", "0.1")], "tool"],
    ["0.3", [cost("outside", "0.25")], "model"],
    ["0.3", [cost("outside", "0.2"), cost("outside_retry", "0.2")], "tool"],
    // a double would take the sum of the two for more
    ["0.3", [cost("outside", "0.1"), cost("outside", "0.2")], null],
    ["1", [cost("outside", "900", "RUB")], "model"],
    // what runs paid for models is in the sum of the models already
    ["1", [cost("model", "2"), cost("model_retry", "2")], "model"],
    ["0", [], null],
  ] as const)("%j against %j: %s", (models, costs, expected) => {
    expect(dearer(weigh(total(models), costs, []))).toBe(expected);
  });
});

describe("what is slower", () => {
  it.each([
    [null, [], null],
    [null, [latency("queue", 900)], null],
    [5, [latency("approval", 900)], "model"],
    [5, [latency("tool", 6)], "tool"],
    [5, [latency("tool", 5)], null],
  ] as const)("%j against %j: %s", (models, latencies, expected) => {
    expect(slower(weigh(total(null, models), [], latencies))).toBe(expected);
  });
});

it("the figures that say so are given as they are known, sums exactly", () => {
  const costs = [cost("outside", "0.1"), cost("outside_retry", "0.2"), cost("model", "9")];
  expect(weigh(total("0.5", 40), costs, [latency("tool", 6)])).toEqual({
    model: { costUsd: "0.5", latencyAvgMs: 40 },
    tool: { costUsd: "0.3", latencyAvgMs: 6 },
  });
  expect(weigh(total(null), [], [])).toEqual({
    model: { costUsd: null, latencyAvgMs: null },
    tool: { costUsd: null, latencyAvgMs: null },
  });
});
