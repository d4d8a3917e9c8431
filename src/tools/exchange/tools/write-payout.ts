import type { ToolResult } from "../../../domain/tool.ts";
import type { Tx } from "../../../store/db.ts";
import { closeOrderHandoffs } from "../../../store/handoffs.ts";
import {
  changeOrder,
  lockOrder,
  NO_PAYOUT_CODE,
  type Order,
  type OrderChange,
  orderName,
} from "../../../store/orders.ts";
import { sealPayoutCode } from "../../../store/payout-codes.ts";
import type { ToolCall } from "../../contract.ts";
import { isoTime, success } from "../../results.ts";
import type { AcceptedPayout } from "../payout-answer.ts";
import { askHandover, endsWithGateway } from "./ask-handover.ts";
import type { ExchangeDeps } from "./exchange-deps.ts";
import { moveStage } from "./move-stage.ts";
import { owedAfter } from "./payout-action.ts";
import { sendPayoutCode } from "./send-payout-code.ts";

/** A payout that the gateway has taken, in the order's own terms. */
export interface PaidOut {
  call: ToolCall;
  /** The row's id. */
  orderId: string;
  /** What was sent; an approver may have lowered it. */
  amount: string;
}

/**
 * The gateway has the payout. The code goes sealed into the order and to the lead's chat; the
 * result only says that it was sent. Writing the same answer twice sends one message.
 */
export async function writePayout(
  tx: Tx,
  deps: ExchangeDeps,
  { call, orderId, amount }: PaidOut,
  accepted: AcceptedPayout,
): Promise<ToolResult> {
  const before = await lockOrder(tx, call.tenantId, orderId);
  if (!before) throw new Error(`order ${orderId} is gone though its payout was accepted`);
  const isDone = accepted.status === "completed";
  const owed = owedAfter(before, amount);
  const ends = isDone && owed === null && endsWithGateway(before);
  const isNewCode =
    accepted.code !== undefined && before.payoutCode === null && !ends && isOpen(before);
  const order = await changeOrder(
    tx,
    { tenantId: call.tenantId, id: orderId, now: call.now },
    {
      ...(isOpen(before) ? { ...statusAfter(ends, call.now), amountPaidOut: amount } : {}),
      ...(isNewCode ? codeColumns(deps, before, accepted) : {}),
    },
  );
  await moveStage(tx, call, "payout_approved");
  if (isDone) await closeReviews(tx, call, orderId);
  if (isDone) await askHandover(tx, deps, call, { order, amount });
  const { language, now } = call;
  if (isNewCode) await sendPayoutCode(tx, deps.jobs, { order, amount, language, now });
  const codeEnds = order.payoutCodeExpiresAt;
  return success(
    {
      type: "payout",
      id: orderName(order),
      externalId: accepted.id,
      summary: `${orderName(order)}: payout of ${amount} ${order.quoteAsset} ${isDone ? "accepted" : "pending"}${owedNote(owed, order)}`,
    },
    {
      orderId: orderName(order),
      status: isDone ? order.status : "pending",
      payoutId: accepted.id,
      amount,
      stillOwed: owed ?? undefined,
      currency: order.quoteAsset,
      method: order.payoutMethod,
      location: order.payoutLocation,
      codeDelivered: order.payoutCode !== null,
      expiresAt: codeEnds === null ? undefined : isoTime(codeEnds),
    },
  );
}

function owedNote(owed: string | null, { quoteAsset }: Order): string {
  return owed === null ? "" : `; an operator lowered it, ${owed} ${quoteAsset} are still owed`;
}

/** What a person has completed meanwhile stays so. */
function isOpen(order: Order): boolean {
  return order.status === "paid" || order.status === "payout";
}

/** A code is kept no longer than the payout lasts. */
function statusAfter(ends: boolean, now: number): OrderChange {
  if (!ends) return { status: "payout" };
  return { status: "completed", completedAt: now, ...NO_PAYOUT_CODE };
}

/** People who were asked about this payout need not look any more. */
async function closeReviews(tx: Tx, call: ToolCall, orderId: string): Promise<void> {
  const { tenantId, now } = call;
  await closeOrderHandoffs(tx, { tenantId, orderId, reason: "payout_review", now });
}

function codeColumns(
  deps: ExchangeDeps,
  order: Order,
  { code = "", codeExpiresAt }: AcceptedPayout,
) {
  const place = { tenantId: order.tenantId, orderId: order.id };
  return {
    payoutCode: sealPayoutCode(deps.secrets, place, code),
    payoutCodeExpiresAt: codeExpiresAt ?? null,
  };
}
