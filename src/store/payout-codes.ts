import { and, eq, inArray, isNotNull, ne, or } from "drizzle-orm";
import { z } from "zod";
import type { InboundEvent } from "../domain/inbound.ts";
import type { JsonObject } from "../domain/json.ts";
import { maskCodes, mayQuoteCode } from "../domain/payout-code.ts";
import type { ToolReply } from "../domain/tool.ts";
import { type Db, type Tx, withTenant } from "./db.ts";
import { own } from "./orders.ts";
import { verified } from "./row-mac.ts";
import { conversations } from "./schema/chat.ts";
import { exchangeOrders } from "./schema/exchange.ts";
import { toolCallCandidates, toolExecutionQueue } from "./schema/tools.ts";
import { type KeyChange, type Secrets, sealAnew } from "./secrets.ts";

export interface OrderRef {
  tenantId: string;
  /** The row's id, as a `secret_text` names it. */
  orderId: string;
}

/** A code that an operator typed and has not sent yet. */
export interface PayoutCodeDraft {
  code: string;
  /** Milliseconds; null: it does not end. */
  until: number | null;
  /** Product time, milliseconds. */
  typedAt: number;
  /** Product time from which Send sends; null: the operator has not been shown the whole code. */
  sendableFrom: number | null;
}

const draftSchema: z.ZodType<PayoutCodeDraft> = z.object({
  code: z.string(),
  until: z.number().nullable(),
  typedAt: z.number(),
  // a draft of an earlier build is shown once more
  sendableFrom: z.number().nullable().default(null),
});

/** A code goes to the lead alone: only its sealed form stands in a row. */
export function sealPayoutCode(secrets: Secrets, order: OrderRef, code: string): Buffer {
  return secrets.seal(code, place("payout_code", order));
}

/** Bound to the order: moved to another one it does not open. */
export function sealPayoutDraft(secrets: Secrets, order: OrderRef, draft: PayoutCodeDraft): Buffer {
  return secrets.seal(JSON.stringify(draft), place("payout_code_draft", order));
}

/** Throws when it was sealed for another order or with another key. */
export function openPayoutDraft(
  secrets: Secrets,
  order: OrderRef,
  sealed: Buffer,
): PayoutCodeDraft {
  return draftSchema.parse(JSON.parse(secrets.open(sealed, place("payout_code_draft", order))));
}

/**
 * The code in the clear, for the one chat in which the order was made; null for every other, when
 * there is none, and when the order or its conversation is not what the product wrote: it is money.
 */
export async function payoutCodeFor(
  tx: Tx,
  secrets: Secrets,
  order: OrderRef,
  chat: { channelId: string; chatId: string },
): Promise<string | null> {
  const [row] = await tx
    .select({ order: exchangeOrders, conversation: conversations })
    .from(exchangeOrders)
    .innerJoin(
      conversations,
      and(
        eq(conversations.tenantId, order.tenantId),
        eq(conversations.id, exchangeOrders.conversationId),
      ),
    )
    .where(and(eq(exchangeOrders.tenantId, order.tenantId), eq(exchangeOrders.id, order.orderId)));
  if (!row || !own(tx, row.order) || !verified(tx, "conversations", row.conversation)) return null;
  const { channelId, chatId } = row.conversation;
  if (channelId !== chat.channelId || chatId !== chat.chatId) return null;
  const sealed = row.order.payoutCode;
  return sealed ? secrets.open(sealed, place("payout_code", order)) : null;
}

/**
 * A client who quotes a live code ("the machine refuses …") must not spread it: only its mask is
 * stored of what was written. Every other event is left as it is.
 */
export async function maskQuotedCodes<Event extends InboundEvent>(
  { db, secrets }: { db: Db; secrets: Secrets },
  tenantId: string,
  event: Event,
): Promise<Event> {
  if (event.kind !== "message" && event.kind !== "edit") return event;
  if (event.chatKind !== "private" || !mayQuoteCode(event.text)) return event;
  const { channelId, chatId } = event;
  const codes = await withTenant(db, tenantId, (tx) =>
    liveCodesOf(tx, secrets, { tenantId, channelId, chatId }),
  );
  return codes.length === 0 ? event : { ...event, text: maskCodes(event.text, codes) };
}

/** Codes in the clear that the chat's client was sent and may still use. */
async function liveCodesOf(
  tx: Tx,
  secrets: Secrets,
  chat: { tenantId: string; channelId: string; chatId: string },
): Promise<string[]> {
  const { tenantId, channelId, chatId } = chat;
  const rows = await tx
    .select({ orderId: exchangeOrders.id, sealed: exchangeOrders.payoutCode })
    .from(conversations)
    .innerJoin(
      exchangeOrders,
      and(
        eq(exchangeOrders.tenantId, tenantId),
        eq(exchangeOrders.conversationId, conversations.id),
      ),
    )
    .where(
      and(
        eq(conversations.tenantId, tenantId),
        eq(conversations.channelId, channelId),
        eq(conversations.chatId, chatId),
        isNotNull(exchangeOrders.payoutCode),
        ne(exchangeOrders.status, "completed"),
      ),
    );
  return rows.flatMap(({ orderId, sealed }) =>
    sealed ? [secrets.open(sealed, place("payout_code", { tenantId, orderId }))] : [],
  );
}

/**
 * Codes in the clear, sent or about to be, by conversation: what is kept of a conversation outside of
 * it must not hold them. One that does not open tells nothing.
 */
export async function codesOfConversations(
  tx: Tx,
  secrets: Secrets,
  of: { tenantId: string; conversationIds: readonly string[] },
): Promise<Map<string, string[]>> {
  const { tenantId, conversationIds } = of;
  const codes = new Map<string, string[]>();
  if (conversationIds.length === 0) return codes;
  const { id, conversationId, payoutCode, payoutCodeDraft } = exchangeOrders;
  const rows = await tx
    .select({ id, conversationId, payoutCode, payoutCodeDraft })
    .from(exchangeOrders)
    .where(
      and(
        eq(exchangeOrders.tenantId, tenantId),
        inArray(conversationId, [...new Set(conversationIds)]),
        or(isNotNull(payoutCode), isNotNull(payoutCodeDraft)),
      ),
    );
  for (const row of rows) {
    const order = { tenantId, orderId: row.id };
    const { payoutCode: sent, payoutCodeDraft: draft } = row;
    const found = [
      sent && opened(() => secrets.open(sent, place("payout_code", order))),
      draft && opened(() => openPayoutDraft(secrets, order, draft).code),
    ].filter((code) => typeof code === "string");
    codes.set(row.conversationId, [...(codes.get(row.conversationId) ?? []), ...found]);
  }
  return codes;
}

function opened(open: () => string): string | null {
  try {
    return open();
  } catch {
    return null;
  }
}

/** Answers the orders with a code or draft that does not open with the old key: it stays as it is. */
export async function sealPayoutCodesAnew(
  tx: Tx,
  tenantId: string,
  change: KeyChange,
): Promise<{ done: number; unopened: string[] }> {
  const { id, payoutCode, payoutCodeDraft } = exchangeOrders;
  const rows = await tx
    .select({ id, payoutCode, payoutCodeDraft })
    .from(exchangeOrders)
    .where(
      and(
        eq(exchangeOrders.tenantId, tenantId),
        or(isNotNull(payoutCode), isNotNull(payoutCodeDraft)),
      ),
    );
  const unopened: string[] = [];
  for (const row of rows) {
    const order = { tenantId, orderId: row.id };
    const anew = (sealed: Buffer | null, what: string) =>
      sealed && sealAnew(sealed, place(what, order), change);
    const code = anew(row.payoutCode, "payout_code");
    const draft = anew(row.payoutCodeDraft, "payout_code_draft");
    const isWhole = (code !== null) === (row.payoutCode !== null);
    if (!isWhole || (draft !== null) !== (row.payoutCodeDraft !== null)) unopened.push(row.id);
    await tx
      .update(exchangeOrders)
      .set({ payoutCode: code ?? row.payoutCode, payoutCodeDraft: draft ?? row.payoutCodeDraft })
      .where(and(eq(exchangeOrders.tenantId, tenantId), eq(exchangeOrders.id, row.id)));
  }
  return { done: rows.length - unopened.length, unopened };
}

/** An approved payout that was carried out: what it was, and what the model is shown of it. */
export interface DonePayout {
  candidateId: string;
  action: JsonObject;
  reply: ToolReply | null;
}

/** null: no payout of this key was completed. */
export async function donePayoutOf(
  tx: Tx,
  tenantId: string,
  businessKey: string,
): Promise<DonePayout | null> {
  const rows = await tx
    .select({
      candidateId: toolExecutionQueue.candidateId,
      action: toolExecutionQueue.payloadJson,
      reply: toolCallCandidates.reply,
    })
    .from(toolExecutionQueue)
    .innerJoin(
      toolCallCandidates,
      and(
        eq(toolCallCandidates.tenantId, tenantId),
        eq(toolCallCandidates.id, toolExecutionQueue.candidateId),
      ),
    )
    .where(
      and(
        eq(toolExecutionQueue.tenantId, tenantId),
        eq(toolExecutionQueue.businessKey, businessKey),
        eq(toolExecutionQueue.hasSideEffect, true),
        eq(toolExecutionQueue.status, "completed"),
      ),
    )
    .limit(1);
  return rows[0] ?? null;
}

function place(what: string, { tenantId, orderId }: OrderRef): string {
  return JSON.stringify([what, tenantId, orderId]);
}
