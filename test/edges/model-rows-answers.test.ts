import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ChatMessage } from "../../src/domain/chat-model.ts";
import {
  answerOf,
  call,
  clientOf,
  delta,
  events,
  hear,
  MODES,
  request,
  startStream,
  stream,
} from "../support/model-endpoint.ts";
import { json, type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer();
});
beforeEach(() => server.seen.splice(0));
afterAll(() => server.close());

const sentMessages = (at = -1) => JSON.parse(String(server.seen.at(at)?.body)).messages;

describe.each(MODES)("an answer that is %s", (mode) => {
  it("row 12: announced calls that are not there leave the words", async () => {
    const outcome = await hear(server, mode, { message: { content: "Hi" }, finish: "tool_calls" });
    expect(answerOf(outcome)).toMatchObject({ text: "Hi", calls: [], cut: false });
  });

  it("row 12: announced calls and nothing else may be asked for again", async () => {
    const outcome = await hear(server, mode, { message: { content: "" }, finish: "tool_calls" });
    expect(outcome).toMatchObject({ kind: "failed", retryable: true, fault: "empty" });
  });

  it("row 14: of parts only text is for the client", async () => {
    const content = [
      { type: "thinking", thinking: [{ type: "text", text: "secret plan" }] },
      { type: "text", text: "Hello" },
      { type: "reference", reference_ids: [1] },
      { type: "text", text: ", Lea" },
    ];
    expect(answerOf(await hear(server, mode, { message: { content } })).text).toBe("Hello, Lea");
  });

  it.each([
    ["<think>a plan</think>\n\nHello", "Hello"],
    ["a plan</think>Hello", "Hello"],
  ])("row 14: thinking in the text is taken off: %s", async (content, text) => {
    expect(answerOf(await hear(server, mode, { message: { content } })).text).toBe(text);
  });

  it("row 14: thinking that never ended is no answer", async () => {
    const outcome = await hear(server, mode, { message: { content: "<think>a plan" } });
    expect(outcome).toMatchObject({ kind: "failed", fault: "empty" });
  });

  it("row 18: an id that came before is no key: calls keep their own order and place", async () => {
    const message = { tool_calls: [call({}, { id: "functions.quote:0" })] };
    const first = answerOf(await hear(server, mode, { message }));
    const again = (id: string): ChatMessage[] => [
      { role: "assistant", content: "", toolCalls: [{ id, name: "quote", arguments: "{}" }] },
      { role: "tool", toolCallId: id, content: "done" },
    ];
    const id = first.calls[0]?.providerId ?? "";
    await hear(server, mode, { message }, { messages: [...again(id), ...again(id)] });
    const sent = sentMessages();
    const ids = [sent[0].tool_calls[0].id, sent[2].tool_calls[0].id];
    expect(new Set(ids).size).toBe(2);
    expect([sent[1].tool_call_id, sent[3].tool_call_id]).toEqual(ids);
  });

  it.each(["reasoning_content", "reasoning"])(
    "row 30: %s is kept, not shown, and goes back to the same model",
    async (field) => {
      const message = { content: "Hi", [field]: "hmm", tool_calls: [call()] };
      const { text, reasoning } = answerOf(await hear(server, mode, { message }));
      expect([text, reasoning?.fields]).toEqual(["Hi", { [field]: "hmm" }]);
      const history: ChatMessage[] = [{ role: "assistant", content: text, reasoning }];
      await hear(server, mode, { message }, { messages: history });
      expect(sentMessages()).toEqual([{ role: "assistant", content: "Hi", [field]: "hmm" }]);
    },
  );

  it("row 30: another model's reasoning is not sent", async () => {
    const reasoning = { provider: "test", model: "large", fields: { reasoning_content: "hmm" } };
    const messages: ChatMessage[] = [{ role: "assistant", content: "Hi", reasoning }];
    await hear(server, mode, { message: { content: "x" } }, { messages });
    expect(sentMessages()).toEqual([{ role: "assistant", content: "Hi" }]);
  });

  it("row 30: a thought signature goes back with its call", async () => {
    const extra = { google: { thought_signature: "c2ln" } };
    const message = { tool_calls: [call({}, { extra_content: extra })] };
    const [proposed] = answerOf(await hear(server, mode, { message })).calls;
    expect(proposed?.extra).toEqual(extra);
    const toolCalls = [{ id: "a", name: "quote", arguments: "{}", extra: proposed?.extra }];
    const messages: ChatMessage[] = [{ role: "assistant", content: "", toolCalls }];
    await hear(server, mode, { message }, { messages });
    expect(sentMessages()[0].tool_calls[0].extra_content).toEqual(extra);
  });

  it.each([
    ["a refusal", { content: null, refusal: "I cannot help" }, "stop"],
    ["a refusal beside calls", { refusal: "I cannot", tool_calls: [call()] }, "stop"],
    ["an empty filtered answer", { content: "" }, "content_filter"],
  ])("row 31: %s runs nothing", async (_name, message, finish) => {
    const outcome = await hear(server, mode, { message, finish });
    expect(outcome).toMatchObject({ kind: "failed", fault: "refused" });
  });

  it("row 31: calls of a filtered answer do not run", async () => {
    const said = { message: { tool_calls: [call()] }, finish: "content_filter" };
    expect(answerOf(await hear(server, mode, said))).toMatchObject({ cut: true });
  });

  it.each([
    ["row 32: null", null, [null, null]],
    ["row 32: absent", undefined, [null, null]],
    ["row 32: negative", { prompt_tokens: -3, completion_tokens: 2 }, [null, 2]],
    ["row 32: sound", { prompt_tokens: 3, completion_tokens: 2 }, [3, 2]],
  ])("%s figures", async (_name, usage, figures) => {
    const { journal } = await hear(server, mode, { message: { content: "Hi" }, usage });
    expect([journal.inputTokens, journal.outputTokens]).toEqual(figures);
  });

  it.each(["end_turn", "sensitive", "eos", "STOP"])(
    "row 35: the finish reason %s is kept as it came",
    async (finish) => {
      const outcome = answerOf(await hear(server, mode, { message: { content: "Hi" }, finish }));
      expect([outcome.cut, outcome.journal.finishReason]).toEqual([false, finish]);
    },
  );

  it.each(["network_error", "insufficient_system_resource", "length"])(
    "row 35: %s cuts the answer",
    async (finish) => {
      const outcome = answerOf(await hear(server, mode, { message: { content: "Hi" }, finish }));
      expect([outcome.cut, outcome.journal.finishReason]).toEqual([true, finish]);
    },
  );
});

describe("bodies of status 200 that are no answer", () => {
  it.each([
    [{ error: { message: "busy", code: 503 } }, "unavailable", "error_body"],
    [{ error: { message: "slow down", code: "429" } }, "rate_limited", "error_body"],
    [{ error: { message: "x", code: "rate_limit_exceeded" } }, "rate_limited", "error_body"],
    [{ error: { message: "bad key", code: 401 } }, "access_denied", "error_body"],
    [{ error: { message: "x", type: "insufficient_quota" } }, "insufficient_funds", "quota"],
    [{ error: "something broke" }, "transient", "error_body"],
    [[{ error: { code: 404, message: "no such model" } }], "invalid_resource", "error_body"],
    [{ object: "error", message: "broken", code: 500 }, "transient", "error_body"],
    [{ id: "x" }, "transient", "unreadable"],
    [{ choices: [] }, "transient", "unreadable"],
    [{ choices: [{ finish_reason: "stop" }] }, "transient", "unreadable"],
    [
      { choices: [{ message: { content: "He" }, finish_reason: "error" }] },
      "transient",
      "error_body",
    ],
  ])("row 33: %j is %s", async (body, failure, fault) => {
    server.answer((_, response) => json(response, 200, body));
    expect(await clientOf(server).chat(request("whole"))).toMatchObject({
      ...{ kind: "failed", failure, fault },
    });
  });

  it("row 33: an error beside a choice ends a stream, too", async () => {
    const chunk = { choices: [{ index: 0, delta: {}, error: { message: "busy", code: 503 } }] };
    server.answer((_, response) => stream(response, chunk));
    expect(await clientOf(server).chat(request("streamed"))).toMatchObject({
      ...{ kind: "failed", failure: "unavailable" },
    });
  });
});

describe("streams that break off", () => {
  const error = { error: { message: "overloaded", code: 503 } };
  const calling = delta({ tool_calls: [{ index: 0, ...call() }] });

  it("row 34: an error before anything was said is its failure", async () => {
    server.answer((_, response) => stream(response, error));
    expect(await clientOf(server).chat(request("streamed"))).toMatchObject({
      ...{ kind: "failed", failure: "unavailable", retryable: true },
    });
  });

  it("row 34: an event of the name error is one, too", async () => {
    server.answer((_, response) => {
      startStream(response);
      response.end('event: error\ndata: {"message":"slow down","code":429}\n\n');
    });
    expect(await clientOf(server).chat(request("streamed"))).toMatchObject({
      ...{ kind: "failed", failure: "rate_limited" },
    });
  });

  it.each([
    ["an error", [error]],
    ["the end without a finish reason", []],
    ["[DONE] without a finish reason", ["[DONE]"]],
    ["a chunk that cannot be read", ["{oops", delta({}, "tool_calls"), "[DONE]"]],
  ])("row 34: after %s what was said is partial and runs nothing", async (_name, rest) => {
    server.answer((_, response) =>
      stream(response, delta({ content: "One moment" }), calling, ...rest),
    );
    const outcome = answerOf(await clientOf(server).chat(request("streamed")));
    expect(outcome).toMatchObject({ text: "One moment", calls: [{ name: "quote" }], cut: true });
    expect(outcome.journal.finishReason).toBeNull();
  });

  it("row 34: a lost connection after calls leaves them cut", async () => {
    server.answer((_, response) => {
      startStream(response);
      response.write(events(calling), () => response.destroy());
    });
    const outcome = answerOf(await clientOf(server).chat(request("streamed")));
    expect([outcome.calls.length, outcome.cut]).toEqual([1, true]);
  });

  it("row 34: a lost connection before anything was said is a failure of the network", async () => {
    server.answer((_, response) => {
      startStream(response);
      response.write(": hello\n\n", () => response.destroy());
    });
    expect(await clientOf(server).chat(request("streamed"))).toMatchObject({
      ...{ kind: "failed", failure: "network", fault: "unreachable" },
    });
  });

  it("row 32: figures may come early, late, as zeros, and without choices", async () => {
    const usage = { prompt_tokens: 9, completion_tokens: 4 };
    server.answer((_, response) =>
      stream(
        response,
        delta({ content: "Hi" }, null, { usage: { prompt_tokens: 9, completion_tokens: 1 } }),
        delta({}, "stop", { usage: null }),
        { choices: [], usage },
        { choices: [], usage: { prompt_tokens: 0, completion_tokens: 0 } },
        "[DONE]",
      ),
    );
    const { journal } = await clientOf(server).chat(request("streamed"));
    expect([journal.inputTokens, journal.outputTokens]).toEqual([9, 4]);
  });

  it("row +: an empty role in a piece says nothing", async () => {
    server.answer((_, response) =>
      stream(
        response,
        delta({ role: "assistant", content: "Hi" }),
        delta({ role: "", content: " Lea" }),
        delta({}, "stop"),
      ),
    );
    expect(answerOf(await clientOf(server).chat(request("streamed"))).text).toBe("Hi Lea");
  });
});

describe("row 19: ids on the wire", () => {
  it.each([
    ["any server", {}, /^[\w-]{1,40}$/],
    ["Mistral", { demands: { shortIds: true } }, /^[A-Za-z0-9]{9}$/],
  ])("have the form of %s", async (_name, over, form) => {
    server.answer((_, response) =>
      json(response, 200, { choices: [{ message: { content: "x" } }] }),
    );
    const id = `functions.quote:0 ${"x".repeat(80)}`;
    const messages: ChatMessage[] = [
      { role: "assistant", content: "", toolCalls: [{ id, name: "quote", arguments: "{}" }] },
      { role: "tool", toolCallId: id, content: "done" },
    ];
    await clientOf(server, over).chat(request("whole", { messages }));
    const [assistant, result] = sentMessages();
    expect(assistant.tool_calls[0].id).toMatch(form);
    expect(result).toEqual({
      ...{ role: "tool", tool_call_id: assistant.tool_calls[0].id, content: "done" },
    });
  });
});
