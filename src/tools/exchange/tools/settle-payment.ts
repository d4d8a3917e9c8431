import type { ToolResult } from "../../../domain/tool.ts";
import type { Tx } from "../../../store/db.ts";
import { lastOrder, type Order } from "../../../store/orders.ts";
import { lockConversation } from "../../../store/runs.ts";
import type { WriteResult } from "../../contract.ts";
import { refusal } from "../../results.ts";
import type { ExchangeDeps } from "./exchange-deps.ts";
import { takeReceipt } from "./fiat-receipt.ts";
import {
  dropProof,
  paidResult,
  reused,
  type Settling,
  toOperator,
  unpaid,
} from "./payment-outcomes.ts";
import { type PaymentVerdict, stateOf } from "./payment-verdict.ts";
import { settleTransfer } from "./settle-transfer.ts";

/** Writes what a check found. The order is read again: a check of another state settles nothing. */
export async function settlePayment(
  tx: Tx,
  deps: ExchangeDeps,
  settling: Settling,
): Promise<WriteResult> {
  const { call, verdict, seen } = settling;
  await lockConversation(tx, call.tenantId, call.conversationId);
  const order = await lastOrder(tx, call);
  if (!order || verdict.kind === "no_order") return { result: noOrder() };
  if (stateOf(order) !== seen) return { result: await changedMeanwhile(tx, deps, settling, order) };
  if (verdict.kind === "operator" && verdict.reason === "fiat_receipt")
    return takeReceipt(tx, deps, settling, order);
  return { result: await settleChecked(tx, deps, settling, { order, verdict }) };
}

async function settleChecked(
  tx: Tx,
  deps: ExchangeDeps,
  settling: Settling,
  { order, verdict }: { order: Order; verdict: Exclude<PaymentVerdict, { kind: "no_order" }> },
): Promise<ToolResult> {
  switch (verdict.kind) {
    case "already_paid":
      return paidResult(order);
    case "needs_hash":
      return unpaid(order, { reason: verdict.reason });
    case "not_yet":
      await dropProof(tx, settling, order, verdict.hash);
      return unpaid(order, { reason: verdict.reason });
    case "operator":
      return toOperator(tx, deps, settling, { order, reason: verdict.reason });
    case "reused":
      return reused(tx, deps, settling, { order, by: verdict.by });
    case "checked":
      return settleTransfer(tx, deps, settling, { order, ...verdict });
    default:
      return verdict satisfies never;
  }
}

function changedMeanwhile(
  tx: Tx,
  deps: ExchangeDeps,
  settling: Settling,
  order: Order,
): Promise<ToolResult> | ToolResult {
  const [hash] = settling.proof.hashes;
  const isSettled = order.status === "paid" && hash !== undefined && order.proofJson?.hash === hash;
  if (isSettled) return paidResult(order, hash);
  return toOperator(tx, deps, settling, { order, reason: "order_changed" });
}

function noOrder(): ToolResult {
  return refusal({
    type: "payment",
    reason: "no_order",
    needsOperator: true,
    summary: "there is no order to pay; if money was sent, hand over to an operator",
    code: "NOT_FOUND",
  });
}
