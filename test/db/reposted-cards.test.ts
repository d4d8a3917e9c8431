import { and, eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { repostCards } from "../../src/desk/cards-after-outage.ts";
import { heedObjection } from "../../src/desk/freeze.ts";
import type { Delivery, DeliveryResult } from "../../src/domain/messenger.ts";
import { upsertDestination } from "../../src/store/destinations.ts";
import { handoffs, outbox } from "../../src/store/schema/chat.ts";
import { raiseHandoff } from "../../src/tools/raise-handoff.ts";
import { forEachEngine } from "../support/database.ts";
import { TENANT } from "../support/office.ts";
import { type Authority, openAuthority } from "../support/office-authority.ts";
import { createPlayedChats, type PlayedChats } from "../support/played-chats.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const LOST: DeliveryResult = { kind: "uncertain", error: "read ECONNRESET" };
const REFUSED: DeliveryResult = { kind: "refused", error: "sendMessage: 400 chat not found" };

forEachEngine((open) => {
  let site: Authority;
  let chats: PlayedChats;
  let tries: Delivery[];
  let operator: string;
  beforeEach(async () => {
    site = await openAuthority(open);
    operator = await site.office.person();
    tries = [];
    chats = createPlayedChats();
  });
  afterEach(() => site.close());

  const answers = (result: DeliveryResult) => {
    chats.answer = (delivery) => {
      if (delivery.content.kind === "card") tries.push(delivery);
      return result;
    };
  };
  /** What is on its way is lost, and sent once more in vain. */
  const loses = async (result: DeliveryResult = LOST) => {
    answers(result);
    await site.sends(chats);
    site.office.time.now += 2 * SECOND;
    await site.sends(chats);
  };
  const passes = async (ms: number) => {
    const steps = Math.ceil(ms / (10 * SECOND));
    for (let step = 0; step < steps; step += 1) {
      site.office.time.now += ms / steps;
      await repostCards(site.office.desk, [TENANT]);
      await site.sends(chats);
    }
  };
  const cardsOf = (approvalId: string) =>
    site.office.tenant((tx) =>
      tx
        .select()
        .from(outbox)
        .where(and(eq(outbox.approvalId, approvalId), eq(outbox.purpose, "card"))),
    );
  const waiting = async () => (await site.lead()).asksPayout();
  const postedTitles = () =>
    chats.posted.flatMap(({ content }) => (content.kind === "card" ? [content.card.title] : []));

  describe.each([
    ["no answer comes", LOST],
    ["the messenger refuses it", REFUSED],
  ])("the card of a request that waits, while %s", (_name, result) => {
    it("is tried again, ever more seldom, and stands once when that is over", async () => {
      const { id, number } = await waiting();
      await loses(result);
      await passes(2 * MINUTE);
      const early = tries.length;
      expect(early).toBeGreaterThan(3);
      await passes(10 * MINUTE);
      expect(tries.length).toBeGreaterThan(early);
      expect(tries.length).toBeLessThan(2 * early + 4);
      answers({ kind: "sent" });
      await passes(15 * MINUTE);
      expect(postedTitles()).toEqual([`Payout: approve? · A-${number}`]);
      expect(await cardsOf(id)).toMatchObject([{ status: "sent" }]);
      await passes(30 * MINUTE);
      expect(postedTitles()).toHaveLength(1);
    });

    it("is let go once the request is decided", async () => {
      const { id } = await waiting();
      await loses(result);
      await site.office.decides(id, operator);
      tries = [];
      await passes(30 * MINUTE);
      expect(tries).toEqual([]);
    });
  });

  it("comes again as the request is by then", async () => {
    const lead = await site.lead();
    const { id } = await lead.asksPayout();
    await loses();
    const said = { tenantId: TENANT, channelId: "tg", text: "stop, don't send" };
    const chatId = lead.conversationId.replace("conversation", "chat");
    await site.office.tenant((tx) => heedObjection(tx, site.office.desk, { ...said, chatId }));
    answers({ kind: "sent" });
    await passes(MINUTE);
    const cards = chats.posted.flatMap(({ content }) =>
      content.kind === "card" || content.kind === "card_edit" ? [content.card] : [],
    );
    const labels = cards
      .filter(({ title }) => title.startsWith("Payout"))
      .map(({ buttons }) => buttons.map(({ label }) => label).join());
    expect(new Set(labels)).toEqual(new Set(["Unfreeze,Reject"]));
    expect(await cardsOf(id)).toMatchObject([{ status: "sent" }]);
  });

  it("a reminder brings the card where none is known to stand, and only there", async () => {
    const lost = await waiting();
    await loses();
    answers({ kind: "sent" });
    const seen = await waiting();
    await site.sends(chats);
    site.office.time.now += 31 * MINUTE;
    await site.stepsOn(lost.id);
    await site.sends(chats);
    expect(postedTitles()).toEqual([
      `Payout: approve? · A-${seen.number}`,
      `Payout: approve? · A-${lost.number}`,
    ]);
    const reminder = chats.posted.findIndex(
      ({ content }) => content.kind === "text" && content.text.startsWith("⏰"),
    );
    expect(reminder).toBeGreaterThan(0);
  });

  it("a chat that serves the operators later gets what waits", async () => {
    const { number } = await waiting();
    await site.sends(chats);
    await site.office.tenant((tx) =>
      upsertDestination(tx, {
        ...{ tenantId: TENANT, purpose: "operators" as const, channelId: "tg" },
        ...{ messenger: "telegram" as const, chatId: "-200", now: site.office.time.now },
      }),
    );
    await passes(10 * SECOND);
    expect(chats.posted.map(({ chatId }) => chatId)).toEqual(["-100", "-200"]);
    expect(postedTitles()[1]).toBe(`Payout: approve? · A-${number}`);
  });

  it("a call for a person is tried again until it stands or is closed", async () => {
    const { conversationId, contactId } = await site.lead();
    const now = site.office.time.now;
    const summary = { en: "asks for a person", ru: "просит человека" };
    const raised = await site.office.tenant((tx) =>
      raiseHandoff(tx, site.office.jobs, {
        ...{ tenantId: TENANT, conversationId, contactId, now, order: null, summary },
        reason: "operator_request",
      }),
    );
    await loses();
    await passes(2 * MINUTE);
    expect(tries.length).toBeGreaterThan(3);
    await site.office.tenant((tx) =>
      tx.update(handoffs).set({ status: "closed" }).where(eq(handoffs.id, raised.id)),
    );
    tries = [];
    await passes(10 * MINUTE);
    expect(tries).toEqual([]);
    await site.office.tenant((tx) =>
      tx.update(handoffs).set({ status: "open" }).where(eq(handoffs.id, raised.id)),
    );
    answers({ kind: "sent" });
    await passes(10 * MINUTE);
    expect(postedTitles()).toHaveLength(1);
  });
});
