import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { repostCards } from "../../src/desk/cards-after-outage.ts";
import type { Delivery, DeliveryResult } from "../../src/domain/messenger.ts";
import { createOutbound } from "../../src/outbound/deliver.ts";
import { upsertDestination } from "../../src/store/destinations.ts";
import { messages } from "../../src/store/schema/chat.ts";
import type { AnyTool } from "../../src/tools/contract.ts";
import { setKycStatus } from "../../src/tools/set-kyc-status.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, openOffice, rule, TENANT } from "../support/office.ts";
import { addLead, call } from "../support/office-lead.ts";
import { createPlayedChats, type PlayedChats } from "../support/played-chats.ts";

const KYC = "set_kyc_status";
const SENT: DeliveryResult = { kind: "sent" };
const LOST: DeliveryResult = { kind: "uncertain", error: "read ECONNRESET" };
const REFUSED: DeliveryResult = { kind: "refused", error: "sendMessage: 400 chat not found" };

forEachEngine((open) => {
  let office: Office;
  let chats: PlayedChats;
  beforeEach(async () => {
    office = await openOffice(open, undefined, () => [setKycStatus() as unknown as AnyTool]); // of its own arguments
    await office.person(); // who could decide
    await office.rules([rule(KYC, { requires_approval: true })]);
    chats = createPlayedChats();
  });
  afterEach(() => office.close());

  async function sends(): Promise<void> {
    const outbound = createOutbound({
      ...{ db: office.db, clock: office.clock, messengers: new Map([["tg", chats.messenger]]) },
      log: { info() {}, warn() {}, error() {} },
    });
    for (let sent = 1; sent > 0; ) sent = await outbound.runOnce();
  }
  async function passes(minutes: number): Promise<void> {
    for (let step = 0; step < minutes * 6; step += 1) {
      office.time.now += 10_000;
      await repostCards(office.desk, [TENANT]);
      await sends();
    }
  }
  /** Documents of a lead that wait for a person. */
  async function asksForCheck() {
    const lead = await addLead(office);
    const { contactId, conversationId } = lead;
    const id = `photo-${conversationId}`;
    await office.tenant((tx) =>
      tx.insert(messages).values({
        ...{ id, tenantId: TENANT, conversationId, author: "lead", kind: "text", text: "" },
        ...{ externalId: "77", media: [{ kind: "photo", fileId: "f1" }] },
        createdAt: office.time.now,
      }),
    );
    const args = { contactId, status: "verified", documents: [id] };
    await lead.proposes([call(KYC, args)], { source: "system" });
    return lead.approval();
  }
  const answers = (answer: (delivery: Delivery) => DeliveryResult) => {
    chats.answer = answer;
  };
  const isFiles = ({ content }: Delivery) =>
    content.kind === "uploads" || content.kind === "copies";
  const kinds = (chatId: string) =>
    chats.posted
      .filter((one) => one.chatId === chatId && one.content.kind !== "card_edit")
      .map((one) => (isFiles(one) ? "files" : one.content.kind));
  const opensChat = (chatId: string) =>
    office.tenant((tx) =>
      upsertDestination(tx, {
        ...{ tenantId: TENANT, purpose: "operators" as const, channelId: "tg", chatId },
        ...{ messenger: "telegram" as const, now: office.time.now },
      }),
    );

  it("a chat that serves the operators later gets the documents, then the card", async () => {
    await asksForCheck();
    await sends();
    await opensChat("-200");
    await passes(1);
    expect(kinds("-100")).toEqual(["files", "card"]);
    expect(kinds("-200")).toEqual(["files", "card"]);
  });

  describe.each([
    ["no answer comes", LOST],
    ["the messenger refuses all", REFUSED],
  ])("while %s", (_name, result) => {
    it("nothing stands there, and once that is over the documents stand above the card", async () => {
      await asksForCheck();
      answers(() => result);
      await sends();
      await passes(10);
      answers(() => SENT);
      await passes(10);
      expect(kinds("-100")).toEqual(["files", "card"]);
      await passes(10);
      expect(kinds("-100")).toEqual(["files", "card"]);
    });

    it("of the card alone, the documents are not sent again unless something came between", async () => {
      await asksForCheck();
      const isCard = ({ content }: Delivery) => content.kind === "card";
      answers((one) => (isCard(one) ? result : SENT));
      await sends();
      await passes(5);
      expect(kinds("-100")).toEqual(["files"]);
      answers(() => SENT);
      await passes(10);
      expect(kinds("-100")).toEqual(["files", "card"]);
    });
  });

  it("documents that were followed by something else are sent again with the card", async () => {
    const first = await asksForCheck();
    answers(({ content }) => {
      const isFirst = content.kind === "card" && content.card.title.includes(`A-${first.number}`);
      return isFirst ? REFUSED : SENT;
    });
    await sends();
    await asksForCheck();
    await sends();
    answers(() => SENT);
    await passes(5);
    expect(kinds("-100")).toEqual(["files", "files", "card", "files", "card"]);
  });
});
