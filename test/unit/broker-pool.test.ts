import { describe, expect, it } from "vitest";
import { answer, DOWN, entry, HELLO, LIMITED, openPool, REJECTED } from "../support/model-pool.ts";

const SURE = { random: () => 0 };
const first = entry("first", { weight: 1_000 });
const second = entry("second", { weight: 0 });
const ask = (pool: ReturnType<typeof openPool>) =>
  pool.broker.chat(HELLO, { wait: 0 }).catch(() => null);

describe("the log", () => {
  it("has one line a change: degraded, and well again", async () => {
    const pool = openPool([first, second], SURE);
    pool.play("first", DOWN);
    for (let at = 0; at < 5; at += 1) await ask(pool);
    expect(pool.lines).toEqual(["error the model pool is degraded: one provider is left"]);
    pool.play("first", () => answer("first"));
    pool.time.now += 2_000;
    for (let at = 0; at < 5; at += 1) await ask(pool);
    expect(pool.lines.slice(1)).toEqual(["info the model pool is well again"]);
  });

  it("says that all are cooling once a minute at most", async () => {
    const pool = openPool([first]);
    pool.play("first", LIMITED(1_000));
    const cooling = "warn all models are cooling down: calls wait or fail";
    await ask(pool);
    await ask(pool);
    expect(pool.lines).toEqual([cooling]);
    const well = "info the model pool is well again";
    for (let at = 0; at < 30; at += 1) {
      pool.play("first", LIMITED(1_000));
      pool.time.now += 1_000;
      await ask(pool);
    }
    expect(pool.lines.filter((line) => line === cooling)).toHaveLength(1);
    // its pauses end, but it never answers
    expect(pool.lines).not.toContain(well);
    pool.play("first", () => answer("first"));
    pool.time.now += 20_000;
    await ask(pool);
    pool.play("first", LIMITED(1_000));
    await ask(pool);
    await ask(pool);
    expect(pool.lines).toEqual([cooling, well]);
    pool.time.now += 60_000;
    await ask(pool);
    await ask(pool);
    expect(pool.lines).toEqual([cooling, well, cooling]);
  });

  it("says that none is left when keys are rejected or missing", async () => {
    const pool = openPool([first]);
    pool.play("first", REJECTED);
    await ask(pool);
    await ask(pool);
    const none = "error no model is left: set or renew a key, or add a model";
    expect(pool.lines).toEqual([none]);
    const bare = openPool([first], { keys: () => null });
    await ask(bare);
    await ask(bare);
    expect(bare.lines).toEqual([none]);
  });

  it("one provider of one is not degraded", async () => {
    const pool = openPool([first]);
    await ask(pool);
    expect(pool.lines).toEqual([]);
  });

  it("a scope whose own key is rejected is no trouble of the pool", async () => {
    const keys = (name: string) =>
      name === "anna/FIRST_KEY" ? "Anna's" : name.includes("/") ? null : `shared ${name}`;
    const pool = openPool([first, second], { ...SURE, keys });
    pool.play("first", (_, key) => (key === "Anna's" ? REJECTED() : answer("first")));
    await pool.broker.forScope("anna").chat(HELLO);
    await pool.broker.chat(HELLO);
    await pool.broker.forScope("bert").chat(HELLO);
    expect(pool.lines).toEqual(["error the model pool is degraded: one provider is left (anna)"]);
  });
});

describe("a snapshot", () => {
  it("counts keys, not models", async () => {
    const pool = openPool([
      entry("big", { apiKeyRef: "SHARED" }),
      entry("small", { apiKeyRef: "SHARED" }),
      entry("local", { apiKeyRef: null }),
      entry("off", { enabled: false }),
    ]);
    const before = await pool.broker.snapshot();
    expect(before).toMatchObject({ providersUsable: 2, providersTotal: 2, degraded: false });
    pool.play("big", REJECTED);
    await pool.broker.chat(HELLO, { exclude: ["small", "local"] }).catch(() => {});
    const after = await pool.broker.snapshot();
    expect(after).toMatchObject({ providersUsable: 1, providersTotal: 2, degraded: true });
    const cooling = after.models.map(({ llmName, cooldownUntil }) => [llmName, cooldownUntil]);
    expect(cooling).toEqual([
      ["big", 1_300_000],
      ["small", 1_300_000],
      ["local", null],
      ["off", null],
    ]);
  });

  it("says which keys are missing and what to do", async () => {
    const keys = (name: string) => (name === "FIRST_KEY" ? "k" : null);
    const { broker } = openPool([first, second], { keys });
    const { missingKeys, models, degraded } = await broker.snapshot();
    expect(degraded).toBe(true);
    expect(models.map(({ hasKey }) => hasKey)).toEqual([true, false]);
    const help = "set the environment variable or the secret SECOND_KEY";
    expect(missingKeys).toEqual([{ ref: "SECOND_KEY", help }]);
    const scoped = await broker.forScope("anna").snapshot();
    expect(scoped.missingKeys[0]?.help).toContain("anna/SECOND_KEY");
  });
});
