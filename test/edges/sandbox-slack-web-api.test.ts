import { afterEach, beforeEach, expect, test } from "vitest";
import { openWorkspace, type SlackWorkspace } from "../support/slack-workspace.ts";

const channel = "C0OPERATORS";
let slack: SlackWorkspace;
beforeEach(async () => {
  slack = await openWorkspace();
});
afterEach(() => slack.close());

/** The error body of a call that must be refused. */
async function refusal(method: string, args: Record<string, unknown>): Promise<unknown> {
  try {
    await slack.web.apiCall(method, args);
  } catch (error) {
    return (error as { data?: unknown }).data;
  }
  throw new Error(`${method} was not refused`);
}

const section = (text: string) => ({ type: "section", text: { type: "mrkdwn", text } });
const button = (action_id: string) => ({
  type: "button",
  text: { type: "plain_text", text: "Go" },
  action_id,
});

test.each([
  ["auth.test", "wrong", { ok: false, error: "invalid_auth" }],
  ["auth.test", undefined, { ok: false, error: "not_authed" }],
  ["apps.connections.open", "bot", { ok: false, error: "not_allowed_token_type" }],
  ["chat.frobnicate", "bot", { ok: false, error: "unknown_method", req_method: "chat.frobnicate" }],
])("%s with the token %s is refused", async (method, token, body) => {
  const bearer = token === "bot" ? slack.sandbox.env().SLACK_BOT_TOKEN : token;
  const headers: Record<string, string> = bearer ? { Authorization: `Bearer ${bearer}` } : {};
  const answer = await fetch(`${slack.origin}/sandbox/slack/api/${method}`, {
    method: "POST",
    headers,
  });
  expect([answer.status, await answer.json()]).toEqual([200, body]);
});

test("a token may come as a form field, the arguments as JSON", async () => {
  const token = slack.sandbox.env().SLACK_BOT_TOKEN ?? "";
  const form = await fetch(`${slack.origin}/sandbox/slack/api/auth.test`, {
    method: "POST",
    body: new URLSearchParams({ token }),
  });
  expect(await form.json()).toMatchObject({ ok: true, user_id: "U0BOT", bot_id: "B0BOT" });
  const json = await fetch(`${slack.origin}/sandbox/slack/api/chat.postMessage`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json; charset=utf-8",
    },
    body: JSON.stringify({ channel, blocks: [section("hi")] }),
  });
  expect(await json.json()).toMatchObject({ ok: true, channel, message: { bot_id: "B0BOT" } });
});

test.each<[string, Record<string, unknown>, string]>([
  ["chat.postMessage", { channel: "C0NOWHERE", text: "x" }, "channel_not_found"],
  ["chat.postMessage", { channel, text: "  " }, "no_text"],
  ["chat.postMessage", { channel, text: "x", thread_ts: "17.3" }, "invalid_thread_ts"],
  ["chat.postMessage", { channel, text: "x", blocks: "[{" }, "invalid_blocks_format"],
  ["chat.postMessage", { channel, text: "x", metadata: "{}" }, "invalid_metadata_format"],
  [
    "chat.postMessage",
    { channel, blocks: Array(5).fill(section("a".repeat(2900))) },
    "msg_blocks_too_long",
  ],
  ["chat.update", { channel, ts: "1.000001", text: "x" }, "message_not_found"],
  ["chat.postEphemeral", { channel, user: "U0EVE", text: "x" }, "user_not_in_channel"],
  ["reactions.add", { channel, timestamp: "1.000001", name: "eyes" }, "message_not_found"],
  ["reactions.add", { channel, timestamp: "soon", name: "eyes" }, "bad_timestamp"],
  ["users.info", { user: "U0NOBODY" }, "user_not_found"],
  ["conversations.info", { channel: "C0NOWHERE" }, "channel_not_found"],
])("%s with %j says %s", async (method, args, error) => {
  expect(await refusal(method, args)).toMatchObject({ ok: false, error });
});

test.each<[string, unknown[], string]>([
  [
    "a long section",
    [section("a".repeat(3001))],
    "must be less than 3001 characters [json-pointer:/blocks/0/text/text]",
  ],
  [
    "an empty section",
    [section(" ")],
    "must be more than 0 characters [json-pointer:/blocks/0/text/text]",
  ],
  [
    "51 blocks",
    Array(51).fill({ type: "divider" }),
    "no more than 50 items allowed [json-pointer:/blocks]",
  ],
  [
    "an unknown block",
    [{ type: "sektion" }],
    "unsupported type: sektion [json-pointer:/blocks/0/type]",
  ],
  [
    "a long header",
    [{ type: "header", text: { type: "plain_text", text: "h".repeat(151) } }],
    "must be less than 151 characters [json-pointer:/blocks/0/text/text]",
  ],
  [
    "a missing field",
    [{ type: "header" }],
    "missing required field: text [json-pointer:/blocks/0]",
  ],
  [
    "an unknown field",
    [{ ...section("a"), colour: "red" }],
    "invalid additional property: colour [json-pointer:/blocks/0]",
  ],
  [
    "a long button",
    [
      {
        type: "actions",
        elements: [{ ...button("a"), text: { type: "plain_text", text: "b".repeat(76) } }],
      },
    ],
    "must be less than 76 characters [json-pointer:/blocks/0/elements/0/text/text]",
  ],
  [
    "a long value",
    [{ type: "actions", elements: [{ ...button("a"), value: "v".repeat(2001) }] }],
    "must be less than 2001 characters [json-pointer:/blocks/0/elements/0/value]",
  ],
  [
    "26 buttons",
    [{ type: "actions", elements: Array.from({ length: 26 }, (_, i) => button(`a${i}`)) }],
    "no more than 25 items allowed [json-pointer:/blocks/0/elements]",
  ],
  [
    "equal actions",
    [{ type: "actions", elements: [button("a"), button("a")] }],
    '`action_id` "a" already exists [json-pointer:/blocks/0/elements/1/action_id]',
  ],
  [
    "equal blocks",
    [
      { type: "divider", block_id: "x" },
      { type: "divider", block_id: "x" },
    ],
    '`block_id` "x" already exists [json-pointer:/blocks/1/block_id]',
  ],
])("%s is refused with the place", async (_name, blocks, message) => {
  expect(await refusal("chat.postMessage", { channel, text: "x", blocks })).toMatchObject({
    ok: false,
    error: "invalid_blocks",
    errors: [message],
    response_metadata: { messages: [`[ERROR] ${message}`] },
  });
});

test("a modal with a long title is refused before its trigger is looked at", async () => {
  const title = { type: "plain_text", text: "a title that is far too long" };
  const view = { type: "modal", title, blocks: [section("a")] };
  expect(await refusal("views.open", { trigger_id: "1.2.3", view })).toMatchObject({
    error: "invalid_arguments",
    response_metadata: {
      messages: ["[ERROR] must be less than 25 characters [json-pointer:/view/title/text]"],
    },
  });
});

test("an edit keeps to 4000 characters and to the bot's own messages", async () => {
  const { ts } = await slack.web.chat.postMessage({ channel, text: "a".repeat(5000) });
  expect(await refusal("chat.update", { channel, ts, text: "a".repeat(4001) })).toEqual({
    ok: false,
    error: "msg_too_long",
    response_metadata: expect.anything(),
  });
  const theirs = await slack.control("slack/messages", { channel, user: "U0ALICE", text: "mine" });
  const edit = await refusal("chat.update", { channel, ts: theirs.ts, text: "yours" });
  expect(edit).toMatchObject({ error: "cant_update_message" });
});

test("an edit without blocks takes the buttons away", async () => {
  const blocks = [section("Approve?"), { type: "actions", elements: [button("approve")] }];
  await slack.web.apiCall("chat.postMessage", { channel, text: "Approve?", blocks });
  const [{ ts }] = await slack.messages(channel);
  await slack.web.apiCall("chat.update", { channel, ts, text: "Approved" });
  const [message] = await slack.messages(channel);
  expect([message.text, message.buttons, message.edited]).toEqual(["Approved", [], true]);
});

test("the bot finds its message again by metadata after a lost answer", async () => {
  slack.fault({ kind: "drop_response_after_effect", count: 1 });
  const metadata = { event_type: "outbox", event_payload: { outbox_id: "o-1" } };
  const send = slack.web.chat.postMessage({ channel, text: "once", metadata });
  await expect(send).rejects.toThrow();
  const page = await slack.web.conversations.history({ channel, include_all_metadata: true });
  expect(page.messages).toMatchObject([{ text: "once", metadata }]);
  const bare = await slack.web.conversations.history({ channel });
  expect(bare.messages?.[0]?.metadata).toBeUndefined();
});

test("history shows the channel, replies the thread", async () => {
  const { ts } = await slack.web.chat.postMessage({ channel, text: "root" });
  await slack.web.chat.postMessage({ channel, text: "answer", thread_ts: ts });
  await slack.web.chat.postMessage({ channel, text: "next" });
  await slack.web.chat.postEphemeral({ channel, user: "U0ALICE", text: "psst" });
  const history = await slack.web.conversations.history({ channel, limit: 1 });
  expect(history.messages?.map((m) => m.text)).toEqual(["next"]);
  const cursor = history.response_metadata?.next_cursor;
  const rest = await slack.web.conversations.history({ channel, cursor });
  expect(rest.messages).toMatchObject([{ text: "root", reply_count: 1, thread_ts: ts }]);
  const replies = await slack.web.conversations.replies({ channel, ts: ts ?? "" });
  expect(replies.messages?.map((m) => m.text)).toEqual(["root", "answer"]);
});

test("a reply to a deleted message lands in the channel, without thread_ts", async () => {
  const { ts } = await slack.web.chat.postMessage({ channel, text: "root" });
  await slack.web.chat.delete({ channel, ts: ts ?? "" });
  const reply = await slack.web.chat.postMessage({ channel, text: "late", thread_ts: ts });
  expect(reply.message?.thread_ts).toBeUndefined();
});

test("a person's id stands for the direct channel with them", async () => {
  const { channel: direct } = await slack.web.chat.postMessage({ channel: "U0ALICE", text: "hi" });
  expect(direct).toBe("D0ALICE");
  const opened = await slack.web.conversations.open({ users: "U0LEAD" });
  expect(opened.channel?.id).toBe("D0LEAD");
});

test("a full 429 carries Retry-After, and polling does not use it up", async () => {
  slack.fault({ kind: "status", status: 429, retry_after: 7, count: 1 });
  expect((await slack.web.auth.test()).ok).toBe(true);
  const send = slack.web.chat.postMessage({ channel, text: "x" });
  await expect(send).rejects.toMatchObject({ retryAfter: 7 });
  expect((await slack.web.chat.postMessage({ channel, text: "x" })).ok).toBe(true);
});

test("what people read shows names, links and block texts, and whom it calls", async () => {
  await slack.web.apiCall("chat.postMessage", {
    channel,
    text: "Draft",
    blocks: [
      { type: "header", text: { type: "plain_text", text: "Draft" } },
      section("*Client* <@U0LEAD> wrote: 5 &lt; 6 `code` <https://a.test|page> <!channel>"),
      {
        type: "section",
        fields: [
          { type: "mrkdwn", text: "_a_" },
          { type: "plain_text", text: "*b*" },
        ],
      },
      { type: "context", elements: [{ type: "mrkdwn", text: "create_exchange_order" }] },
    ],
  });
  const [message] = await slack.messages(channel);
  expect(message.text).toBe(
    "Draft\nClient @Lead wrote: 5 < 6 code page @channel\na\n*b*\ncreate_exchange_order",
  );
  expect(message.pings.sort()).toEqual(["!channel", "@U0LEAD"]);
});

test("ids and times go on after a reset, and the messages are gone", async () => {
  const before = await slack.web.chat.postMessage({ channel, text: "old" });
  slack.sandbox.world.journal.append("world.reset", {});
  expect(await slack.messages(channel)).toEqual([]);
  expect(slack.waiting()).toEqual([]);
  const after = await slack.web.chat.postMessage({ channel, text: "new" });
  expect(Number(after.ts)).toBeGreaterThan(Number(before.ts));
});
