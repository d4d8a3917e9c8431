import type { ToolResult } from "../../../domain/tool.ts";
import type { Tx } from "../../../store/db.ts";
import { type Order, orderName } from "../../../store/orders.ts";
import type { ToolCall } from "../../contract.ts";
import { raiseHandoff } from "../../raise-handoff.ts";
import { refusal } from "../../results.ts";
import type { ExchangeDeps } from "./exchange-deps.ts";

/** Money came, or a proof of it that nobody has settled yet. */
export function hasPayment(order: Order): boolean {
  return order.status === "paid" || order.status === "payout" || order.proofReceivedAt !== null;
}

/** Money may be on its way: neither a re-quote nor a cancellation may end the order. */
export async function blockedByPayment(
  tx: Tx,
  deps: Pick<ExchangeDeps, "jobs">,
  blocked: { call: ToolCall; order: Order; type: string },
): Promise<ToolResult> {
  const { call, order, type } = blocked;
  const { tenantId, conversationId, contactId, now } = call;
  await raiseHandoff(tx, deps.jobs, {
    tenantId,
    conversationId,
    contactId,
    now,
    reason: "payment_review",
    order,
    summary: {
      en: `a payment for ${orderName(order)} was reported, and the client wants to change or cancel it`,
      ru: `об оплате ${orderName(order)} сообщили, а клиент хочет изменить или отменить заявку`,
    },
  });
  return refusal({
    type,
    id: orderName(order),
    reason: "blocked_by_payment",
    needsOperator: true,
    summary: `a payment for ${orderName(order)} is known or being checked; an operator has to decide`,
    data: { blockedByPayment: true, orderId: orderName(order), status: order.status },
  });
}
