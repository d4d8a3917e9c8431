import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { verifySlackRequest } from "@slack/bolt";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Answer, openWorkspace, type SlackWorkspace } from "../support/slack-workspace.ts";

const signingSecret = "played-signing-secret";
let slack: SlackWorkspace;
let server: Server;
let received: { headers: Answer; body: string }[];
let reply: (body: string) => { status: number; text: string; headers?: Record<string, string> };

beforeEach(async () => {
  slack = await openWorkspace();
  received = [];
  reply = () => ({ status: 200, text: "" });
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      const { headers } = request;
      verifySlackRequest({ signingSecret, body, headers: headers as Answer });
      const { challenge } = body.startsWith("{") ? JSON.parse(body) : { challenge: undefined };
      if (challenge) return response.end(challenge);
      received.push({ headers, body });
      const answer = reply(body);
      return response.writeHead(answer.status, answer.headers).end(answer.text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`;
  const set = await slack.control("slack/request-url", { url, signing_secret: signingSecret });
  expect(set).toEqual({ verified: true });
});
afterEach(async () => {
  await slack.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test("with a request URL events come signed over HTTP, failed ones again with retry headers", async () => {
  let failures = 1;
  reply = () => ({ status: failures-- > 0 ? 500 : 200, text: "" });
  const { event_id } = await slack.control("slack/messages", {
    channel: "D0LEAD",
    user: "U0LEAD",
    text: "привет",
  });
  await vi.waitFor(() => expect(slack.waiting()).toEqual([]));
  expect(received.map(({ body }) => JSON.parse(body).event_id)).toEqual([event_id, event_id]);
  expect(received[0]?.headers["x-slack-retry-num"]).toBeUndefined();
  expect(received[1]?.headers).toMatchObject({
    "x-slack-retry-num": "1",
    "x-slack-retry-reason": "http_error",
  });
});

test("a click comes as a form, a command is answered by the body", async () => {
  reply = (body) => ({ status: 200, text: body.startsWith("payload=") ? "" : "5 tools" });
  const command = { channel: "C0OPERATORS", user: "U0BOB", command: "/tools", text: "a b" };
  const { answer } = await slack.control("slack/commands", command);
  expect(answer.text).toBe("5 tools");
  expect(new URLSearchParams(received[0]?.body).get("text")).toBe("a b");

  const button = { type: "button", text: { type: "plain_text", text: "Go" }, action_id: "go" };
  await slack.web.apiCall("chat.postMessage", {
    channel: "C0OPERATORS",
    blocks: [{ type: "actions", elements: [button] }],
  });
  const ts = (await slack.messages("C0OPERATORS")).at(-1).ts;
  const click = { channel: "C0OPERATORS", user: "U0BOB", ts, label: "Go", timeout_ms: 200 };
  await slack.control("slack/buttons", click);
  const form = received.map(({ body }) => new URLSearchParams(body).get("payload")).find(Boolean);
  expect(JSON.parse(form ?? "")).toMatchObject({ type: "block_actions", user: { id: "U0BOB" } });
});

const says = (text: string) =>
  slack.control("slack/messages", { channel: "D0LEAD", user: "U0LEAD", text });
const tries = () => received.map(({ headers }) => headers["x-slack-retry-num"] ?? "0");
const advance = (seconds: number) => slack.control("clock", { advance_s: seconds });

test("an event that is never taken comes at once again, after 1 and after 5 minutes, and no more", async () => {
  reply = () => ({ status: 503, text: "" });
  await says("hello");
  await vi.waitFor(() => expect(tries()).toEqual(["0", "1"]));
  await advance(60);
  await vi.waitFor(() => expect(tries()).toEqual(["0", "1", "2"]), 3000);
  await advance(300);
  await vi.waitFor(() => expect(tries()).toEqual(["0", "1", "2", "3"]), 3000);
  await vi.waitFor(() => expect(slack.waiting()).toEqual([]));
});

test("a server that wants no retry gets none", async () => {
  reply = () => ({ status: 500, text: "", headers: { "X-Slack-No-Retry": "1" } });
  await says("hello");
  await vi.waitFor(() => expect(slack.waiting()).toEqual([]));
  expect(tries()).toEqual(["0"]);
});

test("a click that is not taken is not delivered again", async () => {
  reply = () => ({ status: 500, text: "" });
  const { answer } = await slack.control("slack/commands", {
    ...{ channel: "C0OPERATORS", user: "U0BOB", command: "/tools", text: "", timeout_ms: 300 },
  });
  await vi.waitFor(() => expect(slack.waiting()).toEqual([]));
  expect(answer ?? null).toBeNull();
  expect(received).toHaveLength(1);
});

test("an event whose first try is lost comes with the second's headers", async () => {
  slack.fault({ kind: "lose_first", count: 1 });
  await says("hello");
  await vi.waitFor(() => expect(tries()).toEqual(["1"]), 6000);
  expect(received[0]?.headers["x-slack-retry-reason"]).toBe("http_timeout");
});
