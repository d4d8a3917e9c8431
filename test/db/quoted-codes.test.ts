import { afterAll, beforeAll, expect, it } from "vitest";
import { newId } from "../../src/domain/ids.ts";
import type { InboundEvent } from "../../src/domain/inbound.ts";
import { changeOrder, NO_PAYOUT_CODE, openOrders } from "../../src/store/orders.ts";
import { maskQuotedCodes, sealPayoutCode } from "../../src/store/payout-codes.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, openOffice, TENANT } from "../support/office.ts";
import { addLead } from "../support/office-lead.ts";

const CODE = "900000111122";

forEachEngine((open) => {
  let office: Office;
  beforeAll(async () => {
    office = await openOffice(open);
  });
  afterAll(() => office.close());

  /** A lead who was sent a code; `chatId` is theirs. */
  async function leadWithCode() {
    const lead = await addLead(office, { amountTo: "1200" });
    const { tenant, time, desk } = office;
    const orderId = await tenant(async (tx) => {
      const [order] = await openOrders(tx, { tenantId: TENANT, ...lead });
      if (!order) throw new Error("the lead has no order");
      const payoutCode = sealPayoutCode(
        desk.secrets,
        { tenantId: TENANT, orderId: order.id },
        CODE,
      );
      const which = { tenantId: TENANT, id: order.id, now: time.now };
      await changeOrder(tx, which, { status: "payout", payoutCode });
      return order.id;
    });
    return { orderId, chatId: lead.conversationId.replace("conversation", "chat") };
  }
  const origin = (chatId: string, chatKind: "private" | "group" = "private") => ({
    ...{ messenger: "telegram" as const, channelId: "tg", eventKey: newId(), chatId, chatKind },
    ...{ threadId: null, sentAt: office.time.now, externalId: newId(), media: [] },
    person: { id: chatId, teamId: "", name: "Lead", isBot: false },
  });
  const message = (chatId: string, text: string, kind: "private" | "group" = "private") => ({
    ...{ ...origin(chatId, kind), kind: "message" as const, text, replyToId: null },
  });
  const stored = async (event: InboundEvent) => {
    const { db, desk } = office;
    const masked = await maskQuotedCodes({ db, secrets: desk.secrets }, TENANT, event);
    return "text" in masked ? masked.text : null;
  };

  it("masks the chat's own live code, in a message and in an edit", async () => {
    const { chatId } = await leadWithCode();
    const text = "the machine refuses 9000-0011-1122";
    expect(await stored(message(chatId, text))).toBe("the machine refuses ••22");
    const edit = { ...origin(chatId), kind: "edit" as const, text, writtenAt: office.time.now };
    expect(await stored(edit)).toBe("the machine refuses ••22");
  });

  it("leaves another chat's words as they are, and what is said in a group", async () => {
    const { chatId } = await leadWithCode();
    const other = await addLead(office, { amountTo: "1200" });
    const otherChat = other.conversationId.replace("conversation", "chat");
    expect(await stored(message(otherChat, CODE))).toBe(CODE);
    expect(await stored(message(chatId, CODE, "group"))).toBe(CODE);
    expect(await stored(message("nobody-yet", CODE))).toBe(CODE);
  });

  it("masks nothing once the order is completed and the code gone", async () => {
    const { chatId, orderId } = await leadWithCode();
    const which = { tenantId: TENANT, id: orderId, now: office.time.now };
    await office.tenant((tx) => changeOrder(tx, which, { ...NO_PAYOUT_CODE, status: "completed" }));
    expect(await stored(message(chatId, CODE))).toBe(CODE);
  });
});
