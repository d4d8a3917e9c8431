import type { Json } from "../../../domain/json.ts";
import type { ToolResult } from "../../../domain/tool.ts";
import type { Tx } from "../../../store/db.ts";
import { changeOrder, type Order, orderName } from "../../../store/orders.ts";
import type { ToolCall } from "../../contract.ts";
import { type HandoffRequest, raiseHandoff } from "../../raise-handoff.ts";
import { type Loose, refusal, success } from "../../results.ts";
import type { ExchangeDeps } from "./exchange-deps.ts";
import { moveStage } from "./move-stage.ts";
import { paymentNote } from "./payment-notes.ts";
import type { PaymentProof, PaymentVerdict } from "./payment-verdict.ts";

/**
 * A check of a payment on its way into rows: what was judged before the transaction, and on what
 * state.
 */
export interface Settling {
  call: ToolCall;
  proof: PaymentProof;
  verdict: PaymentVerdict;
  /** The order's state that the verdict rests on. */
  seen: string | null;
}

/** `reason` has a text for people in `paymentNote`; `data` goes to the model. */
export interface OperatorCase {
  order: Order;
  reason: string;
  data?: Loose;
  /** Kept with the proof for the person who looks. */
  facts?: { [field: string]: Json };
}

/** Keeps the proof, so that nothing ends the order, and asks a person. */
export async function toOperator(
  tx: Tx,
  deps: ExchangeDeps,
  settling: Settling,
  { order, reason, data, facts }: OperatorCase,
): Promise<ToolResult> {
  const { call, proof } = settling;
  const isDone =
    order.status === "paid" || order.status === "payout" || order.status === "completed";
  const kept = isDone ? order : await keepProof(tx, settling, order, { reason, ...facts });
  if (!isDone) await moveStage(tx, call, "proof_waiting");
  const { tenantId, conversationId, contactId, now } = call;
  await raiseHandoff(tx, deps.jobs, {
    ...{ tenantId, conversationId, contactId, now },
    reason: "payment_review",
    order: kept,
    summary: {
      en: `${paymentNote(reason)}${saidOf(facts)}`,
      ru: `${paymentNote(reason, "ru")}${saidOf(facts)}`,
    },
    ...proofText(proof),
  });
  return unpaid(kept, { reason, needsOperator: true, data });
}

/** Not paid, as far as is known. */
export function unpaid(
  order: Order,
  what: { reason: string; needsOperator?: boolean; data?: Loose | undefined },
): ToolResult {
  const { reason, needsOperator = false, data } = what;
  return refusal({
    type: "payment",
    id: orderName(order),
    reason,
    needsOperator,
    summary: paymentNote(reason),
    data: { orderId: orderName(order), status: order.status, asset: order.asset, ...data },
  });
}

/** The sum that came in is the chain's (of the transaction with that hash), or what a person confirmed. */
export function paidResult(order: Order, txHash?: string): ToolResult {
  const name = orderName(order);
  return success(
    { type: "payment", id: name, externalId: txHash, summary: `${name} is paid` },
    {
      orderId: name,
      status: order.status,
      asset: order.asset,
      amountReceived: order.amountReceived ?? undefined,
      needsOperator: false,
    },
  );
}

/** An order with a proof neither expires nor is cancelled. The time of the first one stays. */
export function keepProof(
  tx: Tx,
  { call, proof }: Pick<Settling, "call" | "proof">,
  order: Order,
  facts: { [field: string]: Json },
): Promise<Order> {
  const [hash] = proof.hashes;
  const which = { tenantId: order.tenantId, id: order.id, now: call.now };
  return changeOrder(tx, which, {
    proofReceivedAt: order.proofReceivedAt ?? call.now,
    proofJson: { ...(hash ? { hash } : {}), text: proof.text, receipt: proof.receipt, ...facts },
  });
}

/** A transfer that was seen unconfirmed has turned out to be none: nothing holds the order. */
export async function dropProof(
  tx: Tx,
  { call }: Pick<Settling, "call">,
  order: Order,
  hash: string,
): Promise<void> {
  const isOfThis = order.proofJson?.hash === hash && order.proofJson.reason === "unconfirmed";
  if (!isOfThis) return;
  const which = { tenantId: order.tenantId, id: order.id, now: call.now };
  await changeOrder(tx, which, { proofReceivedAt: null, proofJson: null });
}

/** One transaction pays one order. `by`: which one had it; null: it cannot be told. */
export function reused(
  tx: Tx,
  deps: ExchangeDeps,
  settling: Settling,
  { order, by }: { order: Order; by: { number: number } | null },
): Promise<ToolResult> {
  const duplicateOrderId = by ? orderName(by) : undefined;
  return toOperator(tx, deps, settling, {
    order,
    reason: "tx_reused",
    data: { duplicateOrderId },
    ...(duplicateOrderId ? { facts: { duplicateOrderId } } : {}),
  });
}

function saidOf(facts: OperatorCase["facts"]): string {
  const told = Object.entries(facts ?? {}).filter(([, value]) => typeof value !== "object");
  return told.length > 0 ? `: ${told.map(([name, value]) => `${name} ${value}`).join(", ")}` : "";
}

/** What a model gave as the proof, for the card; shown apart from facts and from the lead's words. */
export function proofText(proof: PaymentProof): Pick<HandoffRequest, "said"> {
  const parts = [proof.text, ...Object.values(proof.receipt)].filter(Boolean);
  return parts.length > 0 ? { said: { by: "bot", text: parts.join(" · ") } } : {};
}
