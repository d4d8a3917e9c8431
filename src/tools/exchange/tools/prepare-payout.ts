import { compareAmounts } from "../../../domain/money.ts";
import type { ToolResult } from "../../../domain/tool.ts";
import type { Tx } from "../../../store/db.ts";
import { contactKyc } from "../../../store/kyc.ts";
import { lastOrder, type Order, openOrders, orderName } from "../../../store/orders.ts";
import { tenantById } from "../../../store/tenants.ts";
import type { ActionEdit, CallScope, PreparedAction, PrepareRefusal } from "../../contract.ts";
import { raiseHandoff } from "../../raise-handoff.ts";
import { isoTime, type Loose, refusal } from "../../results.ts";
import { payoutKey } from "../payout-key.ts";
import { normalizePayoutMethod } from "../payout-methods.ts";
import type { ExchangeDeps } from "./exchange-deps.ts";
import { payoutActionOf, payoutMaterial } from "./payout-action.ts";

/** They only repeat the order; what differs from it is refused. */
export interface PayoutArguments {
  payoutMethod?: string | undefined;
  location?: string | undefined;
}

/**
 * The payout of the conversation's paid order, from its row alone. Arguments can only contradict; an
 * approver can let less be paid out.
 */
export async function preparePayout(
  tx: Tx,
  deps: ExchangeDeps,
  { args, edit }: { args: PayoutArguments; edit?: ActionEdit | undefined },
  scope: CallScope,
): Promise<PreparedAction | PrepareRefusal> {
  const open = await openOrders(tx, scope);
  const order = open.find((one) => one.status === "paid");
  if (!order)
    return { kind: "refused", result: nothingToPay(await lastOrder(tx, scope), scope.now) };
  if (order.payoutMethod === null) {
    const summary = `${orderName(order)} is paid, but nobody said how it is paid out`;
    await askOperator(tx, deps, scope, order);
    return {
      kind: "refused",
      result: refused(order, { reason: "payout_method_missing", summary }),
    };
  }
  const problem = contradiction(order, args);
  if (problem) return { kind: "refused", result: refused(order, problem) };
  const lowered = edit?.amount;
  if (lowered !== undefined && compareAmounts(lowered, order.amountTo) > 0)
    return { kind: "refused", result: refused(order, MORE_THAN_ORDERED) };
  const facts = { ...(await cardFacts(tx, scope)), method: order.payoutMethod, lowered };
  return {
    kind: "action",
    action: payoutActionOf(order, order.payoutMethod, lowered),
    businessKey: payoutKey(order),
    // a payment that came in time has locked the price
    validUntil: order.quoteLockedAt === null ? order.expiresAt : null,
    material: payoutMaterial(order, facts),
  };
}

const MORE_THAN_ORDERED: Problem = {
  reason: "more_than_ordered",
  summary: "no more can be paid out than the order says",
};

async function cardFacts(tx: Tx, scope: CallScope) {
  const client = await contactKyc(tx, scope);
  const tenant = await tenantById(tx, scope.tenantId);
  return { client: client?.name ?? "?", language: tenant?.language ?? ("en" as const) };
}

interface Problem {
  reason: string;
  summary: string;
  data?: Loose;
  /** Left out: a person has to act. */
  needsOperator?: boolean;
}

/** The destination was fixed with the order: a call may repeat it and nothing else. */
function contradiction(order: Order, args: PayoutArguments): Problem | null {
  const { payoutMethod, location } = args;
  const name = orderName(order);
  if (payoutMethod && normalizePayoutMethod(payoutMethod) !== order.payoutMethod)
    return {
      reason: "payout_method_differs",
      needsOperator: false,
      summary: `${name} is not paid out that way; ask for another with change_payout_destination`,
      data: { payoutMethod: order.payoutMethod },
    };
  if (location && folded(location) !== folded(order.payoutLocation ?? ""))
    return {
      reason: "location_differs",
      needsOperator: false,
      summary: `${name} is not paid out there; ask for another place with change_payout_destination`,
      data: { location: order.payoutLocation },
    };
  return null;
}

function folded(text: string): string {
  return text.trim().replace(/\s+/g, " ").toLowerCase();
}

function refused(
  order: Order,
  { reason, summary, data, needsOperator = true }: Problem,
): ToolResult {
  return refusal({
    type: "payout",
    id: orderName(order),
    reason,
    needsOperator,
    summary,
    data: { orderId: orderName(order), status: order.status, ...data },
  });
}

function nothingToPay(last: Order | null, now: number): ToolResult {
  if (last?.status !== "payout" && last?.status !== "completed")
    return refusal({
      type: "payout",
      id: last ? orderName(last) : null,
      reason: "not_paid",
      summary: "no order of this conversation is paid; nothing can be paid out",
      data: last ? { orderId: orderName(last), status: last.status } : {},
    });
  const ends = last.payoutCodeExpiresAt;
  const isOver = last.status === "payout" && ends !== null && ends <= now;
  return refusal({
    type: "payout",
    id: orderName(last),
    reason: isOver ? "code_expired" : "already_paid_out",
    needsOperator: isOver,
    summary: isOver
      ? `the code of ${orderName(last)} has expired; an operator has to act`
      : alreadyText(last),
    data: {
      orderId: orderName(last),
      status: last.status,
      ...(isOver ? { codeExpired: true } : {}),
      expiresAt: ends === null ? undefined : isoTime(ends),
    },
  });
}

function alreadyText(order: Order): string {
  const isOver = order.status === "completed";
  return `the payout of ${orderName(order)} ${isOver ? "was made" : "was approved and is under way or made"} already`;
}

async function askOperator(
  tx: Tx,
  deps: ExchangeDeps,
  scope: CallScope,
  order: Order,
): Promise<void> {
  const { tenantId, conversationId, contactId, now } = scope;
  await raiseHandoff(tx, deps.jobs, {
    ...{ tenantId, conversationId, contactId, now, order },
    reason: "payout_review",
    summary: {
      en: `${orderName(order)} is paid, but nobody said how it is paid out`,
      ru: `${orderName(order)} оплачена, но не сказано, как выдать`,
    },
  });
}
