import { and, eq } from "drizzle-orm";
import { z } from "zod";
import type { JsonObject } from "../domain/json.ts";
import type { ToolReply } from "../domain/tool.ts";
import type { Tx } from "./db.ts";
import { exchangeOrders } from "./schema/exchange.ts";
import { toolCallCandidates, toolExecutionQueue } from "./schema/tools.ts";
import type { Secrets } from "./secrets.ts";

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
  /** The operator has been shown the whole code after typing it. */
  wasShown: boolean;
}

const draftSchema: z.ZodType<PayoutCodeDraft> = z.strictObject({
  code: z.string(),
  until: z.number().nullable(),
  typedAt: z.number(),
  wasShown: z.boolean(),
});

/** A code goes to the lead alone: only its sealed form stands in a row. */
export function sealPayoutCode(secrets: Secrets, order: OrderRef, code: string): Buffer {
  return secrets.seal(code, place("payout_code", order));
}

export function sealPayoutDraft(secrets: Secrets, order: OrderRef, draft: PayoutCodeDraft): Buffer {
  return secrets.seal(JSON.stringify(draft), place("payout_code_draft", order));
}

export function openPayoutDraft(
  secrets: Secrets,
  order: OrderRef,
  sealed: Buffer,
): PayoutCodeDraft {
  return draftSchema.parse(JSON.parse(secrets.open(sealed, place("payout_code_draft", order))));
}

/** The code in the clear, for the message to the lead; null when the order has none. */
export async function payoutCodeOf(
  tx: Tx,
  secrets: Secrets,
  order: OrderRef,
): Promise<string | null> {
  const rows = await tx
    .select({ code: exchangeOrders.payoutCode })
    .from(exchangeOrders)
    .where(and(eq(exchangeOrders.tenantId, order.tenantId), eq(exchangeOrders.id, order.orderId)));
  const sealed = rows[0]?.code;
  return sealed ? secrets.open(sealed, place("payout_code", order)) : null;
}

/** An approved payout that was carried out: what it was, and what the model is shown of it. */
export interface DonePayout {
  candidateId: string;
  action: JsonObject;
  reply: ToolReply | null;
}

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
