import { describe, expect, it } from "vitest";
import { RATABLE_MS, ATTEMPTS_KEPT_MS as RETENTION_MS } from "../../src/domain/model-attempt.ts";
import { UnknownCallError, UnknownModelError } from "../../src/model/broker/errors.ts";
import { answer, DOWN, entry, failure, HELLO, openPool } from "../support/model-pool.ts";

const SURE = { random: () => 0 };
const first = entry("first", { weight: 1_000 });
const second = entry("second", { weight: 0 });

async function ratings(pool: ReturnType<typeof openPool>, operation = "reply") {
  const { models } = await pool.broker.snapshot(operation);
  return Object.fromEntries(models.map(({ llmName, rating }) => [llmName, rating]));
}

describe("a verdict", () => {
  it("by trace hits only the newest call that succeeded", async () => {
    const pool = openPool([first, second], SURE);
    const asked = { operation: "reply", traceId: "t" };
    const old = await pool.broker.chat(HELLO, asked);
    pool.play("first", DOWN);
    pool.time.now += 1;
    const newest = await pool.broker.chat(HELLO, asked);
    pool.time.now += 1;
    pool.play("second", DOWN);
    await pool.broker.chat(HELLO, { ...asked, wait: 0 }).catch(() => {});
    await pool.broker.chat(HELLO, { ...asked, traceId: "other", wait: 0 }).catch(() => {});
    await pool.broker.recordQuality(1, { traceId: "t" });
    const scores = (await pool.broker.calls()).map(({ callId, score }) => [callId, score]);
    expect(scores.filter(([, score]) => score !== null)).toEqual([[newest.callId, 1]]);
    expect(await ratings(pool)).toEqual({ first: 0.5, second: 0.6 });
    await pool.broker.recordQuality(0, { callId: old.callId });
    expect(await ratings(pool)).toEqual({ first: 0.4, second: 0.6 });
  });

  it("is the newest one of its call, and adds no row", async () => {
    const pool = openPool([first]);
    const { callId } = await pool.broker.chat(HELLO, { operation: "reply" });
    for (const score of [1, 0, 0.25]) await pool.broker.recordQuality(score, { callId });
    expect(await pool.broker.calls()).toMatchObject([{ callId, score: 0.25 }]);
    expect((await ratings(pool)).first).toBeCloseTo((4 * 0.5 + 0.25) / 5, 12);
    expect((await ratings(pool, "coach")).first).toBe(0.5);
  });

  it("by model and operation moves who is asked", async () => {
    const pool = openPool([entry("a"), entry("b")]);
    for (let at = 0; at < 36; at += 1) {
      await pool.broker.recordQuality(0, { llmName: "a", operation: "reply" });
      await pool.broker.recordQuality(1, { llmName: "b", operation: "reply" });
    }
    expect(await ratings(pool)).toEqual({ a: 0.05, b: 0.95 });
    for (let at = 0; at < 400; at += 1) await pool.broker.chat(HELLO, { operation: "reply" });
    for (let at = 0; at < 400; at += 1) await pool.broker.chat(HELLO, { operation: "coach" });
    const count = (from: number) =>
      pool.asked.slice(from, from + 400).filter(({ name }) => name === "a").length;
    // 5 % and 50 % of 400, within four standard deviations
    expect(Math.abs(count(0) - 20)).toBeLessThan(4 * Math.sqrt(400 * 0.05 * 0.95));
    expect(Math.abs(count(400) - 200)).toBeLessThan(4 * Math.sqrt(400 * 0.25));
  });

  it.each([-0.1, 1.1, Number.NaN])("of %s is refused", async (score) => {
    const pool = openPool([first]);
    const { callId } = await pool.broker.chat(HELLO);
    await expect(pool.broker.recordQuality(score, { callId })).rejects.toThrow(RangeError);
  });

  it("wants exactly one thing to be about", async () => {
    const { broker } = openPool([first]);
    const { callId } = await broker.chat(HELLO, { traceId: "t" });
    const both = { callId, traceId: "t" };
    await expect(broker.recordQuality(1, both)).rejects.toThrow(/exactly one/);
  });

  it("of what is unknown, failed, or older than seven days is refused", async () => {
    const pool = openPool([first]);
    const { callId } = await pool.broker.chat(HELLO);
    pool.play("first", DOWN);
    await pool.broker.chat(HELLO, { traceId: "failed", wait: 0 }).catch(() => {});
    const refused = (thing: { callId: string } | { traceId: string }) =>
      expect(pool.broker.recordQuality(1, thing)).rejects.toThrow(UnknownCallError);
    await refused({ callId: "nobody" });
    await refused({ traceId: "failed" });
    pool.time.now = 1_000_000 + RATABLE_MS;
    await pool.broker.recordQuality(1, { callId });
    pool.time.now += 1;
    await refused({ callId });
    const unknown = { llmName: "nobody", operation: "reply" };
    await expect(pool.broker.recordQuality(1, unknown)).rejects.toThrow(UnknownModelError);
  });
});

describe("a scope", () => {
  const keys = (name: string) =>
    ({ FIRST_KEY: "shared", SECOND_KEY: "shared 2", "anna/FIRST_KEY": "Anna's" })[name] ?? null;

  it("uses its own key where it has one, else the shared one", async () => {
    const pool = openPool([first, second], { ...SURE, keys });
    await pool.broker.forScope("anna").chat(HELLO);
    await pool.broker.forScope("bert").chat(HELLO);
    await pool.broker.chat(HELLO);
    expect(pool.asked.map(({ key }) => key)).toEqual(["Anna's", "shared", "shared"]);
    expect((await pool.broker.calls()).map(({ scope }) => scope)).toEqual([null, "bert", "anna"]);
  });

  it("loses a rejected key alone; the models stay for the others", async () => {
    const pool = openPool([first, second], { ...SURE, keys });
    pool.play("first", (_, key) =>
      key === "Anna's" ? failure("access_denied", { status: 401 }) : answer("first"),
    );
    const who = async (scope: string) => (await pool.broker.forScope(scope).chat(HELLO)).text;
    expect(await who("anna")).toBe("second");
    expect(await who("anna")).toBe("second");
    expect(await who("bert")).toBe("first");
    expect(pool.asked.filter(({ key }) => key === "Anna's")).toHaveLength(1);
  });

  it("with a shared key that is rejected shares the loss, and a new key is tried at once", async () => {
    let shared = "old";
    const pool = openPool([first], { keys: () => shared });
    pool.play("first", (_, key) =>
      key === "old" ? failure("access_denied", { status: 401 }) : answer("first"),
    );
    const ask = () => pool.broker.forScope("anna").chat(HELLO, { wait: 0 });
    await expect(ask()).rejects.toThrow();
    await expect(pool.broker.chat(HELLO, { wait: 0 })).rejects.toMatchObject({ reason: "no_keys" });
    expect(pool.asked).toHaveLength(1);
    shared = "new";
    expect((await ask()).text).toBe("first");
  });

  it("that hits its key's rate limit leaves the model to other keys", async () => {
    const pool = openPool([first, second], { ...SURE, keys });
    pool.play("first", (_, key) =>
      key === "Anna's" ? failure("rate_limited", { status: 429 }) : answer("first"),
    );
    expect((await pool.broker.forScope("anna").chat(HELLO)).text).toBe("second");
    expect((await pool.broker.chat(HELLO)).text).toBe("first");
  });

  it("sees and rates its own calls alone, and learned quality is shared", async () => {
    const pool = openPool([first]);
    const anna = pool.broker.forScope("anna");
    const bert = pool.broker.forScope("bert");
    const { callId } = await anna.chat(HELLO, { operation: "reply" });
    await bert.chat(HELLO);
    expect(await bert.calls({ callId })).toEqual([]);
    await expect(bert.recordQuality(1, { callId })).rejects.toThrow(UnknownCallError);
    await expect(pool.broker.recordQuality(1, { callId })).rejects.toThrow(UnknownCallError);
    await anna.recordQuality(1, { callId });
    expect(await ratings(pool)).toEqual({ first: 0.6 });
    expect((await bert.snapshot("reply")).models[0]?.rating).toBe(0.6);
    expect((await anna.stats()).models).toMatchObject([{ llmName: "first", total: 1 }]);
  });

  it.each(["", "a/b", "a b"])("is not called %j", (id) => {
    expect(() => openPool([first]).broker.forScope(id)).toThrow(RangeError);
  });
});

describe("calls and figures", () => {
  it("a limit counts matches, since includes its own moment", async () => {
    const pool = openPool([first]);
    for (let at = 0; at < 10; at += 1) {
      await pool.broker.chat(HELLO, { operation: at % 2 === 0 ? "reply" : "coach" });
      pool.time.now += 1;
    }
    const times = async (query: object) => (await pool.broker.calls(query)).map(({ at }) => at);
    expect(await times({ operation: "coach", limit: 2 })).toEqual([1_000_009, 1_000_007]);
    expect(await times({ since: 1_000_008 })).toEqual([1_000_009, 1_000_008]);
    await expect(pool.broker.calls({ limit: 0 })).rejects.toThrow(/limit: wants/);
  });

  it("stats are by model, and say when they may be cut", async () => {
    const price = { input: "1", output: "10" };
    const pool = openPool([{ ...first, price }, second], SURE);
    await pool.broker.chat(HELLO);
    pool.play("first", DOWN);
    await pool.broker.chat(HELLO);
    const { models, mayBeCut } = await pool.broker.stats();
    expect(mayBeCut).toBe(false);
    expect(models).toEqual([
      {
        ...{ llmName: "second", total: 1, byStatus: { ok: 1, failed: 0, superseded: 0 } },
        ...{ lastStatus: "ok", lastAt: 1_000_000, inputTokens: 100, outputTokens: 10, cost: "0" },
      },
      {
        ...{ llmName: "first", total: 2, byStatus: { ok: 1, failed: 1, superseded: 0 } },
        ...{ lastStatus: "failed", lastAt: 1_000_000, inputTokens: 100, outputTokens: 10 },
        cost: "0.0002",
      },
    ]);
    expect((await pool.broker.stats({ limit: 3 })).mayBeCut).toBe(true);
  });

  it("work without a model", async () => {
    const { broker } = openPool([]);
    expect(await broker.calls()).toEqual([]);
    expect(await broker.stats()).toEqual({ models: [], mayBeCut: false });
  });

  it("go after ninety days", async () => {
    const pool = openPool([first]);
    await pool.broker.chat(HELLO);
    pool.time.now += RETENTION_MS;
    await pool.broker.chat(HELLO);
    expect(await pool.broker.calls()).toHaveLength(2);
    pool.time.now += 1;
    await pool.broker.chat(HELLO);
    expect(await pool.broker.calls()).toHaveLength(2);
  });
});
