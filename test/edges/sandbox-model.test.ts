import OpenAI from "openai";
import type { ChatCompletionCreateParamsNonStreaming } from "openai/resources/chat/completions";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createModelPart } from "../../src/sandbox/model/part.ts";
import { openai } from "../support/model-chat.ts";
import { type PlayedPart, playPart } from "../support/sandbox-part.ts";

let model: PlayedPart;
let client: OpenAI;
beforeEach(async () => {
  model = await playPart(createModelPart);
  client = openai(model);
});
afterEach(() => model.close());

const tool = (name: string, parameters: Record<string, unknown> = { type: "object" }) => ({
  type: "function" as const,
  function: { name, parameters },
});
const quoteTool = tool("compute_exchange_quote");

function request(
  text: string,
  fields: Partial<ChatCompletionCreateParamsNonStreaming> = {},
): ChatCompletionCreateParamsNonStreaming {
  return {
    model: "sandbox-rules",
    messages: [{ role: "user", content: text }],
    tools: [quoteTool],
    ...fields,
  };
}

async function reply(text: string, fields: Partial<ChatCompletionCreateParamsNonStreaming> = {}) {
  const answer = await client.chat.completions.create(request(text, fields));
  return answer.choices[0];
}

describe("answers on the wire", () => {
  test("a call and a text have the shape of the real API and the model's own name", async () => {
    const answer = await client.chat.completions.create(request("2000 USDT TRC20"));
    expect(answer).toMatchObject({ object: "chat.completion", model: "sandbox-rules" });
    expect(answer.usage?.total_tokens).toBeGreaterThan(0);
    expect(answer.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: { role: "assistant", content: null },
    });
    const call = answer.choices[0]?.message.tool_calls?.[0];
    expect(call?.type === "function" && JSON.parse(call.function.arguments)).toEqual({
      asset: "USDT",
      amount: "2000",
      amountMode: "source_amount",
      network: "TRC20",
    });
    const hello = await reply("hello");
    expect(hello).toMatchObject({ finish_reason: "stop" });
    expect(hello?.message.content).toMatch(/^Hello!/);
  });

  test("a stream adds up to the same text, calls and usage", async () => {
    const text = await client.chat.completions
      .stream({ ...request("hello"), stream: true, stream_options: { include_usage: true } })
      .finalChatCompletion();
    expect(text.choices[0]?.message.content).toMatch(/^Hello!/);
    expect(text.usage?.completion_tokens).toBeGreaterThan(0);
    const called = await client.chat.completions
      .stream({ ...request("десять тысяч бат за рубли"), stream: true })
      .finalChatCompletion();
    const call = called.choices[0]?.message.tool_calls?.[0];
    expect(called.choices[0]?.finish_reason).toBe("tool_calls");
    expect(call?.type === "function" && JSON.parse(call.function.arguments)).toMatchObject({
      asset: "RUB",
      amount: "10000",
    });
  });

  test("only fields of the offered schema are sent", async () => {
    const schema = {
      type: "object",
      properties: {
        asset: { type: "string" },
        amount: { type: "string" },
        amountMode: { enum: ["target_amount"] },
      },
      additionalProperties: false,
    };
    const choice = await reply("2000 USDT TRC20", {
      tools: [tool("compute_exchange_quote", schema)],
    });
    const call = choice?.message.tool_calls?.[0];
    expect(call?.type === "function" && JSON.parse(call.function.arguments)).toEqual({
      asset: "USDT",
      amount: "2000",
    });
  });

  test("tool_choice none is obeyed", async () => {
    const choice = await reply("2000 USDT", { tool_choice: "none" });
    expect(choice?.message.tool_calls).toBeUndefined();
  });

  test("the models are listed", async () => {
    const names = (await client.models.list()).data.map((each) => each.id);
    expect(names).toEqual(["sandbox-rules", "sandbox-hash"]);
  });

  test("embeddings are the same for the same words, near for shared ones, base64 or numbers", async () => {
    const create = (encoding_format?: "float") =>
      client.embeddings.create({
        model: "sandbox-hash",
        input: ["Доставка курьером в отель", "доставку курьер привезёт", "opening hours"],
        encoding_format,
      });
    const [base64, float] = await Promise.all([create(), create("float")]);
    const [first = [], near = [], far = []] = float.data.map((each) => each.embedding);
    const cosine = (left: number[], right: number[]) =>
      left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0);
    expect(cosine(first, first)).toBeCloseTo(1);
    expect(cosine(first, near)).toBeGreaterThan(cosine(first, far) + 0.2);
    expect(base64.data[0]?.embedding[0]).toBeCloseTo(first[0] ?? 9, 5);
  });
});

describe("requests are checked like the real API does", () => {
  const calling = {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "c1", type: "function", function: { name: "x", arguments: "{}" } }],
  };
  const answer = { role: "tool", tool_call_id: "c1", content: "{}" };
  const user = { role: "user", content: "hi" };
  const objectArguments = {
    ...calling,
    tool_calls: [{ id: "c1", type: "function", function: { name: "x", arguments: {} } }],
  };

  test.each([
    ["an unanswered call", [user, calling, user]],
    ["a call without an answer at the end", [user, calling]],
    ["an answer to no call", [user, answer]],
    ["two answers to one call", [user, calling, answer, answer]],
    ["an answer behind another message", [user, calling, user, answer]],
    ["an unknown role", [{ role: "robot", content: "hi" }]],
    ["arguments that are no string", [user, objectArguments, answer]],
    ["an assistant message with nothing", [user, { role: "assistant", content: null }]],
    ["no message", []],
  ])("%s is a 400 invalid_request_error", async (_, messages) => {
    const failed = client.chat.completions.create({
      ...request(""),
      messages: messages as ChatCompletionCreateParamsNonStreaming["messages"],
    });
    await expect(failed).rejects.toMatchObject({ status: 400, type: "invalid_request_error" });
  });

  test("two tools of one name and a request without a key are refused", async () => {
    await expect(reply("hi", { tools: [quoteTool, quoteTool] })).rejects.toMatchObject({
      status: 400,
    });
    const answered = await fetch(`${model.env.OPENAI_BASE_URL}/models`);
    expect(answered.status).toBe(401);
  });
});

describe("the script", () => {
  const script = (steps: unknown[]) => model.control("/model/script", steps);

  test("steps are served in line to requests with tools, then the built-in model again", async () => {
    await script([{ content: "first" }, { content: "second" }]);
    expect((await reply("hello"))?.message.content).toBe("first");
    expect((await reply("hello", { tools: undefined }))?.message.content).toMatch(/^Hello!/);
    expect((await reply("hello"))?.message.content).toBe("second");
    expect((await reply("hello"))?.message.content).toMatch(/^Hello!/);
  });

  test("the guard's repair call takes a step, a summary never does", async () => {
    await script([{ content: "repaired" }]);
    const summary = await reply("2000 USDT", {
      tools: undefined,
      metadata: { operation: "summary" },
    });
    expect(summary?.message.content).toMatch(/2000 USDT/);
    const repair = await reply("x", { tools: undefined, metadata: { operation: "repair" } });
    expect(repair?.message.content).toBe("repaired");
  });

  test("a step with a match waits for its message and others pass it by", async () => {
    await script([{ content: "for A", match: { last_contains: "A" } }, { content: "for all" }]);
    expect((await reply("bbb"))?.message.content).toBe("for all");
    expect((await reply("only A"))?.message.content).toBe("for A");
  });

  test("calls go out as they are written, also when they are broken", async () => {
    await script([
      {
        tool_calls: [
          { name: "compute_exchange_quote", arguments: { asset: "BTC" } },
          { name: "x", arguments: "{broken" },
        ],
      },
    ]);
    const calls = (await reply("hello"))?.message.tool_calls?.map(
      (call) => call.type === "function" && call.function.arguments,
    );
    expect(calls).toEqual(['{"asset":"BTC"}', "{broken"]);
  });

  test("a status and a raw body are played as they are", async () => {
    await script([
      { status: 429 },
      { status: 503 },
      { raw: { choices: [{ message: { content: "raw" }, finish_reason: "odd" }] } },
      { raw: "not json", delay_ms: 1 },
    ]);
    await expect(reply("x")).rejects.toMatchObject({ status: 429, code: "rate_limit_exceeded" });
    await expect(reply("x")).rejects.toMatchObject({ status: 503 });
    expect(await reply("x")).toMatchObject({ finish_reason: "odd" });
    await expect(reply("x")).rejects.toThrow();
  });

  test("the rest of the script outlives the process, and an empty list clears it", async () => {
    await script([{ content: "one" }, { content: "two" }, { content: "three" }]);
    await reply("x");
    model = await model.restart();
    client = openai(model);
    expect((await reply("x"))?.message.content).toBe("two");
    await script([]);
    expect((await reply("hello"))?.message.content).toMatch(/^Hello!/);
    expect((await script([{ unknown: 1 }])).status).toBe(400);
  });

  test("requests are listed with what they carried", async () => {
    await script([{ content: "one" }]);
    await reply("scripted words");
    await reply("own words");
    const { body } = await model.control("/model/requests");
    expect(body).toMatchObject([
      { scripted: true, body: { messages: [{ content: "scripted words" }] } },
      { scripted: false, body: { messages: [{ content: "own words" }] } },
    ]);
  });

  test("faults come before everything", async () => {
    model.fault({ service: "model", kind: "status", status: 500, count: 1 });
    await expect(reply("hi")).rejects.toBeInstanceOf(OpenAI.InternalServerError);
    model.fault({ service: "model", kind: "down", count: 1 });
    await expect(reply("hi")).rejects.toBeInstanceOf(OpenAI.APIConnectionError);
    expect((await reply("hello"))?.message.content).toMatch(/^Hello!/);
  });
});

describe("calls beside the reply loop", () => {
  test("a repair says nothing with figures, links or claims", async () => {
    const quoted = [
      { role: "user", content: "2000 USDT" },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          {
            id: "c1",
            type: "function",
            function: { name: "compute_exchange_quote", arguments: "{}" },
          },
        ],
      },
      {
        role: "tool",
        tool_call_id: "c1",
        content:
          '{"ok":true,"data":{"asset":"USDT","amountFrom":"2000","amountTo":"62600","quoteAsset":"THB"}}',
      },
      { role: "assistant", content: "Deal at 33! Paid." },
      { role: "user", content: "Findings: unbacked_quote 33" },
    ] as ChatCompletionCreateParamsNonStreaming["messages"]; // written as the wire has them
    const answer = await client.chat.completions.create({
      model: "sandbox-rules",
      messages: quoted,
      metadata: { operation: "repair" },
    });
    const text = answer.choices[0]?.message.content ?? "";
    expect(text).not.toBe("");
    expect(text).not.toMatch(/\d|paid|finding/i);
  });

  test("a JSON answer has the asked shape", async () => {
    const schema = {
      type: "object",
      required: ["score", "notes"],
      properties: { score: { type: "integer" }, notes: { type: "array" } },
    };
    const choice = await reply("rate it", {
      tools: undefined,
      response_format: { type: "json_schema", json_schema: { name: "x", schema } },
    });
    expect(JSON.parse(choice?.message.content ?? "")).toEqual({ score: 0, notes: [] });
  });
});
