import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { EdgeOptions, MessengerEdge } from "../../src/bot/edge.ts";
import type { Card } from "../../src/domain/messenger.ts";
import {
  Backstage,
  DELIVERY_SECRET,
  delivery,
  type PlayedMessenger,
  playSlack,
  playTelegram,
  signedForSlack,
  until,
} from "../support/bot-played-messengers.ts";
import { type EdgeServer, openEdgeServer } from "../support/edge-server.ts";

const card: Card = {
  title: "Payout A-17",
  facts: [{ label: "Amount", value: "1 250.00 EUR" }],
  footer: [],
  buttons: [{ label: "Approve", action: "approve", value: "a-1" }],
};
const signal = new AbortController().signal;

let played: PlayedMessenger;
let server: EdgeServer;
let behind: Backstage;
let edge: MessengerEdge;

async function open(play: () => Promise<PlayedMessenger>, over: Partial<EdgeOptions> = {}) {
  played = await play();
  server = await openEdgeServer();
  behind = new Backstage();
  edge = played.create({ ...behind.options(), ...over }, { address: server.address });
  await edge.check();
  server.serve(edge);
  edge.start();
  await until(() => edge.status().ok || undefined);
  await played.listen(server.address);
}

async function close() {
  await edge.stop();
  await played.close();
  await server.close();
}

/** Opened by hand: whoever waits for it goes on. */
function createGate() {
  let pass: () => void = () => {};
  const passed = new Promise<void>((resolve) => {
    pass = resolve;
  });
  return { passed, pass };
}

const nothingWaits = () => until(async () => (await played.waiting()).length === 0 || undefined);

describe.each([
  ["Telegram", playTelegram],
  ["Slack", playSlack],
])("%s delivers to an address, and", (_, play) => {
  beforeEach(() => open(play), 20_000);
  afterEach(close, 20_000);

  async function sendCard(): Promise<string> {
    const sent = delivery(played.operatorsChat, { kind: "card", card });
    await edge.messenger.deliver(sent, signal);
    return sent.parts[0] ?? "";
  }

  test("a lead's message comes in", async () => {
    await played.write("hello");
    expect(await behind.reach(1)).toMatchObject([
      { kind: "message", chatId: played.leadChat, text: "hello" },
    ]);
    await nothingWaits();
  });

  test("a click comes in, and its answer reaches the person", async () => {
    const id = await sendCard();
    behind.answer = { text: "A-17 is approved" };
    expect(await played.press(id, "Approve")).toBe("A-17 is approved");
  });

  test("the same delivery twice comes in once", async () => {
    await played.write("only once");
    await behind.reach(1);
    await played.redeliver();
    await played.write("and another");
    await behind.reach(2);
    await nothingWaits();
    expect(behind.events).toMatchObject([{ text: "only once" }, { text: "and another" }]);
  });

  test("what could not be stored is delivered again", async () => {
    behind.storeFails = [new Error("connection closed")];
    await played.write("are you there?");
    expect(await behind.reach(1)).toMatchObject([{ text: "are you there?" }]);
    await nothingWaits();
  });

  test("what can never be stored is not delivered again and again", async () => {
    behind.storeFails = [new TypeError("cannot read it")];
    await played.write("poison");
    await nothingWaits();
    await played.write("fine");
    expect(await behind.reach(1)).toMatchObject([{ text: "fine" }]);
  });

  test("a request without the messenger's proof is refused, and nothing comes in", async () => {
    const body = JSON.stringify({ update_id: 1, type: "event_callback" });
    expect(await played.forge(server.address, body, "wrong")).toBe(401);
    expect(behind.events).toEqual([]);
  });

  test.each([
    ["no JSON", "rubbish", 400],
    ["a list", "[]", 400],
    ["more than anything real", JSON.stringify({ text: "x".repeat(3_000_000) }), 413],
  ])("%s is refused", async (_name, body, status) => {
    expect(await played.forge(server.address, body, "right")).toBe(status);
  });

  test("a payload of an unknown kind is taken and forgotten", async () => {
    const body = JSON.stringify({ update_id: 7, type: "hologram", hologram: { id: 1 } });
    expect(await played.forge(server.address, body, "right")).toBe(200);
    expect(behind.events).toEqual([]);
  });

  test("after the stop a delivery is sent back, for the next process", async () => {
    await edge.stop();
    const body = JSON.stringify({ update_id: 8, type: "hologram" });
    expect(await played.forge(server.address, body, "right")).toBe(503);
  });
});

describe.each([
  ["Telegram", playTelegram],
  ["Slack", playSlack],
])("%s", (_, play) => {
  afterEach(close, 20_000);

  test("is told that an event is taken only once it is stored", async () => {
    const gate = createGate();
    const begun = createGate();
    const receive: EdgeOptions["receive"] = async (event) => {
      begun.pass();
      await gate.passed;
      return behind.options().receive(event);
    };
    await open(play, { receive });
    await played.write("hello");
    await begun.passed;
    expect(await played.waiting()).toHaveLength(1);
    gate.pass();
    await nothingWaits();
    expect(behind.events).toHaveLength(1);
  }, 20_000);

  test("is not kept waiting by a slow desk", async () => {
    const gate = createGate();
    const desk = {
      formFor: async () => null,
      checkForm: () => ({}),
      handle: async () => {
        await gate.passed;
        return { text: "done at last" };
      },
    };
    await open(play, { desk });
    await played.command("/pending");
    await behind.reach(1);
    await nothingWaits();
    gate.pass();
  }, 20_000);
});

describe("Slack over HTTP", () => {
  beforeEach(() => open(playSlack), 20_000);
  afterEach(close, 20_000);

  const JSON_TYPE = "application/json";
  const FORM_TYPE = "application/x-www-form-urlencoded";

  function post(body: string, { type = JSON_TYPE, at = Date.now(), headers = {} } = {}) {
    const signed = signedForSlack(DELIVERY_SECRET, body, at);
    return fetch(server.address, {
      method: "POST",
      headers: { "content-type": type, ...signed, ...headers },
      body,
    });
  }

  const MINUTE_MS = 60_000;

  test.each([
    ["ten minutes old", -10 * MINUTE_MS, 401],
    ["four minutes old", -4 * MINUTE_MS, 200],
    ["four minutes ahead", 4 * MINUTE_MS, 200],
    ["ten minutes ahead", 10 * MINUTE_MS, 401],
  ])("a request %s gets an answer by its age", async (_name, shift, status) => {
    const { status: got } = await post("{}", { at: Date.now() + shift });
    expect(got).toBe(status);
  });

  test("a certificate check needs no signature", async () => {
    const headers = { "content-type": FORM_TYPE };
    const answer = await fetch(server.address, { method: "POST", headers, body: "ssl_check=1" });
    expect(answer.status).toBe(200);
  });

  test("a note that events are held back breaks nothing", async () => {
    const note = { type: "app_rate_limited", team_id: "T1", minute_rate_limited: 1_790_000_000 };
    expect((await post(JSON.stringify(note))).status).toBe(200);
    await played.write("still here");
    expect(await behind.reach(1)).toMatchObject([{ text: "still here" }]);
  });

  test("a retry of an event that never arrived is taken, a second one is not", async () => {
    const event = {
      type: "message",
      channel: "D0LEAD",
      user: "U0LEAD",
      text: "hi",
      ts: "1.000100",
    };
    const body = JSON.stringify({ type: "event_callback", event_id: "Ev1", team_id: "T1", event });
    const headers = { "x-slack-retry-num": "2", "x-slack-retry-reason": "http_timeout" };
    expect((await post(body, { headers })).status).toBe(200);
    expect((await post(body, { headers })).status).toBe(200);
    expect(behind.events).toMatchObject([{ kind: "message", text: "hi" }]);
  });

  test("the very same signed command twice is one", async () => {
    const body = new URLSearchParams({
      ...{ command: "/pending", text: "", user_id: "U0ALICE", team_id: "T1" },
      ...{ channel_id: "C0OPERATORS", trigger_id: "13345224609.738474920.8088930838d88f008e0" },
    }).toString();
    for (let turn = 0; turn < 2; turn += 1)
      expect((await post(body, { type: FORM_TYPE })).status).toBe(200);
    expect(behind.events).toMatchObject([{ kind: "command", name: "pending" }]);
  });

  test("errors of a form are the answer to its submission", async () => {
    behind.formErrors = { reason: "say more" };
    const submission = {
      type: "view_submission",
      user: { id: "U0ALICE", team_id: "T1" },
      trigger_id: "1.2.3",
      view: {
        ...{ id: "V1", callback_id: "reject_reason" },
        private_metadata: JSON.stringify({ subject: "a-1", chatId: "C0", threadId: null }),
        state: { values: { reason: { value: { value: "no" } } } },
      },
    };
    const body = new URLSearchParams({ payload: JSON.stringify(submission) }).toString();
    const answer = await post(body, { type: FORM_TYPE });
    expect(await answer.json()).toEqual({
      response_action: "errors",
      errors: { reason: "say more" },
    });
    expect(behind.events).toEqual([]);
  });
});
