import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDesk } from "../support/desk.ts";
import { changeAlone } from "../support/desk-authority.ts";
import {
  type ChatMessage,
  type Desk,
  type Lead,
  OPERATORS_CHANNEL,
  OPERATORS_GROUP,
  type SlackMessage,
} from "../support/desk-people.ts";
import { forEachEngine } from "../support/engines.ts";
import type { Played } from "../support/played-world.ts";

const SLACK_CODE = "K7-4821-QX";
const GROUP_CODE = "ZZ 9316 HAND";

forEachEngine((engine) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(engine);
    const payout_providers = { office_cash: "manual" };
    await changeAlone(desk, "PUT", "/exchange/settings", { quote_asset: "THB", payout_providers });
  });
  afterAll(() => desk.close());

  const orderOf = async (lead: Lead): Promise<Played> => (await lead.trace()).orders.at(-1);
  const isAbout = (lead: Lead, text: string) =>
    /^Pay out by hand/.test(text) && new RegExp(`\\bLead ${lead.id}\\b`).test(text);

  /** A lead whose payout Alice has approved. */
  async function approvedLead(amount: string): Promise<Lead> {
    const lead = desk.lead();
    await lead.reachesPayout({ amount });
    await lead.hears();
    await desk.operator("U0ALICE").presses("Approve", await lead.card());
    return lead;
  }

  describe("a payout by hand, its code typed in Slack", () => {
    let lead: Lead;
    let told: string;
    beforeAll(async () => {
      lead = await approvedLead("2000");
      told = await lead.hears();
    });

    async function card(): Promise<SlackMessage> {
      const found = (await desk.slackCards()).findLast(
        ({ text, ephemeral_for: only }) => !only && isAbout(lead, text),
      );
      if (!found) throw new Error("there is no card");
      return found;
    }
    const presses = (user: string, label: string, ts: string): Promise<Played> =>
      desk.world.post("slack/buttons", { channel: OPERATORS_CHANNEL, user, ts, label });
    /** Presses the button, fills in the form that opens, and gives what the person then sees. */
    async function types(user: string, code: string, until = ""): Promise<SlackMessage> {
      const { view } = await presses(user, "Enter the code", (await card()).ts);
      const [first, second] = view.inputs;
      const values = { [first.label]: code, ...(until ? { [second.label]: until } : {}) };
      const sent = await desk.world.post(`slack/views/${view.id}/submit`, { user, values });
      if (sent.errors) return { ts: "", user, buttons: [], text: JSON.stringify(sent.errors) };
      await desk.idle();
      return seenBy(user);
    }
    /** What asks this person alone whether to send. */
    async function seenBy(user: string): Promise<SlackMessage> {
      const own = (await desk.slackCards()).filter(
        ({ ephemeral_for: only, buttons }) => only === user && buttons.length > 0,
      );
      return own.at(-1) as SlackMessage;
    }

    test("is approved, and the lead hears that an operator prepares it, not that it is out", () => {
      expect(told).toMatch(/одобрил/);
      expect(told).not.toMatch(/код|отправлен|оформлена/i);
    });

    test("is a card with two ways", async () => {
      const { buttons } = await card();
      expect(buttons.map(({ label }) => label)).toEqual(["Enter the code", "Handed over"]);
      expect(await orderOf(lead)).toMatchObject({ status: "payout" });
    });

    test("takes no code from a stranger", async () => {
      const { answer, view } = await presses("U0EVE", "Enter the code", (await card()).ts);
      expect(view).toBeUndefined();
      expect(answer.text).toMatch(/no right/);
    });

    test("shows what is wrong with a code in the form itself", async () => {
      expect((await types("U0BOB", "4821", "2020-01-01 10:00")).text).toMatch(/time has passed/);
      expect((await types("U0BOB", "4821", "tomorrow")).text).toMatch(/no time/);
    });

    test("shows the typed code to that operator alone, and sends nothing yet", async () => {
      const echo = await types("U0BOB", SLACK_CODE, "2099-11-03 18:00");
      expect(echo.text).toContain(`You typed ${SLACK_CODE}`);
      expect(echo.text).toContain("2099-11-03 18:00 UTC");
      expect(echo.buttons.map(({ label }) => label)).toEqual(["Send", "Type again"]);
      expect(await lead.hears()).toBe("");
      for (const { text, ephemeral_for: only } of await desk.slackCards())
        if (only !== "U0BOB") expect(text).not.toContain(SLACK_CODE);
    });

    test("is not sent by somebody else, who cannot type another one meanwhile", async () => {
      const { ts } = await seenBy("U0BOB");
      expect((await presses("U0ALICE", "Send", ts)).answer.text).toMatch(/Bob typed this code/);
      const { view, answer } = await presses("U0ALICE", "Enter the code", (await card()).ts);
      expect(view).toBeUndefined();
      expect(answer.text).toMatch(/Bob has typed a code/);
      expect(await lead.hears()).toBe("");
    });

    test("reaches the lead as a message of its own once Send is pressed", async () => {
      const { ts } = await seenBy("U0BOB");
      const { answer } = await presses("U0BOB", "Send", ts);
      expect(answer).toMatchObject({ replace_original: true });
      expect(answer.text).toContain("••QX");
      await desk.idle();
      const last = (await lead.chat()).at(-1);
      expect(last?.text).toContain(SLACK_CODE);
      expect(last?.protected).toBe(true);
      expect((await presses("U0BOB", "Send", ts)).answer.text).toMatch(/sent already/);
      expect((await lead.chat()).filter(({ text }) => text.includes(SLACK_CODE))).toHaveLength(1);
    });

    test("leaves staff the last two characters", async () => {
      const { text, buttons } = await card();
      expect(text).toMatch(/Code: ••QX, sent by Bob/);
      expect(buttons.map(({ label }) => label)).toEqual(["Handed over"]);
      for (const shown of await desk.slackCards()) expect(shown.text).not.toContain(SLACK_CODE);
    });

    test("tells the model only that a code was delivered", async () => {
      await lead.says("Спасибо, когда можно подойти?");
      const payout = (await lead.trace()).candidates.find(
        ({ tool_name: tool, status }: Played) =>
          tool === "issue_exchange_payout" && status === "executed",
      );
      expect(payout.reply.data).toMatchObject({ codeDelivered: true, needsOperator: false });
      const asked = JSON.stringify(await desk.modelRequests());
      expect(asked).toContain("codeDelivered");
      expect(asked).not.toContain(SLACK_CODE);
    });

    test("stands nowhere when the client quotes it back, also in an edit", async () => {
      await lead.says(`Банкомат не принимает ${SLACK_CODE}`);
      await lead.edits(`Банкомат не принимает код ${SLACK_CODE.replaceAll("-", " ")}`);
      expect(await desk.databaseHolds("принимает код ••QX")).toBe(true);
      expect(await desk.databaseHolds(SLACK_CODE.replaceAll("-", " "))).toBe(false);
      // ids are hexadecimal: the figures alone may stand in one of them
      expect(JSON.stringify(await lead.trace())).not.toMatch(/(?<![0-9a-f])4821(?![0-9a-f])/);
    });

    test("is over when the money was handed over, and the code with it", async () => {
      const answer = (await presses("U0BOB", "Handed over", (await card()).ts)).answer.text;
      expect(answer).toMatch(/^Handed over: Bob/);
      await desk.idle();
      expect(await orderOf(lead)).toMatchObject({ status: "completed" });
      const { text, buttons } = await card();
      expect(buttons).toEqual([]);
      expect(text).toMatch(/Handed over: Bob, \d{4}-/);
      expect((await lead.trace()).handoffs.map(({ status }: Played) => status)).toEqual(["closed"]);
    });
  });

  describe("a payout by hand, its code typed in the Telegram group", () => {
    let lead: Lead;
    beforeAll(async () => {
      lead = await approvedLead("2100");
      await lead.hears();
    });

    async function card(): Promise<ChatMessage> {
      const found = (await desk.groupCards()).findLast(({ text }) => isAbout(lead, text));
      if (!found) throw new Error("there is no card");
      return found;
    }
    async function presses(user_id: number, label: string, { message_id }: ChatMessage) {
      const press = { chat_id: OPERATORS_GROUP, user_id, message_id, label };
      const { answer } = await desk.world.post("telegram/buttons", press);
      await desk.idle();
      return answer;
    }
    /** Answers the bot's question; gives the message that stands below. */
    async function types(user_id: number, text: string): Promise<ChatMessage> {
      const prompts = async () =>
        (await desk.groupCards()).filter((one) => one.text.includes("Answer with the code"));
      const before = (await prompts()).length;
      expect((await presses(user_id, "Enter the code", await card())).text).toMatch(/Answer my/);
      await desk.until(async () => (await prompts()).length > before);
      const prompt = (await prompts()).at(-1);
      const reply = { chat_id: OPERATORS_GROUP, user_id, text };
      const reply_to_message_id = prompt?.message_id;
      const sent = await desk.world.post("telegram/messages", { ...reply, reply_to_message_id });
      const below = async () =>
        (await desk.groupCards()).find(({ message_id: id }) => id > sent.message_id);
      await desk.until(async () => (await below()) !== undefined);
      return (await below()) as ChatMessage;
    }
    const heldInGroup = async (code: string) =>
      (await desk.groupCards()).filter(({ text }) => text.includes(code));

    test("a code that is too long changes nothing, and a message that stays is named", async () => {
      await desk.world.post("telegram/rights", { chat_id: OPERATORS_GROUP, admin: false });
      const answer = await types(2002, "9".repeat(200));
      await desk.world.post("telegram/rights", { chat_id: OPERATORS_GROUP, admin: true });
      expect(answer.text).toMatch(/longer than 64 characters/);
      expect(answer.text).toMatch(/could not delete your message/);
      expect(answer.buttons).toEqual([]);
    });

    test("the typed message is deleted, and the group reads two characters", async () => {
      const echo = await types(2002, `${GROUP_CODE}\n2099-11-03 18:00`);
      expect(echo.text).toMatch(/code ••ND, typed by Bob, valid until 2099-11-03 18:00 UTC/);
      expect(echo.buttons.flat().map(({ label }) => label)).toEqual(["Send", "Type again"]);
      expect(await heldInGroup(GROUP_CODE)).toEqual([]);
    });

    test("Send first shows the whole code to its operator alone, and then sends it", async () => {
      const echo = (await desk.groupCards()).findLast(({ text }) =>
        /typed by Bob/.test(text),
      ) as ChatMessage;
      expect((await presses(2001, "Send", echo)).text).toMatch(/Bob typed this code/);
      const shown = await presses(2002, "Send", echo);
      expect(shown).toMatchObject({ show_alert: true });
      expect(shown.text).toContain(GROUP_CODE);
      expect(await lead.hears()).toBe("");
      await desk.advance(2);
      expect((await presses(2002, "Send", echo)).text).toContain("••ND");
      expect(await lead.hears()).toContain(GROUP_CODE);
      expect(await heldInGroup(GROUP_CODE)).toEqual([]);
      const echoNow = async () =>
        (await desk.groupCards()).find((one) => one.message_id === echo.message_id);
      await desk.until(async () => (await echoNow())?.buttons.length === 0);
      expect((await echoNow())?.text).toContain("••ND is on its way");
    });
  });

  test("no code stands in the clear in the database, a log or a request to the model", async () => {
    const asked = JSON.stringify(await desk.modelRequests());
    for (const code of [SLACK_CODE, GROUP_CODE]) {
      expect(await desk.databaseHolds(code)).toBe(false);
      expect(desk.logged.join("\n")).not.toContain(code);
      expect(asked).not.toContain(code);
    }
    expect(await desk.databaseHolds("••ND")).toBe(true); // what may stand there is found
  });
});
