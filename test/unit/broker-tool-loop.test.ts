import { describe, expect, it } from "vitest";
import { ProviderError, ToolLoopLimitError } from "../../src/model/broker/errors.ts";
import { runToolLoop } from "../../src/model/broker/tool-loop.ts";
import {
  answer,
  DOWN,
  entry,
  figures,
  HELLO,
  openPool,
  type PlayedPool,
  proposed,
  QUOTE,
} from "../support/model-pool.ts";

const tools = [QUOTE];
const a = entry("a");

/** Answers one after the other, the last one for ever. */
function script(pool: PlayedPool, ...outcomes: ReturnType<typeof answer>[]): void {
  let at = 0;
  pool.play("a", () => {
    const outcome = outcomes[Math.min(at, outcomes.length - 1)];
    at += 1;
    if (!outcome) throw new Error("nothing is scripted");
    return outcome;
  });
}

const calling = (...calls: ReturnType<typeof proposed>[]) => answer("", calls);
const results = (pool: PlayedPool) =>
  pool.asked.at(-1)?.request.messages.flatMap((one) => (one.role === "tool" ? [one] : []));

describe("a tool loop", () => {
  it("goes on until an answer has no calls; results follow in the order of their calls", async () => {
    const pool = openPool([a]);
    script(pool, calling(proposed("quote", { n: 1 }), proposed("quote", { n: 2 })), answer("Done"));
    let slow = () => {};
    const dispatch = {
      quote({ n }: { n?: unknown }) {
        if (n === 1) return new Promise((resolve) => (slow = () => resolve("one")));
        slow();
        return { n };
      },
    };
    const said = await runToolLoop(pool.broker, HELLO, { tools, dispatch });
    expect(said).toMatchObject({ text: "Done", cycles: 2, llmName: "a", callId: "call-2" });
    expect(said.messages).toEqual([
      ...HELLO,
      {
        ...{ role: "assistant", content: "" },
        toolCalls: [
          { id: "call_1_1", name: "quote", arguments: '{"n":1}' },
          { id: "call_1_2", name: "quote", arguments: '{"n":2}' },
        ],
      },
      { role: "tool", toolCallId: "call_1_1", content: "one" },
      { role: "tool", toolCallId: "call_1_2", content: '{"n":2}' },
      { role: "assistant", content: "Done" },
    ]);
  });

  it("has eight cycles unless told otherwise, and runs no tool in the last", async () => {
    const pool = openPool([a]);
    script(pool, calling(proposed("quote")));
    let runs = 0;
    const dispatch = {
      quote() {
        runs += 1;
        return "";
      },
    };
    const loop = runToolLoop(pool.broker, HELLO, { tools, dispatch });
    await expect(loop).rejects.toThrow(ToolLoopLimitError);
    expect([pool.asked.length, runs]).toEqual([8, 7]);
    const short = runToolLoop(pool.broker, HELLO, { tools, dispatch, maxCycles: 2 });
    await expect(short).rejects.toMatchObject({ maxCycles: 2 });
    expect([pool.asked.length, runs]).toEqual([10, 8]);
    const none = runToolLoop(pool.broker, HELLO, { tools, dispatch, maxCycles: 0 });
    await expect(none).rejects.toThrow(RangeError);
  });

  it("tells the model what failed, and lets it try again", async () => {
    const pool = openPool([a]);
    const calls = [
      proposed("quote"),
      proposed("nobody"),
      proposed("toString"),
      { ...proposed("quote"), arguments: "{oops" },
      { ...proposed("quote"), arguments: "[1]" },
    ];
    script(pool, calling(...calls), answer("Sorry"));
    const dispatch = {
      quote() {
        throw new Error("no rate");
      },
    };
    const said = await runToolLoop(pool.broker, HELLO, { tools, dispatch });
    expect(said).toMatchObject({ text: "Sorry", cycles: 2 });
    expect(results(pool)?.map(({ content }) => content)).toEqual([
      "Tool quote failed: no rate",
      "Unknown tool nobody",
      "Unknown tool toString",
      "Tool quote failed: the arguments are no JSON object",
      "Tool quote failed: the arguments are no JSON object",
    ]);
  });

  it.each([
    ["", {}],
    ["null", {}],
    ['{"n":1}', { n: 1 }],
  ])("takes the arguments %j for %j", async (given, args) => {
    const pool = openPool([a]);
    script(pool, calling({ ...proposed("quote"), arguments: given }), answer("ok"));
    const seen: unknown[] = [];
    await runToolLoop(pool.broker, HELLO, { tools, dispatch: { quote: (got) => seen.push(got) } });
    expect(seen).toEqual([args]);
  });

  it("runs no call of an answer that was cut off", async () => {
    const pool = openPool([a]);
    const cut = { kind: "answer" as const, text: "", calls: [proposed("quote")], cut: true };
    script(pool, { ...cut, journal: figures({ finishReason: "length" }) }, answer("ok"));
    const dispatch = { quote: () => expect.unreachable("it ran") };
    await runToolLoop(pool.broker, HELLO, { tools, dispatch });
    expect(results(pool)?.[0]?.content).toMatch(/^Tool quote failed: the answer was cut off/);
  });

  it.each([
    [undefined, "null"],
    [null, "null"],
    [7, "7"],
    ["words", "words"],
    [{ rate: "1.5" }, '{"rate":"1.5"}'],
  ])("gives a result of %j to the model as text", async (result, content) => {
    const pool = openPool([a]);
    script(pool, calling(proposed("quote")), answer("ok"));
    await runToolLoop(pool.broker, HELLO, { tools, dispatch: { quote: () => result } });
    expect(results(pool)?.[0]?.content).toBe(content);
  });

  it("a result that is no JSON is a failure of its tool", async () => {
    const pool = openPool([a]);
    script(pool, calling(proposed("quote")), answer("ok"));
    await runToolLoop(pool.broker, HELLO, { tools, dispatch: { quote: () => 1n } });
    expect(results(pool)?.[0]?.content).toMatch(/^Tool quote failed: /);
  });

  it("ties its rows by one trace; usage is that of the last call", async () => {
    const pool = openPool([a]);
    script(pool, calling(proposed("quote")), answer("ok"));
    const dispatch = { quote: () => "" };
    const said = await runToolLoop(pool.broker, HELLO, { tools, dispatch, operation: "reply" });
    const calls = await pool.broker.calls({ traceId: said.traceId });
    expect(calls.map(({ callId, hadToolCall }) => [callId, hadToolCall])).toEqual([
      ["call-2", false],
      ["call-1", true],
    ]);
    expect(said.usage.inputTokens).toBe(100);
    await pool.broker.recordQuality(1, { traceId: said.traceId });
    expect((await pool.broker.calls({ callId: "call-2" }))[0]?.score).toBe(1);
    const named = await runToolLoop(pool.broker, HELLO, { tools, dispatch, traceId: "mine" });
    expect(named.traceId).toBe("mine");
  });

  it("gives up between two calls when its caller does", async () => {
    const pool = openPool([a]);
    script(pool, calling(proposed("quote")));
    const giving = new AbortController();
    const dispatch = { quote: () => giving.abort(new Error("enough")) };
    const loop = runToolLoop(pool.broker, HELLO, { tools, dispatch, signal: giving.signal });
    await expect(loop).rejects.toThrow("enough");
    expect(pool.asked).toHaveLength(1);
  });
});

describe("a tool loop over one model", () => {
  it("has no failover, no journal, no name and no call id", async () => {
    const pool = openPool([a, entry("b")]);
    script(pool, calling(proposed("quote")), answer("ok"));
    const dispatch = { quote: () => "" };
    const said = await runToolLoop(pool.broker.direct("a"), HELLO, { tools, dispatch });
    expect(said.text).toBe("ok");
    expect(said).not.toHaveProperty("llmName");
    expect(said).not.toHaveProperty("callId");
    expect(await pool.broker.calls()).toEqual([]);
    pool.play("a", DOWN);
    const failing = runToolLoop(pool.broker.direct("a"), HELLO, { tools, dispatch });
    await expect(failing).rejects.toThrow(ProviderError);
    await expect(failing).rejects.toMatchObject({ status: 503 });
    await expect(pool.broker.direct("nobody").chat(HELLO)).rejects.toThrow(/no model is named/);
  });
});

describe("a tool loop over a scope, or anything else that answers", () => {
  it("writes the scope down", async () => {
    const pool = openPool([a]);
    await runToolLoop(pool.broker.forScope("anna"), HELLO, { tools, dispatch: {} });
    expect(await pool.broker.calls()).toMatchObject([{ scope: "anna" }]);
  });

  it("needs words and calls, and no more", async () => {
    const client = { chat: async () => ({ text: "Hi", toolCalls: [] }) };
    expect(await runToolLoop(client, HELLO, { dispatch: {} })).toMatchObject({ text: "Hi" });
  });
});
