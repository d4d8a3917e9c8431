import { z } from "zod";
import type { ToolResult } from "../../../domain/tool.ts";
import { nextNumber } from "../../../store/counters.ts";
import type { Tx } from "../../../store/db.ts";
import { exchangeSettingsOf } from "../../../store/exchange-settings.ts";
import { contactKyc } from "../../../store/kyc.ts";
import { lastLeadMessageAt } from "../../../store/lead-messages.ts";
import { orderStopOf } from "../../../store/order-stop.ts";
import {
  changeOrder,
  contactTotals,
  insertOrder,
  type Order,
  openOrders,
} from "../../../store/orders.ts";
import { markQuoteUsed, type QuoteRow, recentQuotes } from "../../../store/quotes.ts";
import { lockConversation } from "../../../store/runs.ts";
import type { RagTool, ToolCall } from "../../contract.ts";
import { argumentsOf, decimalText, refusal } from "../../results.ts";
import { orderTtlMs } from "../assets.ts";
import { assessOrderRisk, type OrderRisk } from "../risk.ts";
import { officeAddresses } from "../secret-names.ts";
import { hasPayment } from "./blocked-by-payment.ts";
import { deskSecrets, type ExchangeDeps, hasRates } from "./exchange-deps.ts";
import { needsVerification } from "./kyc-needed.ts";
import { moveStage } from "./move-stage.ts";
import { orderOutput, orderResult } from "./order-result.ts";
import {
  defaultPaymentMethod,
  PAYMENT_METHODS,
  type PayoutTarget,
  paymentMethodProblem,
  settleTarget,
} from "./order-terms.ts";
import { ordersStopped } from "./orders-stopped.ts";
import { payoutParameters } from "./payout-parameters.ts";
import { requote } from "./requote.ts";
import { sameOrderAgain } from "./same-order.ts";
import { coversTerms, orderKey, sameTerms, termsOfQuote } from "./terms.ts";

const text = (max: number) => z.string().trim().min(1).max(max);
const parameters = z.strictObject({
  asset: text(12),
  amount: decimalText.describe("as quoted: either side of the quote"),
  amountMode: z.enum(["source_amount", "target_amount"]).optional(),
  network: text(20).optional(),
  paymentMethod: z.enum(PAYMENT_METHODS).optional().describe("how the client pays"),
  paymentRail: text(40).optional().describe("binance, bybit or htx for a transfer inside it"),
  sourceBank: text(80).optional(),
  payerName: text(120).optional(),
  ...payoutParameters,
});
/**
 * What the model repeats of the terms. Figures are taken from the stored quote, never from here.
 */
export type OrderArguments = z.infer<typeof parameters>;

/**
 * Rests on a live quote that the lead has seen. Asked again with the same terms it answers with the
 * same order; other terms beside an open one are refused.
 */
export function createExchangeOrder(deps: ExchangeDeps): RagTool<OrderArguments> {
  return {
    name: "create_exchange_order",
    title: "Exchange order",
    description: {
      does: "Creates the order for a quote that the client has agreed to.",
      when: "only after a clear yes to the quoted sums.",
      whenNot: "to price anything.",
      needs:
        "asset and amount as quoted; name how the client pays and how and where the payout goes: afterwards change_payout_destination asks people for another destination.",
      limits:
        "needs a verified identity; waits 15 (coin) or 20 minutes for the payment; the same terms return the same order.",
      returns:
        "the order, with payoutLine: repeat it word for word; or needsVerification with instructions; or a question back when several offices exist or the offer has ended (requote_needed: tell the new sums, wait for a yes).",
    },
    risk: "draft_only",
    sideEffectType: "internal_rows",
    parameters,
    output: orderOutput,
    offered: true,
    staged: true,
    shown: [
      "payoutLocation",
      "payoutDestination",
      "payoutLine",
      "options",
      "instructions",
      "kycPolicy",
    ],
    isAvailable: hasRates,
    check: ({ asset, paymentMethod }) =>
      paymentMethod ? paymentMethodProblem(asset, paymentMethod) : null,
    async run(call) {
      const args = argumentsOf(parameters, call);
      return {
        kind: "write",
        apply: async (tx) => ({ result: await createOrder(tx, deps, { call, args }) }),
      };
    },
  };
}

interface Asked {
  call: ToolCall;
  args: OrderArguments;
}

async function createOrder(tx: Tx, deps: ExchangeDeps, asked: Asked): Promise<ToolResult> {
  const { call, args } = asked;
  await lockConversation(tx, call.tenantId, call.conversationId);
  const isStopped = (await orderStopOf(tx, call.tenantId)) !== null;
  const kyc = await contactKyc(tx, call);
  // nobody is asked for documents in vain
  if (isStopped && kyc?.status !== "verified") return ordersStopped(tx, deps, call, null);
  const secrets = await deskSecrets(tx, deps, call.tenantId);
  if (kyc?.status !== "verified") return needsVerification(tx, call, { kyc, secrets });
  const target = settleTarget(args, officeAddresses(secrets.get("exchange_office_address") ?? ""));
  if (target.kind === "asks") {
    const { reason, summary, options } = target;
    return refusal({ type: "exchange_order", reason, summary, data: { options } });
  }
  const open = await openOrders(tx, call);
  const quotes = await recentQuotes(tx, call);
  const again = await sameOrderAgain(tx, { call, args, target, open, quotes });
  if (again) return again;
  if (isStopped) return ordersStopped(tx, deps, call, null);
  const quote = quotes.find((one) => isLive(one, call.now) && coversTerms(one, args));
  const lastSeen = await lastLeadMessageAt(tx, call);
  if (!quote || isUnseen(quote, quotes, lastSeen))
    return requote(tx, deps, { call, args, unseen: quote ?? null, quotes });
  const standing = await endOverdue(tx, call, open);
  return place(tx, { asked, quote, target, open: standing, verificationId: kyc.verificationId });
}

function isLive(quote: QuoteRow, now: number): boolean {
  return quote.status === "open" && quote.expiresAt > now;
}

/** The lead agreed to other sums: the newer ones count once the lead has answered to them. */
function isUnseen(quote: QuoteRow, quotes: readonly QuoteRow[], lastSeen: number | null): boolean {
  const before = quotes.find(
    (one) => one.number < quote.number && sameTerms(termsOfQuote(one), termsOfQuote(quote)),
  );
  if (!before || (lastSeen !== null && lastSeen > quote.createdAt)) return false;
  return before.amountFrom !== quote.amountFrom || before.amountTo !== quote.amountTo;
}

/** Orders past their time that nobody paid give way to the new one; answers the rest. */
async function endOverdue(tx: Tx, call: ToolCall, open: readonly Order[]): Promise<Order[]> {
  const isOver = (order: Order) => !hasPayment(order) && order.expiresAt <= call.now;
  for (const { id } of open.filter(isOver)) {
    const which = { tenantId: call.tenantId, id, now: call.now };
    await changeOrder(tx, which, { status: "expired", idempotencyKey: null });
  }
  return open.filter((order) => !isOver(order));
}

interface Placing {
  asked: Asked;
  quote: QuoteRow;
  target: PayoutTarget;
  open: readonly Order[];
  verificationId: string | null;
}

async function place(tx: Tx, placing: Placing): Promise<ToolResult> {
  const { asked, quote } = placing;
  const { call } = asked;
  const risk = await riskOf(tx, placing);
  if (risk.decision === "block") {
    const summary = BLOCKED[risk.reason];
    return refusal({ type: "exchange_order", reason: risk.reason, summary });
  }
  const order = await insertOrder(tx, await newOrder(tx, placing, risk));
  if (!order) throw new Error("an order with these terms is open, though none was found");
  await markQuoteUsed(tx, call.tenantId, quote.id);
  await moveStage(tx, call, "order_created");
  return orderResult(order, { idempotent: false, language: call.language });
}

async function riskOf(tx: Tx, { asked, quote, open }: Placing): Promise<OrderRisk> {
  const { call } = asked;
  const settings = await exchangeSettingsOf(tx, call.tenantId);
  const totals = await contactTotals(tx, { ...call, quoteAsset: quote.quoteAsset });
  return assessOrderRisk(
    {
      hasOtherOpenOrder: open.length > 0,
      payout: quote.amountTo,
      completedOrders: totals.completed,
      daySum: totals.daySum,
      sender: "none",
    },
    {
      amountThreshold: settings.riskAmountThreshold,
      firstDealReview: settings.riskFirstDealReview,
      dailyLimit: settings.riskDailyLimit,
    },
  );
}

async function newOrder(tx: Tx, placing: Placing, risk: OrderRisk) {
  const { asked, quote, target, verificationId } = placing;
  const { call, args } = asked;
  const number = await nextNumber(tx, call.tenantId, { name: "order", first: 20_001 });
  const { tenantId, conversationId, contactId, now } = call;
  const { asset, network, quoteAsset, amountMode, amountFrom, amountTo, rate } = quote;
  return {
    ...{ tenantId, conversationId, contactId, number, quoteId: quote.id, verificationId },
    ...{ asset, network, quoteAsset, amountMode, amountFrom, amountTo, rate },
    idempotencyKey: orderKey(conversationId, termsOfQuote(quote)),
    status: "awaiting_payment" as const,
    paymentMethod: args.paymentMethod ?? defaultPaymentMethod(asset),
    paymentRail: args.paymentRail?.toLowerCase() ?? null,
    sourceBank: args.sourceBank ?? null,
    payerName: args.payerName ?? null,
    payoutMethod: target.method,
    payoutLocation: target.location,
    payoutDestinationJson: target.destination,
    riskJson: { ...risk },
    expiresAt: now + orderTtlMs(asset),
    createdAt: now,
  };
}

const BLOCKED = {
  open_order: "another order of this conversation is open; finish or cancel it first",
  payout_not_positive: "the payout would not be above zero",
};
