import { describe, expect, test } from "vitest";
import { parseSlack } from "../../src/bot/slack/parse.ts";

const context = { channelId: "channel-1", botUserId: "U0BOT", now: 5_000 };

function event(fields: object, outer: object = {}) {
  return parseSlack(
    {
      type: "event_callback",
      event_id: "Ev1",
      team_id: "T1",
      event: {
        type: "message",
        channel: "D1",
        channel_type: "im",
        user: "U1",
        text: "hi &amp; bye",
        ts: "1790000002.000200",
        ...fields,
      },
      ...outer,
    },
    context,
  );
}

describe("a message", () => {
  test("is read with person, workspace and key", () => {
    expect(event({})?.event).toMatchObject({
      kind: "message",
      eventKey: "message:D1:1790000002.000200",
      externalId: "1790000002.000200",
      chatKind: "private",
      threadId: null,
      person: { id: "U1", teamId: "T1", isBot: false },
      sentAt: 1_790_000_002_000,
      text: "hi & bye",
    });
  });

  test("that passes a command on is a text and no command", () => {
    const attachments = [{ is_share: true, author_name: "Eve", text: "/stop payouts" }];
    const read = event({ text: "", attachments })?.event;
    expect(read).toMatchObject({
      kind: "message",
      text: "/stop payouts",
      media: [{ kind: "forward" }],
    });
    expect(read).not.toHaveProperty("slashWord");
    expect(event({ text: "/stop payouts" })?.event).not.toHaveProperty("slashWord");
  });

  test("of a shared channel belongs to the workspace we are installed in", () => {
    const outer = { authorizations: [{ team_id: "T9", user_id: "U0BOT" }] };
    expect(event({}, outer)?.event.person.teamId).toBe("T9");
  });

  test("with files keeps them", () => {
    const files = [{ id: "F1", name: "a.png", mimetype: "image/png", size: 3 }];
    expect(event({ subtype: "file_share", files })?.event).toMatchObject({
      media: [{ kind: "photo", fileId: "F1", fileName: "a.png", sizeBytes: 3 }],
    });
  });

  test("in a thread names the thread", () => {
    expect(event({ thread_ts: "1.2" })?.event).toMatchObject({ threadId: "1.2", replyToId: "1.2" });
  });

  test.each(["thread_broadcast", "me_message"])("of subtype %s is a person's turn", (subtype) => {
    expect(event({ subtype })).not.toBeNull();
  });

  test.each([
    [{ subtype: "message_changed" }],
    [{ subtype: "message_deleted" }],
    [{ subtype: "channel_join" }],
    [{ subtype: "bot_message", bot_id: "B2" }],
    [{ bot_id: "B2" }],
    [{ user: "U0BOT" }],
    [{ user: undefined }],
    [{ type: "app_mention" }],
  ])("is nothing to us when it is %j", (fields) => {
    expect(event(fields)).toBeNull();
  });
});

test.each([
  [{ type: "app_rate_limited", team_id: "T1" }],
  [{ type: "event_callback", event_id: "E", event: { type: "reaction_added" } }],
  [{ type: "view_submission", view: {} }],
  [null],
  ["text"],
  [{}],
])("the payload %j is nothing to us", (body) => {
  expect(parseSlack(body, context)).toBeNull();
});

test("a click without its message still carries everything", () => {
  const inbound = parseSlack(
    {
      type: "block_actions",
      user: { id: "U1", name: "olga", team_id: "T1" },
      trigger_id: "1.2.3",
      response_url: "https://hooks.slack.com/actions/1",
      channel: { id: "C1" },
      container: { type: "message", message_ts: "1.5", channel_id: "C1", is_ephemeral: true },
      actions: [{ type: "button", action_id: "approve#2", value: "a-2", action_ts: "2.0" }],
    },
    context,
  );
  expect(inbound).toMatchObject({
    triggerId: "1.2.3",
    responseUrl: "https://hooks.slack.com/actions/1",
    event: {
      kind: "click",
      eventKey: "click:1.2.3",
      chatId: "C1",
      chatKind: "group",
      messageId: "1.5",
      action: "approve",
      value: "a-2",
      person: { id: "U1", name: "olga" },
    },
  });
});
