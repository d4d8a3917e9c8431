import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import { type Answer, openWorkspace, type SlackWorkspace } from "../support/slack-workspace.ts";

let slack: SlackWorkspace;
beforeEach(async () => {
  slack = await openWorkspace();
});
afterEach(() => slack.close());

/** A workspace that waits less for acknowledgements. */
async function hurry(reactionLimitMs: number): Promise<void> {
  await slack.close();
  slack = await openWorkspace({ reactionLimitMs });
}

test("a lead's message reaches the app and say() answers in the direct channel", async () => {
  await slack.connect((app) => {
    app.message(async ({ message, say }) => {
      await say(`You wrote: ${"text" in message ? message.text : ""}`);
    });
  });
  await slack.control("slack/messages", {
    channel: "D0LEAD",
    user: "U0LEAD",
    text: "fish & chips",
  });
  await vi.waitFor(async () => {
    const messages = await slack.messages("D0LEAD");
    expect(messages.map((m: Answer) => [m.user, m.text])).toEqual([
      ["U0LEAD", "fish & chips"],
      ["U0BOT", "You wrote: fish & chips"],
    ]);
  });
  await vi.waitFor(() => expect(slack.waiting()).toEqual([]));
});

test("events carry what Slack sends, the bot's own messages and edits among them", async () => {
  const bodies: Answer[] = [];
  await slack.connect((app) => {
    app.use(async ({ body, next }) => {
      bodies.push(body);
      await next();
    });
  });
  const { ts } = await slack.web.chat.postMessage({ channel: "C0OPERATORS", text: "Draft reply" });
  await slack.web.chat.update({ channel: "C0OPERATORS", ts: ts ?? "", text: "Approved" });
  await slack.control("slack/messages", {
    channel: "D0LEAD",
    user: "U0LEAD",
    text: "my invoice",
    files: [{ name: "invoice.pdf", mimetype: "application/pdf" }],
  });
  await vi.waitFor(() => expect(bodies).toHaveLength(2)); // ignoreSelf keeps the echo back
  const [changed, shared] = bodies;
  expect(changed.event).toMatchObject({
    subtype: "message_changed",
    message: { user: "U0BOT", bot_id: "B0BOT", text: "Approved", ts },
    previous_message: { text: "Draft reply" },
    hidden: true,
    channel_type: "channel",
  });
  expect(changed.event.user).toBeUndefined();
  expect(shared).toMatchObject({
    type: "event_callback",
    team_id: "T0SANDBOX",
    authorizations: [{ user_id: "U0BOT", is_bot: true }],
    event: { subtype: "file_share", channel_type: "im", text: "my invoice" },
  });
  const url = shared.event.files[0].url_private;
  const token = slack.sandbox.env().SLACK_BOT_TOKEN;
  const file = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
  expect(await file.text()).toContain("%PDF");
  const stranger = await fetch(url);
  expect(await stranger.text()).toContain("Sign in");
});

test("a mention in a channel gives a message and an app_mention with one ts", async () => {
  const events: Answer[] = [];
  await slack.connect((app) => {
    app.use(async ({ body }) => void events.push(body));
  });
  const text = "<@U0BOT> pause";
  await slack.control("slack/messages", { channel: "C0OPERATORS", user: "U0ALICE", text });
  await vi.waitFor(() => expect(events).toHaveLength(2));
  expect(events.map((body) => body.event.type).sort()).toEqual(["app_mention", "message"]);
  expect(events[0].event.ts).toBe(events[1].event.ts);
  expect(events[0].event_id).not.toBe(events[1].event_id);
});

test("reactions reach the app under their canonical names", async () => {
  const seen: string[] = [];
  await slack.connect((app) => {
    app.event("reaction_added", async ({ event }) => void seen.push(`+${event.reaction}`));
    app.event("reaction_removed", async ({ event }) => void seen.push(`-${event.reaction}`));
  });
  const { ts } = await slack.web.chat.postMessage({ channel: "C0REVIEW", text: "a reply" });
  const reaction = { channel: "C0REVIEW", user: "U0ALICE", ts };
  await slack.control("slack/reactions", { ...reaction, name: "thumbsup" });
  await slack.control("slack/reactions", { ...reaction, name: "-1::skin-tone-4" });
  await slack.control("slack/reactions", { ...reaction, name: "thumbsup", removed: true });
  await vi.waitFor(() => expect(seen).toEqual(["++1", "+-1::skin-tone-4", "-+1"]));
  const [message] = await slack.messages("C0REVIEW");
  expect(message.reactions).toEqual([{ name: "-1::skin-tone-4", users: ["U0ALICE"], count: 1 }]);
});

test("an event whose first delivery is lost comes again as a retry", async () => {
  await hurry(1000);
  const retries: Answer[] = [];
  await slack.connect((app) => {
    app.use(async ({ context }) => void retries.push([context.retryNum, context.retryReason]));
  });
  slack.fault({ kind: "lose_first", count: 1 });
  await slack.control("slack/messages", { channel: "D0LEAD", user: "U0LEAD", text: "hello" });
  await vi.waitFor(() => expect(retries).toEqual([[1, "timeout"]]), { timeout: 6000 });
}, 10_000);

test("an event can be delivered again with the same event_id", async () => {
  const ids: string[] = [];
  await slack.connect((app) => {
    app.use(async ({ body }) => void ids.push(String((body as Answer).event_id)));
  });
  const { event_id } = await slack.control("slack/messages", {
    channel: "D0LEAD",
    user: "U0LEAD",
    text: "hello",
  });
  await vi.waitFor(() => expect(ids).toEqual([event_id]));
  await slack.control("slack/redeliver", { event_id });
  await vi.waitFor(() => expect(ids).toEqual([event_id, event_id]));
});

test("events wait in the journal for a bot that comes after a restart", async () => {
  await slack.control("slack/messages", { channel: "D0LEAD", user: "U0LEAD", text: "anyone?" });
  expect(slack.waiting()).toEqual(["slack message in D0LEAD (not sent, not acknowledged)"]);
  slack = await slack.restart();
  expect(slack.waiting()).toHaveLength(1);
  const texts: string[] = [];
  await slack.connect((app) => {
    app.message(async ({ message }) => void texts.push("text" in message ? `${message.text}` : ""));
  });
  await vi.waitFor(() => expect(texts).toEqual(["anyone?"]));
  await vi.waitFor(() => expect(slack.waiting()).toEqual([]));
});

/** A bare Socket Mode client; it acknowledges nothing by itself. */
async function rawSocket(): Promise<{ socket: WebSocket; envelopes: Answer[] }> {
  const headers = { Authorization: `Bearer ${slack.sandbox.env().SLACK_APP_TOKEN}` };
  const api = `${slack.origin}/sandbox/slack/api/apps.connections.open`;
  const opened: Answer = await (await fetch(api, { method: "POST", headers })).json();
  const socket = new WebSocket(opened.url);
  const envelopes: Answer[] = [];
  socket.on("message", (data) => void envelopes.push(JSON.parse(String(data))));
  await vi.waitFor(() => expect(envelopes[0]?.type).toBe("hello"));
  return { socket, envelopes };
}

test("an event whose connection died before the acknowledgement comes in a new envelope", async () => {
  const first = await rawSocket();
  await slack.control("slack/messages", { channel: "D0LEAD", user: "U0LEAD", text: "hello" });
  await vi.waitFor(() => expect(first.envelopes).toHaveLength(2));
  first.socket.terminate();
  const second = await rawSocket();
  await vi.waitFor(() => expect(second.envelopes).toHaveLength(2));
  const [before, after] = [first.envelopes[1], second.envelopes[1]];
  expect(before).toMatchObject({ type: "events_api", retry_attempt: 0, retry_reason: "" });
  expect(after).toMatchObject({ type: "events_api", retry_attempt: 1 });
  expect(after.payload).toEqual(before.payload);
  expect(after.envelope_id).not.toBe(before.envelope_id);
  second.socket.send(JSON.stringify({ envelope_id: after.envelope_id, payload: {} }));
  await vi.waitFor(() => expect(slack.waiting()).toEqual([]));
});

test("an event nobody acknowledges is tried again after a minute and five of played time", async () => {
  await hurry(300);
  const { envelopes } = await rawSocket();
  await slack.control("slack/messages", { channel: "D0LEAD", user: "U0LEAD", text: "hello" });
  const tries = (count: number) =>
    vi.waitFor(() => expect(envelopes).toHaveLength(count + 1), { timeout: 5000 });
  const timedOut = async () => {
    const at = performance.now();
    await vi.waitFor(() => expect(performance.now() - at).toBeGreaterThan(400), 4000);
  };
  await tries(2);
  await timedOut();
  slack.clock.setOffset(slack.clock.offsetMs + 60_000);
  await tries(3);
  await timedOut();
  slack.clock.setOffset(slack.clock.offsetMs + 300_000);
  await tries(4);
  await vi.waitFor(() => expect(slack.waiting()).toEqual([]), { timeout: 5000 });
  expect(envelopes.slice(1).map((envelope) => envelope.retry_attempt)).toEqual([0, 1, 2, 3]);
}, 15_000);

test("a raw payload is delivered as it is, a bare event in its cover", async () => {
  const { envelopes } = await rawSocket();
  const limited = { type: "app_rate_limited", team_id: "T0SANDBOX", minute_rate_limited: 1 };
  await slack.control("slack/events", limited);
  const bare = { type: "message", subtype: "bot_message", channel: "C0REVIEW", ts: "1.000001" };
  await slack.control("slack/events", bare);
  await vi.waitFor(() => expect(envelopes).toHaveLength(3));
  expect(envelopes[1]).toMatchObject({ type: "events_api", payload: limited });
  expect(envelopes[2].payload).toMatchObject({ type: "event_callback", event: bare });
});

test("a ticket opens one connection", async () => {
  const { socket } = await rawSocket();
  const again = new WebSocket(socket.url);
  const refused = await new Promise((resolve) => again.once("error", resolve));
  expect(String(refused)).toContain("401");
});

test("a replayed journal gives the same messages", async () => {
  const channel = "C0REVIEW";
  const { ts } = await slack.web.chat.postMessage({ channel, text: "draft" });
  await slack.control("slack/messages", { channel, user: "U0ALICE", text: "no", thread_ts: ts });
  await slack.control("slack/reactions", { channel, user: "U0ALICE", ts, name: "eyes" });
  const before = await slack.messages(channel);
  slack = await slack.restart();
  expect(await slack.messages(channel)).toEqual(before);
  expect(before[1].thread_ts).toBe(ts);
});

test("each event goes to one of several connections", async () => {
  const counts = [0, 0];
  for (const index of [0, 1]) {
    await slack.connect((app) => {
      app.message(async () => {
        counts[index] = (counts[index] ?? 0) + 1;
      });
    });
  }
  for (const text of ["one", "two", "three", "four"]) {
    await slack.control("slack/messages", { channel: "D0LEAD", user: "U0LEAD", text });
  }
  await vi.waitFor(() => expect(counts).toEqual([2, 2]));
});
