import type { ToolResult } from "../../../domain/tool.ts";
import type { Tx } from "../../../store/db.ts";
import { openOrders } from "../../../store/orders.ts";
import type { QuoteRow } from "../../../store/quotes.ts";
import type { ToolCall } from "../../contract.ts";
import { refusal } from "../../results.ts";
import type { ExchangeDeps } from "./exchange-deps.ts";
import { displayOf, figuresData, priceOf, priceRefusal, quoteData, saveQuote } from "./price.ts";
import { coversTerms, resolveTerms, type TermArguments, termsOfQuote } from "./terms.ts";

/** `quotes`: earlier ones of the conversation, whose terms an offer may be renewed on. */
export interface Requote {
  call: ToolCall;
  args: TermArguments;
  /** A live quote that the lead has not answered to. */
  unseen: QuoteRow | null;
  quotes: readonly QuoteRow[];
}

/**
 * No live quote holds these terms: new figures, to which the lead says yes first. Terms that were
 * never quoted are only priced, so that nothing can be ordered on them before a quote is made.
 */
export async function requote(tx: Tx, deps: ExchangeDeps, asked: Requote): Promise<ToolResult> {
  const { call, args, unseen, quotes } = asked;
  if (unseen) return needed(quoteData(unseen, call.language));
  const known = quotes.find((quote) => coversTerms(quote, args));
  const [order] = await openOrders(tx, call);
  const terms = known
    ? termsOfQuote(known)
    : resolveTerms(args, { order: order ?? null, quote: null });
  const priced = await priceOf(tx, deps, call.tenantId, terms);
  if (!priced.ok) return priceRefusal(priced, terms);
  if (!known) return needed({ ...figuresData(priced), display: displayOf(priced, call.language) });
  return needed(quoteData(await saveQuote(tx, call, terms, priced), call.language));
}

function needed(quote: ReturnType<typeof figuresData>): ToolResult {
  return refusal({
    type: "exchange_quote",
    reason: "requote_needed",
    summary:
      "the offer is over or was never made; call compute_exchange_quote, tell the client the sums and wait for a yes",
    data: quote,
  });
}
