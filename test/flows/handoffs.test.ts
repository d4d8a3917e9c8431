import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openDesk } from "../support/desk.ts";
import {
  type Desk,
  type Lead,
  OPERATORS_CHANNEL,
  type SlackMessage,
} from "../support/desk-people.ts";
import { forEachEngine } from "../support/engines.ts";
import type { Played } from "../support/played-world.ts";

const PERSON = "I want to talk to a person";

forEachEngine((engine) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(engine);
  });
  afterAll(() => desk.close());
  afterEach(() => desk.script([]));

  /** What the operators' channel shows about a lead under this title, the oldest first. */
  async function cardsOf(lead: Lead, title: RegExp): Promise<SlackMessage[]> {
    const own = new RegExp(`\\bLead ${lead.id}\\b`);
    return (await desk.slackCards()).filter(
      ({ text, ephemeral_for: only }) => !only && own.test(text) && title.test(text),
    );
  }
  const requestsOf = (lead: Lead) => cardsOf(lead, /^The client needs a person/);
  const last = (cards: SlackMessage[]): SlackMessage => {
    const card = cards.at(-1);
    if (!card) throw new Error("there is no such card");
    return card;
  };
  async function pending(user: string): Promise<string> {
    const asked = { channel: OPERATORS_CHANNEL, user, command: "/pending" };
    return (await desk.world.post("slack/commands", asked)).answer?.text ?? "";
  }
  const eventsOf = ({ audit }: Played) =>
    audit
      .map(({ event_type }: Played) => event_type)
      .filter((name: string) => /^(handoff\.|reply\.re[fs])/.test(name));

  describe("a request for a person", () => {
    let lena: Lead;
    beforeAll(async () => {
      lena = desk.lead();
      await lena.says(PERSON);
    });

    test("asked twice at once is one card with one button", async () => {
      await lena.says(PERSON);
      const cards = await requestsOf(lena);
      expect(cards.map(({ buttons }) => buttons.map(({ label }) => label))).toEqual([["Done"]]);
      expect((await lena.trace()).handoffs).toHaveLength(1);
    });

    test("is listed by /pending, for staff alone", async () => {
      expect(await pending("U0ALICE")).toContain(
        `The client needs a person: Lead ${lena.id} · 0 min`,
      );
      expect(await pending("U0EVE")).not.toContain(`Lead ${lena.id}`);
    });

    test("asked again after eleven minutes shows a second card of the same request", async () => {
      await desk.advance(11 * 60);
      await lena.says(PERSON);
      await lena.says(PERSON);
      const cards = await requestsOf(lena);
      expect(cards).toHaveLength(2);
      expect(last(cards).text).toContain("asks again");
      const trace = await lena.trace();
      expect(trace.handoffs).toHaveLength(1);
      expect(eventsOf(trace)).toEqual(["handoff.opened", "handoff.repeated"]);
      expect(await pending("U0BOB")).toContain(`Lead ${lena.id} · 11 min`);
    });

    test("is not closed by a stranger, who is told in private", async () => {
      const answer = await desk.operator("U0EVE").presses("Done", last(await requestsOf(lena)));
      expect(answer).toMatch(/no right/);
      const { handoffs, audit } = await lena.trace();
      expect(handoffs[0].status).toBe("open");
      expect(audit.at(-1)).toMatchObject({ event_type: "handoff.refused", user_id: null });
      const heard = (await desk.slackCards()).find(({ text }) => text === answer);
      expect(heard?.ephemeral_for).toBe("U0EVE");
    });

    test("is closed by Done, which every card of it then says", async () => {
      const [first] = await requestsOf(lena);
      expect(await desk.operator("U0ALICE").presses("Done", first as SlackMessage)).toMatch(
        /^Done: Alice, /,
      );
      const trace = await lena.trace();
      expect(trace.handoffs.map(({ status }: Played) => status)).toEqual(["closed"]);
      expect(eventsOf(trace).at(-1)).toBe("handoff.closed");
      const cards = await requestsOf(lena);
      expect(cards.map(({ buttons }) => buttons)).toEqual([[], []]);
      for (const { text } of cards) expect(text).toMatch(/Done: Alice, \d{4}-/);
      expect(await pending("U0ALICE")).not.toContain(`Lead ${lena.id}`);
    });

    test("closed already, is not closed a second time", async () => {
      const card = last(await requestsOf(lena));
      expect(await desk.operator("U0BOB").presses("Done", card)).toMatch(/^Already done/);
      expect(last(await requestsOf(lena)).text).toContain("Done: Alice");
    });

    test("made after that is a new one", async () => {
      await lena.says(PERSON);
      expect(await requestsOf(lena)).toHaveLength(3);
      expect((await lena.trace()).handoffs).toHaveLength(2);
    });
  });

  describe("a reply that may not have arrived", () => {
    const words = "The office has a green door.";
    const lostOf = (lead: Lead) => cardsOf(lead, /^A reply may not have arrived/);
    const arrived = async (lead: Lead) => (await lead.chat()).filter(({ text }) => text === words);

    async function loses(lead: Lead): Promise<void> {
      await lead.says("hello");
      await desk.script([{ content: words }]);
      await desk.fault({ service: "telegram", kind: "timeout", delay_ms: 0, count: 3 });
      await lead.writes({ text: "what colour is your door?" });
      await desk.idle();
      await desk.fault({ service: "telegram", kind: "timeout", count: 0 });
      await desk.idle();
    }

    test("is shown to the operators with its text, and sent again when one asks", async () => {
      const lena = desk.lead();
      await loses(lena);
      expect(await arrived(lena)).toEqual([]);
      const card = last(await lostOf(lena));
      expect(card.text).toContain(`text: ${words}`);
      expect(card.text).toContain("the messenger gave no answer");
      expect(card.text).not.toMatch(/https?:|bot\d+:/);
      expect(card.buttons.map(({ label }) => label)).toEqual(["Send again"]);

      expect(await desk.operator("U0EVE").presses("Send again", card)).toMatch(/no right/);
      expect(await arrived(lena)).toEqual([]);
      expect(await desk.operator("U0BOB").presses("Send again", card)).toMatch(/^Sent again: Bob/);
      expect(await desk.operator("U0ALICE").presses("Send again", card)).toMatch(
        /sent again already/,
      );
      expect(await arrived(lena)).toHaveLength(1);
      const shown = await lostOf(lena);
      expect(shown.map(({ buttons }) => buttons)).toEqual([[]]);
      expect(last(shown).text).toMatch(/Sent again: Bob, \d{4}-/);
      expect(eventsOf(await lena.trace())).toEqual(["reply.refused", "reply.resent"]);
    });
  });
});
