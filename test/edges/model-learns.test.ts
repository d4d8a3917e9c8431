import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ChatMessage } from "../../src/domain/chat-model.ts";
import {
  answerOf,
  type call,
  clientOf,
  MODES,
  request,
  stream,
} from "../support/model-endpoint.ts";
import { json, type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer();
});
beforeEach(() => server.seen.splice(0));
afterAll(() => server.close());

interface Sent {
  metadata?: unknown;
  stream_options?: unknown;
  messages: (Record<string, unknown> & { tool_calls?: ReturnType<typeof call>[] })[];
}
const sent = (): Sent[] => server.seen.map(({ body }) => JSON.parse(String(body)));
const spoken = { choices: [{ message: { content: "Hello" }, finish_reason: "stop" }] };

/** Refuses with `message` until the request is as the endpoint wants it. */
function refuse(isTaken: (request: Sent) => boolean, message: string, status = 400) {
  server.answer(({ body }, response) =>
    isTaken(JSON.parse(String(body)))
      ? json(response, 200, spoken)
      : json(response, status, { error: { message } }),
  );
}

const HISTORY: ChatMessage[] = [
  { role: "system", content: "be short" },
  { role: "user", content: "hi" },
  {
    ...{ role: "assistant", content: "" },
    toolCalls: ["one", "two"].map((id) => ({ id, name: "quote", arguments: "{}" })),
  },
  { role: "tool", toolCallId: "one", content: "1" },
  { role: "tool", toolCallId: "two", content: "2" },
  { role: "user", content: "and?" },
  { role: "system", content: "the order was paid" },
];

describe("what an endpoint refuses is not sent to it again", () => {
  const lessons: [string, string, (request: Sent) => boolean][] = [
    [
      "metadata",
      "The 'metadata' parameter is only allowed when 'store' is enabled.",
      ({ metadata }) => metadata === undefined,
    ],
    [
      "a missing reasoning_content",
      "The `reasoning_content` in the thinking mode must be passed back to the API.",
      ({ messages }) =>
        messages.every((one) => one.role !== "assistant" || one.reasoning_content === ""),
    ],
    [
      "a missing signature",
      "Function call is missing a thought_signature in functionCall parts.",
      ({ messages }) => JSON.stringify(messages).includes("skip_thought_signature_validator"),
    ],
    [
      "long ids of calls",
      "Tool call id was call_12 but must be a-z, A-Z, 0-9, with a length of 9.",
      ({ messages }) =>
        messages.flatMap((one) => one.tool_calls ?? []).every(({ id }) => id.length === 9),
    ],
    [
      "a system message in the middle",
      "System message must be at the beginning.",
      ({ messages }) => messages.findLastIndex(({ role }) => role === "system") === 0,
    ],
    [
      "roles that do not take turns",
      "Conversation roles must alternate user/assistant/user/assistant/...",
      ({ messages }) => messages.map(({ role }) => String(role)[0]).join("") === "suattau",
    ],
  ];
  it.each(lessons)("%s", async (_name, message, isTaken) => {
    refuse(isTaken, message);
    const client = clientOf(server);
    for (const _ of [1, 2])
      expect(answerOf(await client.chat(request("whole", { messages: HISTORY }))).text).toBe(
        "Hello",
      );
    expect(server.seen).toHaveLength(3);
  });

  it("the wish for figures of a stream", async () => {
    refuse(({ stream_options }) => !stream_options, "Unrecognized argument: stream_options");
    expect(answerOf(await clientOf(server).chat(request("streamed"))).text).toBe("Hello");
  });

  it("reasoning of its own, where it does not want it back", async () => {
    const fields = { reasoning_content: "hmm" };
    const reasoning = { provider: "test", model: "small", fields };
    const messages: ChatMessage[] = [{ role: "assistant", content: "Hi", reasoning }];
    refuse(
      (asked) => asked.messages.every((one) => !("reasoning_content" in one)),
      "property 'reasoning_content' is unsupported",
    );
    const outcome = await clientOf(server).chat(request("whole", { messages }));
    expect(answerOf(outcome).text).toBe("Hello");
  });

  it("learned by two calls at once, it helps both", async () => {
    refuse(({ metadata }) => metadata === undefined, "metadata is not supported");
    const client = clientOf(server);
    const both = await Promise.all([client.chat(request("whole")), client.chat(request("whole"))]);
    expect(both.map(({ kind }) => kind)).toEqual(["answer", "answer"]);
  });

  it("a refusal that does not end is a failure after few requests", async () => {
    refuse(() => false, "metadata, stream_options, reasoning_content is required, alternate");
    expect(await clientOf(server).chat(request("whole"))).toMatchObject({
      ...{ kind: "failed", failure: "schema_invalid", retryable: false, status: 400 },
    });
    expect(server.seen.length).toBeLessThanOrEqual(6);
  });
});

describe.each(MODES)("row +: a history that is too long (%s)", (mode) => {
  const turn = (name: string): ChatMessage[] => [
    { role: "user", content: `${name} ${"x".repeat(200)}` },
    { role: "assistant", content: "", toolCalls: [{ id: name, name: "quote", arguments: "{}" }] },
    { role: "tool", toolCallId: name, content: "y".repeat(200) },
    { role: "assistant", content: "done" },
  ];
  const messages: ChatMessage[] = [
    { role: "system", content: "be short" },
    ...["a", "b", "c", "d"].flatMap(turn),
    { role: "user", content: "now" },
  ];
  const refusals: [string, (response: ServerResponse) => void][] = [
    ["400", (response) => json(response, 400, overflow)],
    ["an error of status 200", (response) => json(response, 200, overflow)],
    ["an error in a stream", (response) => stream(response, overflow)],
  ];
  const overflow = { error: { code: "context_length_exceeded", message: "8192 tokens at most" } };

  /** Takes no more than so many messages. */
  function takes(most: number, refuseIt: (response: ServerResponse) => void) {
    server.answer(({ body }, response) =>
      JSON.parse(String(body)).messages.length > most
        ? refuseIt(response)
        : json(response, 200, spoken),
    );
  }

  it.each(refusals)("loses its oldest exchanges after %s", async (_name, refuseIt) => {
    takes(10, refuseIt);
    const outcome = answerOf(await clientOf(server).chat(request(mode, { messages })));
    expect([outcome.text, outcome.leftOut, server.seen.length]).toEqual(["Hello", 8, 2]);
    const kept = sent()[1]?.messages ?? [];
    expect(kept.map(({ role }) => String(role)[0]).join("")).toBe("suatauatau");
    expect(kept.at(-1)?.content).toBe("now");
  });

  it("loses all but the newest turn when half is still too long", async () => {
    takes(2, (response) => json(response, 400, overflow));
    const outcome = answerOf(await clientOf(server).chat(request(mode, { messages })));
    expect([outcome.leftOut, server.seen.length]).toEqual([16, 3]);
    expect(sent()[2]?.messages.map(({ content }) => content)).toEqual(["be short", "now"]);
  });

  it("is a failure of its own when the newest turn alone does not fit", async () => {
    takes(0, (response) => json(response, 400, overflow));
    expect(await clientOf(server).chat(request(mode, { messages }))).toMatchObject({
      ...{ kind: "failed", retryable: false, fault: "context_overflow", failure: "schema_invalid" },
    });
    expect(server.seen).toHaveLength(3);
  });

  it("is sent once when there is nothing to leave out", async () => {
    takes(0, (response) => json(response, 413, overflow));
    const alone = request(mode, { messages: [{ role: "user", content: "now" }] });
    expect(await clientOf(server).chat(alone)).toMatchObject({ fault: "context_overflow" });
    expect(server.seen).toHaveLength(1);
  });
});

it("each request is repaired: every call has one result", async () => {
  server.answer((_, response) => json(response, 200, spoken));
  const messages = HISTORY.filter((one) => one.role !== "tool" || one.toolCallId === "two");
  await clientOf(server).chat(request("whole", { messages }));
  const [, , assistant, first, second] = sent()[0]?.messages ?? [];
  const ids = assistant?.tool_calls?.map(({ id }) => id);
  expect([first?.tool_call_id, second?.tool_call_id]).toEqual(ids);
  expect([String(first?.content).startsWith("no result"), second?.content]).toEqual([true, "2"]);
});
