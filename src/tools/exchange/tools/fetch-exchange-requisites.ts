import { z } from "zod";
import type { ToolResult } from "../../../domain/tool.ts";
import type { Tx } from "../../../store/db.ts";
import { changeOrder, lastOrder, type Order, orderName } from "../../../store/orders.ts";
import { lockConversation } from "../../../store/runs.ts";
import type { RagTool, ToolCall } from "../../contract.ts";
import { raiseHandoff } from "../../raise-handoff.ts";
import { decimalText, isoTime, refusal } from "../../results.ts";
import { orderTtlMs } from "../assets.ts";
import { findRequisites, type Requisites, requisiteNames } from "../requisites.ts";
import { isTronAddress } from "../tron-address.ts";
import { blockedByPayment } from "./blocked-by-payment.ts";
import { deskSecrets, type ExchangeDeps, hasRates } from "./exchange-deps.ts";
import { moveStage } from "./move-stage.ts";
import { sourcesOf } from "./requisite-sources.ts";
import { requisitesResult, storedRequisites } from "./requisites-result.ts";
import { reviveOrder } from "./revive-order.ts";

const parameters = z.strictObject({});

const output = z.object({
  ok: z.literal(true),
  orderId: z.string(),
  kind: z.enum(["crypto", "fiat"]),
  address: z.string().optional(),
  memo: z.string().optional(),
  network: z.string().optional(),
  exchangeId: z.string().optional(),
  rail: z.string().optional(),
  paymentUrl: z.string().optional(),
  detailsText: z.string().optional(),
  asset: z.string(),
  amountFrom: decimalText,
  amountTo: decimalText,
  quoteAsset: z.string(),
  ttlMin: z.number(),
  expiresAt: z.string(),
  instructions: z.string(),
  revived: z.boolean().optional(),
  payoutMethod: z.string().optional(),
  payoutLocation: z.string().optional(),
  payoutDestination: z.string().optional(),
  payoutLine: z.string().optional(),
});

/**
 * The first call keeps in the order what was given and starts its time; later ones repeat it,
 * whatever the desk has set since. An expired order without a proof of payment is priced anew
 * first.
 */
export function fetchExchangeRequisites(deps: ExchangeDeps): RagTool<z.infer<typeof parameters>> {
  return {
    name: "fetch_exchange_requisites",
    title: "Payment details",
    description: {
      does: "Gives the wallet, exchange ID, card text or payment link for the client's open order.",
      when: "once the order exists, also when the client asks for the details again.",
      whenNot: "before an order; never write payment details from memory.",
      needs: "no arguments.",
      limits:
        "the time limit starts with the first call and a second call does not extend it; an expired order comes back at a fresh price (revived: tell the new sums).",
      returns:
        "the details with instructions, and payoutLine: repeat it word for word beside them; or needsOperator when the desk has none.",
    },
    risk: "draft_only",
    sideEffectType: "internal_rows",
    parameters,
    output,
    offered: true,
    staged: true,
    shown: [
      ...["address", "memo", "exchangeId", "paymentUrl", "detailsText", "instructions"],
      ...["payoutLocation", "payoutDestination", "payoutLine"],
    ],
    isAvailable: hasRates,
    async run(call) {
      return { kind: "write", apply: async (tx) => ({ result: await fetchFor(tx, deps, call) }) };
    },
  };
}

async function fetchFor(tx: Tx, deps: ExchangeDeps, call: ToolCall): Promise<ToolResult> {
  await lockConversation(tx, call.tenantId, call.conversationId);
  const order = await lastOrder(tx, call);
  if (!order)
    return refusal({
      type: "requisites",
      reason: "no_order",
      summary: "there is no order yet; price it and create the order first",
      code: "NOT_FOUND",
    });
  if (order.status === "paid" || order.status === "payout" || order.status === "completed")
    return refusal({
      type: "requisites",
      id: orderName(order),
      reason: "already_paid",
      summary: `${orderName(order)} is paid already; nothing more is to be sent`,
      data: { orderId: orderName(order), status: order.status },
    });
  if (order.proofReceivedAt !== null)
    return blockedByPayment(tx, deps, { call, order, type: "requisites" });
  const isAlive = order.status === "awaiting_payment" && order.expiresAt > call.now;
  if (!isAlive) return revived(tx, deps, call, order);
  const stored = storedRequisites(order);
  if (stored) return answer(tx, deps, call, { order, requisites: stored });
  return issue(tx, deps, call, { order });
}

async function revived(
  tx: Tx,
  deps: ExchangeDeps,
  call: ToolCall,
  order: Order,
): Promise<ToolResult> {
  const again = await reviveOrder(tx, deps, call, order);
  if ("refused" in again) return again.refused;
  return issue(tx, deps, call, { order: again.order, revived: true });
}

interface Issuing {
  order: Order;
  revived?: boolean;
}

/** The time to pay starts when the lead first learns where to pay. */
async function issue(
  tx: Tx,
  deps: ExchangeDeps,
  call: ToolCall,
  { order, revived }: Issuing,
): Promise<ToolResult> {
  const secrets = await deskSecrets(tx, deps, call.tenantId);
  const requisites = findRequisites(secrets, order);
  const problem = requisitesProblem(requisites);
  if (problem) return missing(tx, deps, call, { order, problem });
  const which = { tenantId: call.tenantId, id: order.id, now: call.now };
  const sources = await sourcesOf(tx, call.tenantId, requisiteNames(secrets, order));
  const issued = await changeOrder(tx, which, {
    requisitesJson: { ...requisites, issuedAt: isoTime(call.now), sources },
    expiresAt: call.now + orderTtlMs(order.asset),
  });
  await moveStage(tx, call, "requisites_sent");
  return answer(tx, deps, call, { order: issued, requisites, revived });
}

async function answer(
  tx: Tx,
  deps: ExchangeDeps,
  call: ToolCall,
  given: Issuing & { requisites: Requisites },
): Promise<ToolResult> {
  const secrets = await deskSecrets(tx, deps, call.tenantId);
  return requisitesResult({
    ...given,
    language: call.language,
    amlPolicy: secrets.get("exchange_aml_policy"),
  });
}

/** A mistyped wallet would take the lead's money to nobody. */
function requisitesProblem(requisites: Requisites): string | null {
  if (requisites.kind === "missing") return `the secret ${requisites.secretName} is not set`;
  if (requisites.kind !== "crypto" || requisites.network !== "trc20") return null;
  return isTronAddress(requisites.address) ? null : "the TRC20 wallet is no valid Tron address";
}

async function missing(
  tx: Tx,
  deps: ExchangeDeps,
  call: ToolCall,
  { order, problem }: { order: Order; problem: string },
): Promise<ToolResult> {
  const { tenantId, conversationId, contactId, now } = call;
  await raiseHandoff(tx, deps.jobs, {
    ...{ tenantId, conversationId, contactId, now },
    reason: "operator_request",
    order,
    summary: {
      en: `no payment details for ${orderName(order)}: ${problem}`,
      ru: `нет реквизитов для ${orderName(order)}: ${problem}`,
    },
  });
  return refusal({
    type: "requisites",
    id: orderName(order),
    reason: "requisites_missing",
    needsOperator: true,
    summary: "the desk has no payment details for this way of paying; an operator will send them",
    data: { orderId: orderName(order), status: order.status },
  });
}
