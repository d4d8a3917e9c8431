import { describe, expect, it } from "vitest";
import { dearer, slower } from "../../src/quality/usage.ts";

const cost = (costType: string, amount: string, currency = "USD") => ({
  ...{ costType, amount, currency },
});
const latency = (component: string, avgMs: number) => ({ component, avgMs, p95Ms: 10_000 });

describe("what is dearer", () => {
  it.each([
    [[], null],
    [[cost("model", "0.1")], "model"],
    [[cost("outside", "0.1")], "tool"],
    [[cost("model", "0.1"), cost("model_retry", "0.2"), cost("outside", "0.25")], "model"],
    [[cost("model", "0.3"), cost("outside", "0.2"), cost("outside_retry", "0.2")], "tool"],
    // a double would take the sum of the first two for more
    [[cost("model", "0.1"), cost("model", "0.2"), cost("outside", "0.3")], null],
    [[cost("model", "1"), cost("outside", "900", "RUB")], "model"],
    [[cost("model", "0")], null],
  ] as const)("%j: %s", (costs, expected) => {
    expect(dearer(costs)).toBe(expected);
  });
});

describe("what is slower", () => {
  it.each([
    [[], null],
    [[latency("queue", 900)], null],
    [[latency("model", 5)], "model"],
    [[latency("model", 5), latency("tool", 6)], "tool"],
    [[latency("model", 5), latency("tool", 5)], null],
  ] as const)("%j: %s", (latencies, expected) => {
    expect(slower(latencies)).toBe(expected);
  });
});
