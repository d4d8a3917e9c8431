import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Answer, openWorkspace, type SlackWorkspace } from "../support/slack-workspace.ts";

const OPERATORS = "C0OPERATORS";
let slack: SlackWorkspace;
beforeEach(async () => {
  slack = await openWorkspace();
});
afterEach(() => slack.close());

/** A workspace that waits less for acknowledgements and forms. */
async function hurry(reactionLimitMs: number): Promise<void> {
  await slack.close();
  slack = await openWorkspace({ reactionLimitMs });
}

const plain = (text: string) => ({ type: "plain_text" as const, text });
const button = (label: string, action_id: string) => ({
  type: "button" as const,
  text: plain(label),
  action_id,
  value: "A-17",
});
const card = (...labels: string[]) => [
  { type: "section" as const, text: { type: "mrkdwn" as const, text: "*Payout* of 62600 THB" } },
  ...(labels.length > 0
    ? [{ type: "actions" as const, elements: labels.map((l) => button(l, l.toLowerCase())) }]
    : []),
];
const reasonForm = {
  type: "modal" as const,
  callback_id: "reason",
  private_metadata: "A-17",
  title: plain("Reject"),
  submit: plain("Send"),
  blocks: [
    {
      type: "input" as const,
      block_id: "why",
      label: plain("Reason"),
      element: { type: "plain_text_input" as const, action_id: "text" },
    },
    {
      type: "input" as const,
      block_id: "kind",
      optional: true,
      label: plain("Kind"),
      element: {
        type: "static_select" as const,
        action_id: "pick",
        options: [{ text: plain("Wrong price"), value: "price" }],
      },
    },
  ],
};

async function postCard(...labels: string[]): Promise<string> {
  const text = "Payout of 62600 THB";
  const posted = await slack.web.chat.postMessage({
    channel: OPERATORS,
    text,
    blocks: card(...labels),
  });
  return posted.ts ?? "";
}

function click(ts: string, label: string, user = "U0ALICE"): Promise<Answer> {
  return slack.control("slack/buttons", { channel: OPERATORS, user, ts, label });
}

test("a click is acknowledged and answered privately", async () => {
  const clicks: Answer[] = [];
  await slack.connect((app) => {
    app.action("approve", async ({ ack, body, respond }) => {
      await ack();
      clicks.push(body);
      await respond({
        response_type: "ephemeral",
        replace_original: false,
        text: "You approved A-17",
      });
    });
  });
  const ts = await postCard("Approve", "Reject");
  const result = await click(ts, "Approve");
  expect(result.answer).toMatchObject({ text: "You approved A-17", ephemeral_for: "U0ALICE" });
  expect(result.responses).toHaveLength(1);
  expect(clicks[0]).toMatchObject({
    type: "block_actions",
    user: { id: "U0ALICE", name: "alice" },
    container: { type: "message", message_ts: ts, channel_id: OPERATORS, is_ephemeral: false },
    message: { ts, bot_id: "B0BOT" },
    actions: [{ action_id: "approve", value: "A-17", type: "button" }],
  });
  const [shown, answer] = await slack.messages(OPERATORS);
  expect(shown.text).toBe("Payout of 62600 THB");
  expect(shown.buttons).toMatchObject([
    { label: "Approve", action_id: "approve", value: "A-17" },
    { label: "Reject", action_id: "reject", value: "A-17" },
  ]);
  expect(answer.ephemeral_for).toBe("U0ALICE");
});

test("a button that was taken off the card can still be pressed from an old screen", async () => {
  await slack.connect((app) => {
    app.action("approve", async ({ ack, respond }) => {
      await ack();
      await respond("Already decided by Bob");
    });
  });
  const ts = await postCard("Approve");
  await slack.web.chat.update({ channel: OPERATORS, ts, text: "Approved by Bob", blocks: card() });
  expect((await slack.messages(OPERATORS))[0].buttons).toEqual([]);
  const result = await click(ts, "Approve", "U0EVE");
  expect(result.answer.text).toBe("Already decided by Bob");
});

test("a label the message never had is answered with nothing", async () => {
  const ts = await postCard("Approve");
  expect(await click(ts, "Pay")).toEqual({ answer: null, responses: [], error: "no_such_button" });
});

test("a click nobody takes is answered with nothing and does not keep the world busy", async () => {
  await hurry(500);
  await slack.connect((app) => app.action("approve", async () => {}));
  const ts = await postCard("Approve");
  const body = { channel: OPERATORS, user: "U0ALICE", ts, action_id: "approve", timeout_ms: 100 };
  expect(await slack.control("slack/buttons", body)).toEqual({ answer: null, responses: [] });
  expect(slack.waiting()).toHaveLength(1);
  await vi.waitFor(() => expect(slack.waiting()).toEqual([]), { timeout: 5000 });
}, 10_000);

test("the first click after a restart works", async () => {
  const ts = await postCard("Approve");
  slack = await slack.restart();
  await slack.connect((app) => {
    app.action("approve", async ({ ack, respond }) => {
      await ack();
      await respond({ replace_original: true, text: "Done" });
    });
  });
  const result = await click(ts, "Approve");
  expect(result.answer).toMatchObject({ ts, text: "Done", replace_original: true, buttons: [] });
});

test("two people who press at once each get their own answer", async () => {
  let decidedBy: string | undefined;
  await slack.connect((app) => {
    app.action(/./, async ({ ack, body, respond }) => {
      await ack();
      const first = decidedBy === undefined;
      decidedBy ??= body.user.id;
      await respond(first ? "You decided" : `<@${decidedBy}> was faster`);
    });
  });
  const ts = await postCard("Approve", "Reject");
  const results = await Promise.all([click(ts, "Approve"), click(ts, "Reject", "U0BOB")]);
  expect(results.map(({ answer }) => answer.ephemeral_for)).toEqual(["U0ALICE", "U0BOB"]);
  expect(results.map(({ answer }) => answer.text)).toEqual(["You decided", "@Alice was faster"]);
});

test("a private question with buttons is pressed and replaced", async () => {
  await slack.connect((app) => {
    app.action("keep", async ({ ack, body, respond }) => {
      await ack();
      expect("message" in body).toBe(false);
      await respond({ replace_original: true, text: "Kept as a note" });
    });
  });
  const question = { channel: OPERATORS, user: "U0ALICE", text: "Send?", blocks: card("Keep") };
  const { message_ts } = await slack.web.chat.postEphemeral(question);
  const { answer } = await click(message_ts ?? "", "Keep");
  expect(answer).toMatchObject({
    ts: message_ts,
    text: "Kept as a note",
    ephemeral_for: "U0ALICE",
  });
});

test("a modal opens on the click's trigger and its submission is checked by the app", async () => {
  const submissions: Answer[] = [];
  await slack.connect((app) => {
    app.action("reject", async ({ ack, body, client }) => {
      await ack();
      const trigger_id = "trigger_id" in body ? String(body.trigger_id) : "";
      await client.views.open({ trigger_id, view: reasonForm });
    });
    app.view("reason", async ({ ack, view }) => {
      submissions.push(view);
      const reason = view.state.values.why?.text?.value ?? "";
      if (reason.length < 5) {
        await ack({ response_action: "errors", errors: { why: "Say more" } });
        return;
      }
      await ack();
    });
  });
  const ts = await postCard("Reject");
  const { view, answer } = await click(ts, "Reject");
  expect(answer).toBeNull();
  expect(view).toMatchObject({ title: "Reject", inputs: [{ label: "Reason" }, { label: "Kind" }] });
  const submit = (values: unknown) =>
    slack.control(`slack/views/${view.id}/submit`, { user: "U0ALICE", values });

  expect(await submit({})).toEqual({
    result: "errors",
    errors: { Reason: "Please complete this required field." },
  });
  expect(submissions).toHaveLength(0);
  expect(await submit({ Reason: "no" })).toEqual({
    result: "errors",
    errors: { Reason: "Say more" },
  });
  expect(await slack.control("slack/views")).toMatchObject([{ errors: { Reason: "Say more" } }]);
  expect(await submit({ Reason: "wrong price", Kind: "Wrong price" })).toEqual({
    result: "closed",
  });
  expect(submissions.at(-1)).toMatchObject({
    private_metadata: "A-17",
    state: { values: { kind: { pick: { selected_option: { value: "price" } } } } },
  });
  expect(await slack.control("slack/views")).toEqual([]);
});

test("a submission may be answered with another view", async () => {
  const sent = { ...reasonForm, title: plain("Thanks"), blocks: card() };
  await slack.connect((app) => {
    app.command("/form", async ({ ack, body, client }) => {
      await ack();
      await client.views.open({ trigger_id: body.trigger_id, view: reasonForm });
    });
    app.view("reason", async ({ ack }) => ack({ response_action: "update", view: sent }));
  });
  const opened = await slack.control("slack/commands", {
    channel: OPERATORS,
    user: "U0ALICE",
    command: "/form",
    text: "",
  });
  const result = await slack.control(`slack/views/${opened.view.id}/submit`, {
    user: "U0ALICE",
    values: { Reason: "because" },
  });
  expect(result).toMatchObject({ result: "update", view: { id: opened.view.id, title: "Thanks" } });
});

test("a trigger opens one view, and only for a moment", async () => {
  await hurry(1000);
  const triggers: string[] = [];
  await slack.connect((app) => {
    app.action(/./, async ({ ack, body, respond }) => {
      await ack();
      triggers.push("trigger_id" in body ? String(body.trigger_id) : "");
      await respond("seen");
    });
  });
  const ts = await postCard("Reject");
  await click(ts, "Reject");
  const open = (trigger_id: string) => slack.web.views.open({ trigger_id, view: reasonForm });
  expect((await open(triggers[0] ?? "")).ok).toBe(true);
  await expect(open(triggers[0] ?? "")).rejects.toThrow("exchanged_trigger_id");
  await expect(open("1.2.3")).rejects.toThrow("invalid_trigger_id");

  await click(ts, "Reject");
  const clickedAt = performance.now();
  await vi.waitFor(() => expect(performance.now() - clickedAt).toBeGreaterThan(1000), 5000);
  await expect(open(triggers[1] ?? "")).rejects.toThrow("expired_trigger_id");
}, 15_000);

test("a view is updated by the hash it has, and refused by an old one", async () => {
  let view: Answer;
  await slack.connect((app) => {
    app.action("reject", async ({ ack, body, client }) => {
      await ack();
      const trigger_id = "trigger_id" in body ? String(body.trigger_id) : "";
      view = (await client.views.open({ trigger_id, view: reasonForm })).view;
    });
  });
  await click(await postCard("Reject"), "Reject");
  await vi.waitFor(() => expect(view).toBeDefined());
  const { id: view_id, hash } = view;
  await slack.web.views.update({ view_id, hash, view: reasonForm });
  const again = slack.web.views.update({ view_id, hash, view: reasonForm });
  await expect(again).rejects.toThrow("hash_conflict");
});

test("a command is answered by its acknowledgement or its response_url", async () => {
  const seen: Answer[] = [];
  await slack.connect((app) => {
    app.command("/tools", async ({ ack, body }) => {
      seen.push(body);
      await ack("5 tools");
    });
    app.command("/rates", async ({ ack, respond }) => {
      await ack();
      await respond("31.3");
    });
  });
  const command = { channel: OPERATORS, user: "U0BOB" };
  const tools = await slack.control("slack/commands", {
    ...command,
    command: "/tools",
    text: "on & off",
  });
  expect(tools.answer).toMatchObject({ text: "5 tools", ephemeral_for: "U0BOB" });
  expect(seen[0]).toMatchObject({
    command: "/tools",
    text: "on &amp; off",
    user_id: "U0BOB",
    channel_id: OPERATORS,
    is_enterprise_install: "false",
  });
  const rates = await slack.control("slack/commands", { ...command, command: "/rates", text: "" });
  expect(rates.answer.text).toBe("31.3");
});

test("a response_url works five times and for thirty minutes", async () => {
  const urls: string[] = [];
  await slack.connect((app) => {
    app.action("approve", async ({ ack, body, respond }) => {
      await ack();
      urls.push("response_url" in body ? String(body.response_url) : "");
      await respond("seen");
    });
  });
  const ts = await postCard("Approve");
  await click(ts, "Approve");
  await click(ts, "Approve");
  const use = async (url = "") => {
    const body = JSON.stringify({ text: "once more" });
    const answer = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
    });
    return `${answer.status} ${await answer.text()}`;
  };
  for (let i = 0; i < 4; i += 1) expect(await use(urls[0])).toBe("200 ok");
  expect(await use(urls[0])).toBe('404 {"ok":false,"error":"used_url"}');
  slack.clock.setOffset(slack.clock.offsetMs + 31 * 60_000);
  expect(await use(urls[1])).toBe('404 {"ok":false,"error":"expired_url"}');
});
