import { describe, expect, it } from "vitest";
import type { ChatOutcome } from "../../src/domain/chat-model.ts";
import {
  EveryEndpointFailedError,
  NoModelAvailableError,
  ProviderError,
  StreamBrokenError,
} from "../../src/model/broker/errors.ts";
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

const names = (pool: { asked: { name: string }[] }) => pool.asked.map(({ name }) => name);
/** `first` is asked before `second` as long as both can be. */
const first = entry("first", { weight: 1_000 });
const second = entry("second", { weight: 0 });
const SURE = { random: () => 0 };
const caught = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable("it was answered"),
    (error: unknown) => error,
  );

describe("failover", () => {
  it.each([
    ["401", REJECTED],
    ["403", () => failure("access_denied", { status: 403 })],
    ["429", LIMITED()],
    ["503", DOWN],
    ["an empty 200", () => failure("transient", { fault: "empty" })],
    ["no connection", () => failure("network", { fault: "unreachable" })],
    ["a request that it refuses", REFUSED],
    ["a call that was written as text", () => failure("transient", { fault: "text_call" })],
  ])("goes to the next model after %s", async (_, outcome) => {
    const pool = openPool([first, second], SURE);
    pool.play("first", outcome);
    const said = await pool.broker.chat(HELLO, { traceId: "t" });
    expect(said).toMatchObject({ text: "second", llmName: "second" });
    const calls = await pool.broker.calls({ traceId: "t" });
    expect(calls.map(({ llmName, status, attempt }) => [llmName, status, attempt])).toEqual([
      ["second", "ok", 2],
      ["first", "failed", 1],
    ]);
    expect(calls[0]?.callId).toBe(said.callId);
  });

  it("never asks a cooling model, and asks it again when its pause is over", async () => {
    const pool = openPool([first, second], SURE);
    pool.play("first", LIMITED(20_000));
    await pool.broker.chat(HELLO);
    pool.play("first", () => answer("back"));
    pool.time.now += 19_999;
    expect((await pool.broker.chat(HELLO)).text).toBe("second");
    pool.time.now += 1;
    expect((await pool.broker.chat(HELLO)).text).toBe("back");
  });

  it("tells all attempts when every model failed, and when one comes back", async () => {
    const pool = openPool([first, second], SURE);
    pool.play("first", LIMITED(90_000));
    pool.play("second", REJECTED);
    const error = await caught(pool.broker.chat(HELLO, { wait: 0 }));
    expect(error).toBeInstanceOf(EveryEndpointFailedError);
    expect(error).toMatchObject({
      retryAt: 1_090_000,
      attempts: [
        { llmName: "first", httpStatus: 429, failure: "rate_limited" },
        { llmName: "second", httpStatus: 401, failure: "access_denied" },
      ],
    });
  });

  it("says that the request is at fault when each model refused it, and cools none", async () => {
    const pool = openPool([first, second], SURE);
    pool.play("first", REFUSED);
    pool.play("second", REFUSED);
    const error = await caught(pool.broker.chat(HELLO));
    expect(error).toBeInstanceOf(ProviderError);
    expect(error).toMatchObject({ status: 400, detail: "400 no such field", retryAt: null });
    const { models } = await pool.broker.snapshot();
    expect(models.map(({ cooldownUntil }) => cooldownUntil)).toEqual([null, null]);
  });
});

describe("waiting", () => {
  it("WAIT: the same call stands in line for the pause that was asked for", async () => {
    const pool = openPool([first]);
    let times = 0;
    pool.play("first", () => {
      times += 1;
      return times === 1 ? LIMITED(5_000)() : answer("at last");
    });
    expect((await pool.broker.chat(HELLO, { wait: 5_000 })).text).toBe("at last");
    expect(pool.time.now).toBe(1_005_000);
  });

  it("fails at once when nobody comes back in time", async () => {
    const pool = openPool([first]);
    pool.play("first", LIMITED(5_001));
    const error = await caught(pool.broker.chat(HELLO, { wait: 5_000 }));
    expect(error).toBeInstanceOf(EveryEndpointFailedError);
    expect(pool.time.now).toBe(1_000_000);
    const cooling = await caught(pool.broker.chat(HELLO, { wait: 0 }));
    expect(cooling).toBeInstanceOf(NoModelAvailableError);
    expect(cooling).toMatchObject({ reason: "all_cooling", retryAt: 1_005_001, attempts: [] });
    expect(pool.asked).toHaveLength(1);
  });

  it("of a model without a stand-in is short, as nobody else could answer meanwhile", async () => {
    const pool = openPool([first]);
    pool.play("first", DOWN);
    const error = await caught(pool.broker.chat(HELLO, { wait: 10_000 }));
    expect(error).toMatchObject({ attempts: { length: 6 } });
    expect(pool.time.now).toBe(1_010_000);
    pool.play("first", LIMITED(30_000));
    await caught(pool.broker.chat(HELLO, { wait: 10_000 }));
    const { models } = await pool.broker.snapshot();
    expect(models[0]?.cooldownUntil).toBe(1_042_000); // what the endpoint asks for is kept
  });

  it("is not stood for by who comes again by himself, but a place is waited for", async () => {
    const sleep = () => new Promise<void>((resolve) => setImmediate(resolve)); // time stands still
    const pool = openPool([entry("first", { parallel: 1 }), second], { sleep });
    pool.play("first", DOWN);
    pool.play("second", DOWN);
    const patience = { wait: 10_000, waitsForCooling: false };
    const error = await caught(pool.broker.chat(HELLO, patience));
    expect(error).toMatchObject({ attempts: { length: 2 }, retryAt: 1_002_000 });
    expect(pool.time.now).toBe(1_000_000);
    pool.time.now = 1_002_000;
    let free = (): void => {};
    pool.play(
      "first",
      () =>
        new Promise((resolve) => {
          free = () => resolve(answer("1"));
        }),
    );
    const exclude = ["second"];
    const one = pool.broker.chat(HELLO, { ...patience, exclude });
    const two = pool.broker.chat(HELLO, { ...patience, exclude });
    await expect.poll(() => pool.asked.length).toBe(3);
    pool.play("first", () => answer("2"));
    free();
    expect([(await one).text, (await two).text]).toEqual(["1", "2"]);
  });

  it("is for the whole call: pauses add up", async () => {
    const pool = openPool([first, second]);
    pool.play("first", DOWN);
    const options = { wait: 10_000, exclude: ["second"] };
    const error = await caught(pool.broker.chat(HELLO, options));
    // pauses of 2 and 4 s fit, one of 8 s more does not
    expect(error).toMatchObject({ attempts: { length: 3 } });
    expect(pool.time.now).toBe(1_006_000);
  });

  it.each([
    ["a rejected key", REJECTED],
    ["a used-up account", () => failure("insufficient_funds", { status: 429, fault: "quota" })],
    ["a wish for hours", LIMITED(7_200_000)],
  ])("STOP: %s is not waited for", async (_, outcome) => {
    const pool = openPool([first]);
    pool.play("first", outcome);
    const error = await caught(pool.broker.chat(HELLO, { wait: 100_000_000 }));
    expect(error).toBeInstanceOf(EveryEndpointFailedError);
    expect(pool.asked).toHaveLength(1);
    expect(pool.time.now).toBe(1_000_000);
  });

  it("a full model is waited for, and not with wait 0", async () => {
    const pool = openPool([entry("only", { parallel: 1 })]);
    let finish = (_: ChatOutcome) => {};
    pool.play("only", () => new Promise<ChatOutcome>((resolve) => (finish = resolve)));
    const busy = pool.broker.chat(HELLO);
    await expect.poll(() => pool.asked.length).toBe(1);
    const refused = await caught(pool.broker.chat(HELLO, { wait: 0 }));
    expect(refused).toMatchObject({ reason: "timeout", retryAt: null });
    const next = pool.broker.chat(HELLO, { wait: 1_000_000_000 });
    pool.play("only", () => answer("next"));
    finish(answer("done"));
    expect((await busy).text).toBe("done");
    expect((await next).text).toBe("next");
  });

  it("ends with the caller's own time", async () => {
    const pool = openPool([first]);
    pool.play("first", DOWN);
    const error = await caught(pool.broker.chat(HELLO, { timeoutMs: 1_500 }));
    expect(error).toBeInstanceOf(EveryEndpointFailedError);
    pool.play("first", () => {
      pool.time.now += 1_000;
      return failure("network", { fault: "unreachable" });
    });
    pool.time.now = 2_000_000;
    const late = await caught(pool.broker.chat(HELLO, { timeoutMs: 1_000 }));
    expect(late).toMatchObject({ reason: "timeout", attempts: { length: 1 } });
  });

  it("ends at the abort, which is neither success nor failure", async () => {
    const pool = openPool([first, second], SURE);
    const giving = new AbortController();
    pool.play("first", () => {
      giving.abort(new Error("a newer message came"));
      return failure("network", { fault: "aborted" });
    });
    const error = await caught(pool.broker.chat(HELLO, { signal: giving.signal }));
    expect(error).toMatchObject({ message: "a newer message came" });
    expect(names(pool)).toEqual(["first"]);
    expect(await pool.broker.calls()).toMatchObject([{ status: "superseded" }]);
    expect((await pool.broker.snapshot()).models[0]?.cooldownUntil).toBeNull();
  });
});

describe("time that was too short", () => {
  const timeout = () => failure("timeout", { fault: "timeout" });

  it("is no fault, but the model is no first choice for as tight a time until it answers", async () => {
    const pool = openPool([first, second], SURE);
    pool.play("first", timeout);
    const who = async (timeoutMs: number) => (await pool.broker.chat(HELLO, { timeoutMs })).text;
    expect(await who(3_000)).toBe("second");
    expect(pool.asked.map(({ request }) => request.timeoutMs)).toEqual([2_000, 3_000]);
    expect((await pool.broker.snapshot()).models[0]?.cooldownUntil).toBeNull();
    pool.play("first", () => answer("first"));
    expect(await who(3_000)).toBe("second");
    expect(await who(3_500)).toBe("second"); // what is left of a reply's time is never the same
    expect(await who(4_000)).toBe("first");
    expect(await who(3_000)).toBe("first");
  });

  it("of all that can be asked is the call's own end", async () => {
    const pool = openPool([first, second], SURE);
    pool.play("first", timeout);
    pool.play("second", timeout);
    const error = await caught(pool.broker.chat(HELLO, { timeoutMs: 3_000 }));
    expect(error).toMatchObject({ reason: "timeout", attempts: { length: 2 } });
  });

  it("is not half a minute: a model that is silent for so long cools, and leaves time for another", async () => {
    const pool = openPool([first, second], SURE);
    pool.play("first", timeout);
    expect((await pool.broker.chat(HELLO, { timeoutMs: 45_000 })).text).toBe("second");
    expect(pool.asked[0]?.request.timeoutMs).toBe(30_000);
    expect((await pool.broker.snapshot()).models[0]?.cooldownUntil).toBe(1_002_000);
    const patient = openPool([{ ...first, timeoutMs: 300_000 }, second], SURE);
    patient.play("first", timeout);
    await patient.broker.chat(HELLO, { timeoutMs: 45_000 });
    expect((await patient.broker.snapshot()).models[0]?.cooldownUntil).toBeNull();
  });

  it("an attempt's own limit is a fault: the model cools and another one is asked", async () => {
    const pool = openPool([{ ...first, timeoutMs: 2_000 }, second], SURE);
    pool.play("first", timeout);
    expect((await pool.broker.chat(HELLO, { timeoutMs: 9_000 })).text).toBe("second");
    expect(pool.asked[0]?.request.timeoutMs).toBe(2_000);
    expect((await pool.broker.snapshot()).models[0]?.cooldownUntil).toBe(1_002_000);
  });
});

describe("who can be asked", () => {
  it.each([
    ["empty_pool", [], {}],
    ["all_disabled", [entry("a", { enabled: false })], {}],
    ["excluded", [entry("a")], { exclude: ["a"] }],
    [
      "none_capable",
      [entry("a", { capabilities: { tools: false, streaming: true, jsonSchema: true } })],
      { tools: [QUOTE] },
    ],
    ["no_keys", [entry("a")], {}],
  ])("%s is an error of its own", async (reason, entries, options) => {
    const pool = openPool(entries, reason === "no_keys" ? { keys: () => null } : {});
    const error = await caught(pool.broker.chat(HELLO, options));
    expect(error).toBeInstanceOf(NoModelAvailableError);
    expect(error).toMatchObject({ reason, retryAt: null });
  });

  it("a model without tools gets no request with tools", async () => {
    const capabilities = { tools: false, streaming: true, jsonSchema: true };
    const pool = openPool([{ ...first, capabilities }, second], SURE);
    expect((await pool.broker.chat(HELLO, { tools: [QUOTE] })).text).toBe("second");
    expect((await pool.broker.chat(HELLO)).text).toBe("first");
  });

  it("one without streams comes last, is asked without, and says all at once", async () => {
    const capabilities = { tools: true, streaming: false, jsonSchema: true };
    const pool = openPool([{ ...first, capabilities }, second], SURE);
    const heard: string[] = [];
    const onDelta = (text: string) => heard.push(text);
    expect((await pool.broker.chat(HELLO, { onDelta })).text).toBe("second");
    pool.play("second", DOWN);
    expect((await pool.broker.chat(HELLO, { onDelta })).text).toBe("first");
    expect(pool.asked.at(-1)?.request.onDelta).toBeUndefined();
    expect(heard).toEqual(["first"]);
  });

  it("another list takes effect at the next call", async () => {
    let entries = [first];
    const pool = openPool([], { pool: () => entries });
    expect((await pool.broker.chat(HELLO)).text).toBe("first");
    entries = [second];
    expect((await pool.broker.chat(HELLO)).text).toBe("second");
  });

  it("fields of the catalog are below those of the caller", async () => {
    const paramsWithTools = { tool_choice: "auto", temperature: 0 };
    const pool = openPool([entry("a", { paramsWithTools })]);
    await pool.broker.chat(HELLO, { tools: [QUOTE], params: { temperature: 1 } });
    await pool.broker.chat(HELLO, { params: { seed: 1 } });
    await pool.broker.direct("a").chat(HELLO, { tools: [QUOTE] });
    expect(pool.asked.map(({ request }) => request.params)).toEqual([
      { tool_choice: "auto", temperature: 1 },
      { seed: 1 },
      { tool_choice: "auto", temperature: 0 },
    ]);
  });
});

describe("a stream", () => {
  const onDelta = () => {};

  it("fails over before its first words", async () => {
    const pool = openPool([first, second], SURE);
    pool.play("first", DOWN);
    expect((await pool.broker.chat(HELLO, { onDelta })).text).toBe("second");
  });

  it("is broken for good after them", async () => {
    const pool = openPool([first, second], SURE);
    pool.play("first", (request) => {
      request.onDelta?.("Half a ");
      return failure("network", { fault: "unreachable" });
    });
    const error = await caught(pool.broker.chat(HELLO, { onDelta }));
    expect(error).toBeInstanceOf(StreamBrokenError);
    expect(names(pool)).toEqual(["first"]);
    expect(await pool.broker.calls()).toMatchObject([{ llmName: "first", status: "failed" }]);
  });
});

describe("a row of the journal", () => {
  it("holds what was asked, what came and what it cost", async () => {
    const price = { input: "2", output: "8" };
    const pool = openPool([entry("a", { price })]);
    pool.play("a", () => answer("", [{ providerId: "x", name: "quote", arguments: "{}" }]));
    const named = { operation: "reply", traceId: "run-1", promptVersion: "p7" };
    const said = await pool.broker.chat(HELLO, { ...named, tools: [QUOTE] });
    expect(await pool.broker.calls({ callId: said.callId })).toEqual([
      {
        ...{ callId: said.callId, at: 1_000_000, llmName: "a", modelId: "played", ...named },
        ...{ scope: null, attempt: 1, status: "ok", finishReason: "stop", hadToolCall: true },
        ...{ cut: false, inputTokens: 100, outputTokens: 10, cost: "0.00028", latencyMs: 5 },
        ...{ failure: null, fault: null, httpStatus: null, error: null, score: null },
      },
    ]);
    expect(said.usage).toEqual({ inputTokens: 100, outputTokens: 10, cost: "0.00028" });
  });

  it("may go to the caller instead", async () => {
    const pool = openPool([first, second], SURE);
    pool.play("first", DOWN);
    const rows: string[] = [];
    await pool.broker.chat(HELLO, { onAttempt: ({ llmName }) => rows.push(llmName) });
    expect(rows).toEqual(["first", "second"]);
    expect(await pool.broker.calls()).toEqual([]);
  });

  it("that cannot be written costs nobody an answer", async () => {
    const lost = { record: () => Promise.reject(new Error("disk full")) };
    const pool = openPool([first]);
    Object.assign(pool.parts.journal, lost);
    expect((await pool.broker.chat(HELLO)).text).toBe("first");
    expect(pool.lines).toEqual(["error a model call could not be written down"]);
  });

  it("repeats no key that an endpoint repeats", async () => {
    const pool = openPool([first]);
    pool.play("first", (_, key) =>
      failure("access_denied", { status: 401, error: `401 bad key ${key}` }),
    );
    await caught(pool.broker.chat(HELLO));
    expect((await pool.broker.calls())[0]?.error).toBe("401 bad key [key]");
  });
});
