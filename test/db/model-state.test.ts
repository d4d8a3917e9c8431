import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createStoredState, shiftedState } from "../../src/model/broker/stored-state.ts";
import type { Database } from "../../src/store/database.ts";
import { queryRows, withOwner } from "../../src/store/db.ts";
import { forEachEngine } from "../support/database.ts";

const MODEL = { name: "m", cooldownKeys: ["endpoint:m", "provider:k"], parallel: null };
const CAPPED = { ...MODEL, parallel: 2 };
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const failing = (now: number, over: object = {}) => ({
  ...{ cause: "503", now, startedAt: now, baseMs: 1_000, mostMs: 8_000, leastMs: 0, returns: true },
  ...over,
});

forEachEngine((open) => {
  let database: Database;
  let time = 0;
  let told = 0;
  beforeAll(async () => {
    database = await open();
  });
  beforeEach(async () => {
    time = 0;
    told = 0;
    await withOwner(database.db, (tx) =>
      tx.execute(sql`truncate model_cooldowns, model_ratings, model_places`),
    );
  });
  afterAll(() => database.close());

  /** What one process has. */
  const stateOf = (db = database.db) =>
    createStoredState({
      ...{ db, log: quiet, isShared: true, realNow: () => time },
      tell: () => {
        told += 1;
      },
    });
  const seen = async (state: ReturnType<typeof stateOf>, now: number, operation = "reply") =>
    (await state.look([MODEL], { operation, now }))[0];

  describe("a cooldown", () => {
    it("is known to other processes, and outlives all of them", async () => {
      const [one, other] = [stateOf(), stateOf()];
      expect(await one.cool("endpoint:m", failing(1_000, { leastMs: 60_000 }))).toBe(61_000);
      expect(told).toBe(1);
      expect((await seen(other, 2_000))?.coolingUntil).toBeNull();
      await other.reload();
      expect(await seen(other, 2_000)).toMatchObject({ coolingUntil: 61_000, cause: "503" });
      expect((await other.take(MODEL, { now: 2_000, leaseMs: 1 })).kind).toBe("cooling");
      const later = stateOf();
      await later.reload();
      expect((await seen(later, 2_000))?.coolingUntil).toBe(61_000);
    });

    it("of two processes that saw the same failure ends at the later time", async () => {
      const [one, other] = [stateOf(), stateOf()];
      await one.cool("endpoint:m", failing(0, { leastMs: 30_000 }));
      await other.cool("endpoint:m", failing(10));
      await one.reload();
      expect((await seen(one, 100))?.coolingUntil).toBe(30_000);
    });

    it("is over for all with the first answer, and not before its end", async () => {
      const [one, other] = [stateOf(), stateOf()];
      await one.cool("endpoint:m", failing(0));
      await one.succeeded(MODEL, 500); // an older call
      await other.reload();
      expect((await seen(other, 600))?.coolingUntil).toBe(1_000);
      expect(await seen(other, 1_000)).toMatchObject({ coolingUntil: null, isOnTrial: true });
      await other.succeeded(MODEL, 1_200);
      await one.reload();
      expect(await seen(one, 1_300)).toMatchObject({ coolingUntil: null, isOnTrial: false });
      // the row of failures is over, too
      expect(await one.cool("endpoint:m", failing(2_000))).toBe(3_000);
    });

    it("costs no query while all is well", async () => {
      const state = stateOf(undefined as never); // any query would throw
      const place = await state.take(MODEL, { now: 0, leaseMs: 1 });
      if (place.kind !== "taken") throw new Error(place.kind);
      await state.succeeded(MODEL, 5);
      await place.leave();
      expect((await seen(state, 6))?.inFlight).toBe(0);
      expect(told).toBe(0);
    });

    it("ends when somebody has mended what was wrong", async () => {
      const [one, other] = [stateOf(), stateOf()];
      await one.cool("provider:k", failing(0, { leastMs: 3_600_000, returns: false }));
      await other.forgive();
      await one.reload();
      expect((await seen(one, 10))?.coolingUntil).toBeNull();
    });
  });

  describe("a rating", () => {
    const rate = (state: ReturnType<typeof stateOf>, score: number | null, previous?: number) =>
      state.rate({ llmName: "m", operation: "reply", score, previous: previous ?? null });

    it("is added, replaced and taken back, for every process", async () => {
      const [one, other] = [stateOf(), stateOf()];
      await rate(one, 1);
      await rate(other, 0);
      await rate(one, 0.5, 1);
      await other.reload();
      expect((await seen(other, 0))?.rating).toEqual({ sum: 0.5, count: 2 });
      expect((await seen(other, 0, "coach"))?.rating).toEqual({ sum: 0, count: 0 });
      await rate(other, null, 0.5);
      await rate(other, null, 0);
      await one.reload();
      expect((await seen(one, 0))?.rating).toEqual({ sum: 0, count: 0 });
    });

    it("loses none of many at once", async () => {
      const states = [stateOf(), stateOf(), stateOf()];
      await Promise.all(Array.from({ length: 60 }, (_, n) => rate(states[n % 3] ?? stateOf(), 1)));
      await states[0]?.reload();
      expect((await seen(states[0] ?? stateOf(), 0))?.rating).toEqual({ sum: 60, count: 60 });
    });

    it("fades: of more than a hundred verdicts newer ones count more", async () => {
      const state = stateOf();
      for (let n = 0; n < 110; n += 1) await rate(state, 1);
      for (let n = 0; n < 50; n += 1) await rate(state, 0);
      const rating = (await seen(state, 0))?.rating;
      expect(rating?.count).toBeCloseTo(100, 6);
      expect(rating?.sum).toBeCloseTo(100 * 0.990_099 ** 50, 2);
    });
  });

  describe("places of a model with a cap", () => {
    const take = (state: ReturnType<typeof stateOf>) =>
      state.take(CAPPED, { now: time, leaseMs: 1_000 });

    it("are counted over all processes", async () => {
      const [one, other] = [stateOf(), stateOf()];
      const first = await take(one);
      const second = await take(other);
      expect([first.kind, second.kind, (await take(one)).kind]).toEqual(["taken", "taken", "full"]);
      const [look] = await one.look([CAPPED], { operation: "reply", now: time });
      expect(look).toMatchObject({ isFull: true, inFlight: 1 }); // it is not asked for at once again
      if (second.kind === "taken") await second.leave();
      expect((await take(one)).kind).toBe("taken");
    });

    it("of many that come at once are never more than the cap", async () => {
      const states = Array.from({ length: 6 }, () => stateOf());
      const taken = await Promise.all(states.flatMap((state) => [take(state), take(state)]));
      expect(taken.filter(({ kind }) => kind === "taken")).toHaveLength(2);
      for (const place of taken) if (place.kind === "taken") await place.leave();
      const rows = await withOwner(database.db, (tx) =>
        queryRows(tx, sql`select 1 from model_places`),
      );
      expect(rows).toEqual([]);
    });

    it("of a process that was lost are free after the lease", async () => {
      await take(stateOf());
      await take(stateOf());
      const one = stateOf();
      time = 999;
      expect((await take(one)).kind).toBe("full");
      time = 1_500;
      expect((await take(one)).kind).toBe("taken");
    });
  });

  it("goes by another clock where one is given", async () => {
    const state = stateOf();
    let ahead = 0;
    const shifted = shiftedState(state, () => ahead);
    expect(await shifted.cool("endpoint:m", failing(0, { leastMs: 60_000 }))).toBe(60_000);
    ahead = 3_600_000;
    expect((await shifted.look([MODEL], { operation: "reply", now: 10 }))[0]).toMatchObject({
      ...{ coolingUntil: null, isOnTrial: true },
    });
    expect(await shifted.cool("endpoint:m", failing(20))).toBe(2_020);
    expect((await shifted.look([MODEL], { operation: "reply", now: 30 }))[0]?.coolingUntil).toBe(
      2_020,
    );
  });
});
