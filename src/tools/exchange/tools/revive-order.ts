import type { ToolResult } from "../../../domain/tool.ts";
import type { Tx } from "../../../store/db.ts";
import { contactKyc } from "../../../store/kyc.ts";
import { orderStopOf } from "../../../store/order-stop.ts";
import { changeOrder, type Order, openOrders, orderName } from "../../../store/orders.ts";
import { markQuoteUsed, quoteById } from "../../../store/quotes.ts";
import type { ToolCall } from "../../contract.ts";
import { refusal } from "../../results.ts";
import { orderTtlMs } from "../assets.ts";
import { deskSecrets, type ExchangeDeps } from "./exchange-deps.ts";
import { needsVerification } from "./kyc-needed.ts";
import { ordersStopped } from "./orders-stopped.ts";
import { priceOf, priceRefusal, saveQuote } from "./price.ts";
import { orderKey, termsOfOrder, termsOfQuote } from "./terms.ts";

/**
 * Brings an order whose time is over back at the price of now; requisites and proof are cleared.
 * Nothing that was held before holds: verification and price are looked at anew.
 */
export async function reviveOrder(
  tx: Tx,
  deps: ExchangeDeps,
  call: ToolCall,
  order: Order,
): Promise<{ order: Order } | { refused: ToolResult }> {
  if (await orderStopOf(tx, call.tenantId))
    return { refused: await ordersStopped(tx, deps, call, order) };
  const others = (await openOrders(tx, call)).filter((one) => one.id !== order.id);
  if (others[0]) return { refused: otherOpen(others[0]) };
  const kyc = await contactKyc(tx, call);
  if (kyc?.status !== "verified") {
    const secrets = await deskSecrets(tx, deps, call.tenantId);
    return { refused: await needsVerification(tx, call, { kyc, secrets }) };
  }
  const quoted = await quoteById(tx, call.tenantId, order.quoteId);
  const terms = quoted ? termsOfQuote(quoted) : termsOfOrder(order);
  const priced = await priceOf(tx, deps, call.tenantId, terms);
  if (!priced.ok) return { refused: priceRefusal(priced, terms) };
  const quote = await saveQuote(tx, call, terms, priced);
  await markQuoteUsed(tx, call.tenantId, quote.id);
  const which = { tenantId: call.tenantId, id: order.id, now: call.now };
  const revived = await changeOrder(tx, which, {
    status: "awaiting_payment",
    quoteId: quote.id,
    idempotencyKey: orderKey(call.conversationId, terms),
    amountFrom: quote.amountFrom,
    amountTo: quote.amountTo,
    rate: quote.rate,
    requisitesJson: null,
    proofJson: null,
    lastReminderAt: null,
    expiresAt: call.now + orderTtlMs(order.asset),
  });
  return { order: revived };
}

function otherOpen(order: Order): ToolResult {
  return refusal({
    type: "requisites",
    id: orderName(order),
    reason: "open_order",
    summary: `${orderName(order)} is open; finish or cancel it first`,
    data: { orderId: orderName(order), status: order.status },
  });
}
