import { describe, expect, it } from "vitest";
import type { ModelJournal } from "../../src/domain/chat-model.ts";
import { readAnswer } from "../../src/model/answer.ts";

function journal(): ModelJournal {
  return {
    ...{ provider: "default", modelId: "asked", inputTokens: null, outputTokens: null },
    ...{ finishReason: null, latencyMs: 1 },
  };
}

function read(message: object, more: { finish?: unknown; body?: object } = {}) {
  const choice = { index: 0, message, finish_reason: more.finish ?? "stop" };
  return readAnswer({ choices: [choice], ...more.body }, journal());
}

const call = (over: object = {}, fn: object = {}) => ({
  ...{ id: "c1", type: "function", function: { name: "quote", arguments: "{}", ...fn } },
  ...over,
});

describe("calls of an answer", () => {
  const shapes: [string, unknown, string][] = [
    ["text", '{"a":1}', '{"a":1}'],
    ["empty text", "", ""],
    ["null as text", "null", "null"],
    ["an object", { a: 1 }, '{"a":1}'],
    ["a list", [1], "[1]"],
    ["a number", 5, "5"],
    ["nothing", undefined, ""],
    ["joined objects", "{}{}", "{}{}"],
  ];
  it.each(shapes)("go on unparsed when the arguments are %s", (_name, given, text) => {
    const answer = read({ content: null, tool_calls: [call({}, { arguments: given })] });
    expect(answer).toMatchObject({ kind: "answer", calls: [{ name: "quote", arguments: text }] });
  });

  it("count whatever the finish reason says", () => {
    for (const finish of ["stop", "tool_calls", "end_turn", "sensitive", null]) {
      const answer = read({ content: null, tool_calls: [call()] }, { finish });
      expect(answer, String(finish)).toMatchObject({ kind: "answer", calls: [{}], cut: false });
    }
  });

  it("without an id, with an empty one, or with the same one twice are all kept in order", () => {
    const calls = [call({ id: undefined }), call({ id: "" }), call(), call({}, { name: "pay" })];
    const answer = read({ tool_calls: calls });
    if (answer.kind !== "answer") throw new Error(answer.error);
    expect(answer.calls.map((one) => `${one.name} ${one.providerId}`)).toEqual([
      "quote ",
      "quote ",
      "quote c1",
      "pay c1",
    ]);
  });

  it("without a type are functions", () => {
    const answer = read({ tool_calls: [call({ type: undefined })] });
    expect(answer).toMatchObject({ calls: [{ name: "quote" }] });
  });

  it("that are no calls are left out", () => {
    const answer = read({ content: "hi", tool_calls: [null, "x", {}, { function: 5 }] });
    expect(answer).toMatchObject({ kind: "answer", text: "hi", calls: [] });
  });

  it("of an answer that was cut by its length are marked", () => {
    const answer = read({ tool_calls: [call({}, { arguments: '{"a":2' })] }, { finish: "length" });
    expect(answer).toMatchObject({ kind: "answer", cut: true });
  });
});

describe("words of an answer", () => {
  it("may come in parts, of which only text is for the client", () => {
    const content = [
      { type: "thinking", thinking: "secret plan" },
      { type: "text", text: "Hello" },
      { type: "reference", reference_ids: [1] },
      { type: "text", text: ", Lea" },
    ];
    expect(read({ content })).toMatchObject({ kind: "answer", text: "Hello, Lea" });
  });

  it("never hold the model's reasoning", () => {
    const answer = read({ content: "Hi", reasoning_content: "hmm", reasoning: "hmm" });
    expect(answer).toMatchObject({ text: "Hi" });
    expect(JSON.stringify(answer)).not.toContain("hmm");
  });
});

describe("an answer that is none is a failure that may be tried again", () => {
  const bodies: [string, unknown][] = [
    ["no object", "<html>"],
    ["nothing", null],
    ["a list", []],
    ["no choices", { id: "x" }],
    ["empty choices", { choices: [] }],
    ["a choice without a message", { choices: [{ finish_reason: "stop" }] }],
    ["an error with status 200", { error: { message: "overloaded", code: 503 } }],
    ["neither words nor calls", { choices: [{ message: { content: null } }] }],
    [
      "calls announced and none there",
      { choices: [{ message: { content: "" }, finish_reason: "tool_calls" }] },
    ],
    [
      "a choice that broke off",
      { choices: [{ message: { content: "He" }, finish_reason: "error" }] },
    ],
    ["a refusal without content", { choices: [{ message: { refusal: "no", content: null } }] }],
  ];
  it.each(bodies)("%s", (_name, body) => {
    expect(readAnswer(body, journal())).toMatchObject({ kind: "failed", retryable: true });
  });
});

describe("the journal", () => {
  const usageOf = (usage: unknown) => {
    const { inputTokens, outputTokens } = read(
      { content: "hi" },
      { body: { usage } as object },
    ).journal;
    return [inputTokens, outputTokens];
  };
  it("takes usage where it makes sense", () => {
    expect(usageOf({ prompt_tokens: 5, completion_tokens: 2 })).toEqual([5, 2]);
    expect(usageOf(null)).toEqual([null, null]);
    expect(usageOf({ prompt_tokens: -1, completion_tokens: "2" })).toEqual([null, null]);
  });

  it("keeps the raw finish reason and the model that really answered", () => {
    const body = { model: "real-model-2" };
    const { journal: kept } = read({ content: "hi" }, { finish: "end_turn", body });
    expect(kept).toMatchObject({ finishReason: "end_turn", modelId: "real-model-2" });
    expect(read({ content: "hi" }, { finish: 5 }).journal.finishReason).toBeNull();
    expect(read({ content: "hi" }).journal.modelId).toBe("asked");
  });
});
