import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDesk } from "../support/desk.ts";
import type { Desk, Person } from "../support/desk-people.ts";
import { type Approves, playDialog } from "../support/dialog-player.ts";
import { readDialogs } from "../support/dialogs.ts";
import { forEachEngine } from "../support/engines.ts";
import type { Played } from "../support/played-world.ts";

const DIALOGS = readDialogs().filter(({ id }) => ["d01", "d02", "d05"].includes(id));

forEachEngine((engine) => {
  let desk: Desk;
  /** Each part has its own desk: a Telegram group takes only so many cards a minute. */
  const ownDesk = () => {
    beforeAll(async () => {
      desk = await openDesk(engine);
    });
    afterAll(() => desk.close());
  };

  const inSlack: Approves = async (lead) =>
    desk.operator("U0BOB").presses("Approve", await lead.card());
  const inTelegram: Approves = async (lead) =>
    desk.groupOperator(2001).presses("Approve", await lead.groupCard());
  const leads = { Telegram: () => desk.lead() as Person, Slack: () => desk.slackLead() };

  describe.each([
    { lead: "Telegram" as const, decided: "Telegram", approves: inTelegram },
    { lead: "Slack" as const, decided: "Telegram", approves: inTelegram },
    { lead: "Slack" as const, decided: "Slack", approves: inSlack },
  ])("a lead in $lead, decided in $decided", ({ lead, approves }) => {
    ownDesk();
    test.each(DIALOGS)("$id: $title", async (dialog) => {
      const person = leads[lead]();
      await playDialog(desk, person, dialog, { approves });
      const { approvals }: Played = await person.trace();
      const decided = approvals.at(-1).status === "approved" ? "Approved by" : "Approve";
      expect(JSON.stringify(await person.card())).toContain(decided);
      expect(JSON.stringify(await person.groupCard())).toContain(decided);
    });
  });

  describe("while Slack is down", () => {
    ownDesk();
    test("a decision in Telegram counts, and Slack's card shows it when Slack is back", async () => {
      const lena = desk.lead();
      await lena.reachesPayout();
      await desk.fault({ service: "slack", kind: "down", count: 100_000 });
      const pressed = desk.groupOperator(2002).presses("Approve", await lena.groupCard());
      await desk.until(async () => (await desk.payoutsOf(lena)).length === 1);
      expect((await lena.groupCard()).text).toContain("Approved by Bob");
      expect((await lena.card()).text).not.toContain("Approved");
      await desk.fault({ service: "slack", kind: "down", count: 0 });
      await pressed;
      expect((await lena.card()).text).toContain("Approved by Bob");
      expect((await lena.card()).buttons).toEqual([]);
    });
  });

  describe("in the operators' Telegram group", () => {
    ownDesk();
    test("a rejection asks for its reason in the group, and the lead in Slack is told", async () => {
      const olga = desk.slackLead();
      await olga.reachesPayout();
      await desk.groupOperator(2001).rejects(await olga.groupCard(), "the safe is empty today");
      expect(await olga.hears()).toMatch(/оператор.*отклон|отклон.*оператор|отказ/is);
      expect((await olga.card()).text).toContain("the safe is empty today");
      expect((await olga.groupCard()).text).toContain("Rejected by Alice");
    });

    test("a stranger's press changes nothing and is told so privately", async () => {
      const olga = desk.slackLead();
      await olga.reachesPayout();
      const pressed = desk.groupOperator(4001).presses("Approve", await olga.groupCard());
      expect(await pressed).toMatch(/no right/);
      expect(await desk.payoutsOf(olga)).toEqual([]);
    });
  });
});
