import { z } from "zod";
import type { ToolResult } from "../../../domain/tool.ts";
import type { Tx } from "../../../store/db.ts";
import { cancelOrders, type Order, openOrders, orderName } from "../../../store/orders.ts";
import { quoteById, quoteName, recentQuotes } from "../../../store/quotes.ts";
import { lockConversation } from "../../../store/runs.ts";
import type { RagTool, ToolCall } from "../../contract.ts";
import { raiseHandoff } from "../../raise-handoff.ts";
import { argumentsOf, decimalText, isoTime, success } from "../../results.ts";
import { blockedByPayment, hasPayment } from "./blocked-by-payment.ts";
import { type ExchangeDeps, hasRates } from "./exchange-deps.ts";
import { moveStage } from "./move-stage.ts";
import { displayOf, figuresData, priceOf, priceRefusal, quoteData, saveQuote } from "./price.ts";
import { quoteOutput } from "./quote-output.ts";
import { resolveTerms, sameTerms, type Terms, termsOfOrder } from "./terms.ts";

const parameters = z.strictObject({
  asset: z.string().min(2).max(12).describe("what the client sends: USDT, BTC, RUB …"),
  amount: decimalText.describe('decimal text, e.g. "500"; of the side that amountMode names'),
  amountMode: z
    .enum(["source_amount", "target_amount"])
    .optional()
    .describe("source_amount: what the client sends; target_amount: what the client wants to get"),
  network: z.string().max(20).optional().describe("of a coin, e.g. TRC20"),
});
type Args = z.infer<typeof parameters>;

/** Writes the quote that an order may rest on; only its figures may be named to a lead. */
export function computeExchangeQuote(deps: ExchangeDeps): RagTool<Args> {
  return {
    name: "compute_exchange_quote",
    title: "Exchange quote",
    description: {
      does: "Prices an exchange.",
      when: "whenever the client names what they send and how much, and again when the terms change; never name a sum without it.",
      whenNot: "for questions about how the exchange works.",
      needs:
        "asset and amount; amountMode target_amount when the sum is what the client wants to receive.",
      limits:
        "nothing is reserved, the offer ends at expiresAt; other terms than those of an unpaid order cancel that order; refused after a payment.",
      returns: "both sums, or the reason (minimum, maximum, no rate).",
    },
    risk: "draft_only",
    sideEffectType: "internal_rows",
    parameters,
    output: quoteOutput,
    offered: true,
    staged: true,
    isAvailable: hasRates,
    async run(call) {
      const args = argumentsOf(parameters, call);
      return {
        kind: "write",
        apply: async (tx) => ({ result: await quote(tx, deps, { call, args }) }),
      };
    },
  };
}

interface Asked {
  call: ToolCall;
  args: Args;
}

async function quote(tx: Tx, deps: ExchangeDeps, { call, args }: Asked): Promise<ToolResult> {
  await lockConversation(tx, call.tenantId, call.conversationId);
  const open = await openOrders(tx, call);
  const [newest] = await recentQuotes(tx, call, 1);
  const terms = resolveTerms(args, {
    order: open[0] ?? null,
    quote: newest?.status === "open" ? newest : null,
  });
  const kept = open.find((order) => stands(order, terms, call.now));
  if (kept) return orderFigures(tx, call, kept);
  const paid = open.find(hasPayment);
  if (paid) return blockedByPayment(tx, deps, { call, order: paid, type: "exchange_quote" });
  const priced = await priceOf(tx, deps, call.tenantId, terms);
  if (!priced.ok) {
    const refused = priceRefusal(priced, terms);
    if (refused.data.needsOperator === true) await askOperator(tx, deps, call, terms);
    return refused;
  }
  const ids = open.map((order) => order.id);
  await cancelOrders(tx, { tenantId: call.tenantId, ids, now: call.now });
  const saved = await saveQuote(tx, call, terms, priced);
  await moveStage(tx, call, open.length > 0 ? "requoted" : "quoted");
  const summary = `${saved.amountFrom} ${saved.asset} gives ${saved.amountTo} ${saved.quoteAsset}`;
  const cancelled = open.length > 0 ? open.map(orderName) : undefined;
  return success(
    { type: "exchange_quote", id: quoteName(saved), summary },
    { ...quoteData(saved, call.language), cancelledOrders: cancelled },
  );
}

/** An order is a snapshot: asked again for the same, it gives its own figures until it ends. */
function stands(order: Order, terms: Terms, now: number): boolean {
  const isUnpaid = order.status === "awaiting_payment" && !hasPayment(order);
  return isUnpaid && order.expiresAt > now && sameTerms(termsOfOrder(order), terms);
}

async function orderFigures(tx: Tx, call: ToolCall, order: Order): Promise<ToolResult> {
  const quoted = await quoteById(tx, call.tenantId, order.quoteId);
  const summary = `order ${orderName(order)} stands for these terms`;
  return success(
    { type: "exchange_quote", id: quoted ? quoteName(quoted) : null, summary },
    {
      quoteId: quoted ? quoteName(quoted) : orderName(order),
      ...figuresData(order),
      display: displayOf(order, call.language),
      expiresAt: isoTime(order.expiresAt),
      orderId: orderName(order),
    },
  );
}

async function askOperator(
  tx: Tx,
  deps: ExchangeDeps,
  call: ToolCall,
  terms: Terms,
): Promise<void> {
  const { tenantId, conversationId, contactId, now } = call;
  const asked = `${terms.amount} ${terms.asset} ${terms.network}`.trim();
  await raiseHandoff(tx, deps.jobs, {
    ...{ tenantId, conversationId, contactId, now },
    reason: "operator_request",
    order: null,
    summary: {
      en: `no price for ${asked}: the rate is missing or was stopped by the safety check`,
      ru: `нет цены для ${asked}: курс не задан или остановлен проверкой`,
    },
  });
}
