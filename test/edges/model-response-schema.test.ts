import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { ChatRequest } from "../../src/domain/chat-model.ts";
import { createChatClient } from "../../src/model/chat-client.ts";
import { json, type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer();
});
beforeEach(() => server.seen.splice(0));
afterAll(() => server.close());

const schema = { type: "object", properties: {}, required: [], additionalProperties: false };

const REQUEST: ChatRequest = {
  ...{ messages: [{ role: "user", content: "hi" }], tools: [], operation: "coach" },
  ...{ timeoutMs: 20_000, signal: new AbortController().signal },
};

function ask(
  request: ChatRequest = { ...REQUEST, responseSchema: { name: "coach_suggestion", schema } },
) {
  const client = createChatClient({
    ...{ provider: "test", baseUrl: `${server.url}/v1`, apiKey: "test", model: "small" },
    realNow: () => 0,
  });
  return client.chat(request);
}

const formats = () =>
  server.seen.map(({ body }) => JSON.parse(body.toString("utf8")).response_format);
const spoken = { choices: [{ message: { content: "{}" }, finish_reason: "stop" }] };

it("an answer by a schema is asked for as the API names it", async () => {
  server.answer((_, response) => json(response, 200, spoken));
  expect(await ask()).toMatchObject({ kind: "answer", text: "{}" });
  expect(formats()).toEqual([
    { type: "json_schema", json_schema: { name: "coach_suggestion", schema, strict: true } },
  ]);
});

it.each([400, 422, 501])("an endpoint that answers %i to it is asked without", async (status) => {
  server.answer(({ body }, response) =>
    body.includes("response_format")
      ? json(response, status, { error: { message: "response_format is not supported" } })
      : json(response, 200, spoken),
  );
  expect(await ask()).toMatchObject({ kind: "answer", text: "{}" });
  expect(formats()).toEqual([expect.anything(), undefined]);
});

it("what is refused either way is a failure, after two requests", async () => {
  server.answer((_, response) => json(response, 400, { error: { message: "too long" } }));
  expect(await ask()).toMatchObject({ kind: "failed" });
  expect(server.seen).toHaveLength(2);
});

it.each([401, 429, 500])("%i is no reason to ask without", async (status) => {
  server.answer((_, response) => json(response, status, { error: { message: "no" } }));
  expect(await ask()).toMatchObject({ kind: "failed" });
  expect(server.seen).toHaveLength(1);
});

it("a request without a schema says nothing of a format", async () => {
  server.answer((_, response) => json(response, 400, { error: { message: "no" } }));
  await ask(REQUEST);
  expect(formats()).toEqual([undefined]);
});
