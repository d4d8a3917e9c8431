import { describe, expect, it } from "vitest";
import type { ChatRequest } from "../../src/domain/chat-model.ts";
import { asChatModel } from "../../src/model/broker/as-chat-model.ts";
import {
  answer,
  DOWN,
  entry,
  failure,
  HELLO,
  LIMITED,
  openPool,
  QUOTE,
  REFUSED,
  REJECTED,
} from "../support/model-pool.ts";

const request = (over: Partial<ChatRequest> = {}): ChatRequest => ({
  ...{ messages: HELLO, tools: [QUOTE], operation: "reply", timeoutMs: 20_000 },
  ...{ signal: new AbortController().signal, ...over },
});

function modelOf(pool: ReturnType<typeof openPool>, wait = 0) {
  return asChatModel(pool.broker, { realNow: pool.parts.realNow, wait });
}

describe("a broker in the place of one model", () => {
  it("answers as one does, with the id of its row", async () => {
    const pool = openPool([entry("a")]);
    const params = { temperature: 0 };
    const outcome = await modelOf(pool).chat(request({ traceId: "t", params }));
    expect(outcome).toMatchObject({
      kind: "answer",
      text: "a",
      calls: [],
      attempts: [{ callId: "call-1" }],
    });
    expect(pool.asked[0]?.request).toMatchObject({ operation: "reply", traceId: "t", params });
  });

  it("tells that all failed as a failure that passes, and when", async () => {
    const pool = openPool([entry("a", { weight: 1_000 }), entry("b", { weight: 0 })], {
      random: () => 0,
    });
    pool.play("a", LIMITED(90_000));
    pool.play("b", REFUSED);
    expect(await modelOf(pool).chat(request())).toMatchObject({
      ...{ kind: "failed", retryable: true, failure: "rate_limited", status: 429 },
      ...{ retryAfterMs: 90_000, journal: { provider: "a" } },
    });
  });

  it("tells a refused request as one that stays refused", async () => {
    const pool = openPool([entry("a")]);
    pool.play("a", REFUSED);
    expect(await modelOf(pool).chat(request())).toMatchObject({
      ...{ kind: "failed", retryable: false, failure: "schema_invalid", status: 400 },
      retryAfterMs: null,
    });
  });

  it("tells that all are cooling, though nobody was asked", async () => {
    const pool = openPool([entry("a")]);
    pool.play("a", DOWN);
    await modelOf(pool).chat(request());
    const outcome = await modelOf(pool).chat(request());
    expect(outcome).toMatchObject({
      ...{ kind: "failed", retryable: true, failure: "unavailable", retryAfterMs: 2_000 },
      journal: { provider: "none", inputTokens: null },
    });
    expect(outcome).not.toHaveProperty("status");
  });

  it("tells missing keys as what no retry mends", async () => {
    const pool = openPool([entry("a")], { keys: () => null });
    expect(await modelOf(pool).chat(request())).toMatchObject({
      ...{ kind: "failed", retryable: false, failure: "access_denied" },
      error: expect.stringContaining("api_key_ref"),
    });
  });

  it("tells an abort as one, while it is asked and before", async () => {
    const pool = openPool([entry("a")]);
    const giving = new AbortController();
    pool.play("a", () => {
      giving.abort();
      return failure("network", { fault: "aborted" });
    });
    const aborted = { kind: "failed", fault: "aborted" };
    expect(await modelOf(pool).chat(request({ signal: giving.signal }))).toMatchObject(aborted);
    expect(await modelOf(pool).chat(request({ signal: giving.signal }))).toMatchObject(aborted);
    expect(pool.asked).toHaveLength(1);
  });

  it.each([
    ["a rejected key", REJECTED],
    ["a request that does not suit", REFUSED],
    ["an account that is used up", () => failure("insufficient_funds", { status: 402 })],
  ])("is worth a retry when another one comes back, whatever %s says", async (_, last) => {
    const pool = openPool([entry("a", { weight: 1_000 }), entry("b", { weight: 0 })], {
      random: () => 0,
    });
    pool.play("a", DOWN);
    pool.play("b", last);
    expect(await modelOf(pool).chat(request())).toMatchObject({
      ...{ kind: "failed", retryable: true, retryAfterMs: 2_000 },
      attempts: [{ llmName: "a" }, { llmName: "b" }],
    });
  });

  it("hands the rows of a request to who asked for them", async () => {
    const pool = openPool([entry("a")]);
    pool.play("a", () => answer("hi"));
    const { attempts } = await modelOf(pool).chat(request({ traceId: "t", promptVersion: "p1" }));
    expect(attempts).toMatchObject([{ callId: "call-1", traceId: "t", promptVersion: "p1" }]);
    expect(await pool.broker.calls()).toEqual([]);
  });

  it("hides no bug: what is thrown for another reason goes up", async () => {
    const pool = openPool([entry("a")]);
    pool.play("a", () => {
      throw new TypeError("a bug");
    });
    await expect(modelOf(pool).chat(request())).rejects.toThrow("a bug");
  });
});
