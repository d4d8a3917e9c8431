import { beforeEach, describe, expect, it } from "vitest";
import { createMemoryState } from "../../src/model/broker/memory-state.ts";
import type { BrokerState } from "../../src/model/broker/state.ts";

let state: BrokerState;
beforeEach(() => {
  state = createMemoryState();
});

const model = { name: "m", cooldownKeys: ["endpoint:m", "provider:k"], parallel: 2 };
const failing = (now: number, over: object = {}) => ({
  ...{
    cause: "503",
    now,
    startedAt: now,
    baseMs: 1_000,
    mostMs: 8_000,
    leastMs: 0,
    returns: true,
    ...over,
  },
});
const seen = async (now: number, operation = "reply") =>
  (await state.look([model], { operation, now }))[0];

async function taken(now = 0) {
  const place = await state.take(model, { now, leaseMs: 1_000 });
  if (place.kind !== "taken") throw new Error(place.kind);
  return place;
}

describe("a key on trial", () => {
  it("is tried while calls with another key are under way, and by one call at a time", async () => {
    const other = { ...model, cooldownKeys: ["endpoint:m", "provider:other"], parallel: null };
    const tried = { ...other, cooldownKeys: ["endpoint:m", "provider:k"] };
    await state.take(other, { now: 0, leaseMs: 1 });
    await state.cool("provider:k", failing(0));
    expect((await state.take(tried, { now: 1_000, leaseMs: 1 })).kind).toBe("taken");
    expect((await state.take(tried, { now: 1_000, leaseMs: 1 })).kind).toBe("full");
    expect((await state.take(other, { now: 1_000, leaseMs: 1 })).kind).toBe("taken");
  });
});

describe("a cooldown", () => {
  it("doubles with each failure in a row, up to its most", async () => {
    const ends: number[] = [];
    let now = 0;
    for (let round = 0; round < 6; round += 1) {
      const until = await state.cool("endpoint:m", failing(now));
      ends.push(until - now);
      now = until;
    }
    expect(ends).toEqual([1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
  });

  it("lasts at least as long as the endpoint asks", async () => {
    expect(await state.cool("endpoint:m", failing(0, { leastMs: 30_000 }))).toBe(30_000);
  });

  it("counts calls that failed together as one incident and keeps the later end", async () => {
    await state.cool("endpoint:m", failing(100, { startedAt: 0, leastMs: 5_000 }));
    expect(await state.cool("endpoint:m", failing(200, { startedAt: 50 }))).toBe(5_100);
    // the next one is the second failure, not the third
    expect(await state.cool("endpoint:m", failing(6_000))).toBe(8_000);
  });

  it("holds until its last millisecond, and for whichever key cools", async () => {
    await state.cool("provider:k", failing(0));
    expect(await state.take(model, { now: 999, leaseMs: 1 })).toEqual({ kind: "cooling" });
    expect((await seen(999))?.coolingUntil).toBe(1_000);
    expect((await seen(1_000))?.coolingUntil).toBeNull();
    expect((await state.take(model, { now: 1_000, leaseMs: 1 })).kind).toBe("taken");
  });

  it("is not ended by an older call that succeeds meanwhile", async () => {
    await state.cool("endpoint:m", failing(0));
    await state.succeeded(model, 500);
    expect((await seen(500))?.coolingUntil).toBe(1_000);
  });

  it("lets one call through at a time afterwards, until one succeeds", async () => {
    await state.cool("endpoint:m", failing(0));
    const trial = await taken(1_000);
    expect(await state.take(model, { now: 1_000, leaseMs: 1 })).toEqual({ kind: "full" });
    await state.succeeded(model, 1_001);
    expect((await state.take(model, { now: 1_001, leaseMs: 1 })).kind).toBe("taken");
    await trial.leave();
    // and the row of failures is over
    expect(await state.cool("endpoint:m", failing(2_000))).toBe(3_000);
  });
});

describe("places", () => {
  it("are no more than the cap, and leaving twice frees one", async () => {
    const first = await taken();
    await taken();
    expect(await state.take(model, { now: 0, leaseMs: 1 })).toEqual({ kind: "full" });
    await first.leave();
    await first.leave();
    expect((await seen(0))?.inFlight).toBe(1);
    await taken();
    expect((await seen(0))?.isFull).toBe(true);
  });

  it("wake who waits for one", async () => {
    const place = await taken();
    const freed = state.whenFreed(new AbortController().signal);
    await place.leave();
    await freed;
  });

  it("wake who gives up waiting", async () => {
    const giving = new AbortController();
    const freed = state.whenFreed(giving.signal);
    giving.abort();
    await freed;
    await state.whenFreed(giving.signal);
  });
});

describe("verdicts", () => {
  const rate = (score: number, previous: number | null = null) =>
    state.rate({ llmName: "m", operation: "reply", score, previous });

  it("add up for a model and an operation", async () => {
    await rate(1);
    await rate(0.5);
    expect((await seen(0))?.rating).toEqual({ sum: 1.5, count: 2 });
    expect((await seen(0, "coach"))?.rating).toEqual({ sum: 0, count: 0 });
  });

  it("replace the one before of the same call", async () => {
    await rate(1);
    await rate(0.25, 1);
    expect((await seen(0))?.rating).toEqual({ sum: 0.25, count: 1 });
  });

  it("that would replace what this process never saw are new", async () => {
    await rate(0.25, 1);
    expect((await seen(0))?.rating).toEqual({ sum: 0.25, count: 1 });
  });

  it("fade: a hundred bad ones outweigh a thousand good ones that came before", async () => {
    for (let at = 0; at < 1_000; at += 1) await rate(1);
    expect((await seen(0))?.rating).toEqual({ sum: 100, count: 100 });
    for (let at = 0; at < 100; at += 1) await rate(0);
    const { sum = 0, count = 0 } = (await seen(0))?.rating ?? {};
    expect(count).toBeCloseTo(100, 6);
    expect(sum).toBeLessThan(50);
  });
});
