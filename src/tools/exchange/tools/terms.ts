import { canonicalDecimal, sameAmount } from "../../../domain/money.ts";
import type { Order } from "../../../store/orders.ts";
import type { QuoteRow } from "../../../store/quotes.ts";
import { networkOf, normalizeAsset } from "../assets.ts";
import type { AmountMode } from "../quote.ts";

/** What the lead wants to change. `amount` belongs to the side that `amountMode` names. */
export interface Terms {
  asset: string;
  network: string;
  amountMode: AmountMode;
  amount: string;
}

/** As a model gives them; what it leaves out is taken from what was said before. */
export interface TermArguments {
  asset: string;
  amount: string;
  amountMode?: AmountMode | undefined;
  network?: string | undefined;
}

/** What was not said comes from the open order, else from the open quote of the same sum. */
export function resolveTerms(
  args: TermArguments,
  earlier: { order: Order | null; quote: QuoteRow | null },
): Terms {
  const asset = normalizeAsset(args.asset);
  const order = earlier.order?.asset === asset ? earlier.order : null;
  const quote = earlier.quote?.asset === asset ? earlier.quote : null;
  const isSameSum = quote !== null && sameAmount(quote.amountAsked, args.amount);
  const quotedMode = isSameSum ? quote.amountMode : undefined;
  return {
    asset,
    network: args.network
      ? networkOf(asset, args.network)
      : (order?.network ?? quote?.network ?? networkOf(asset)),
    amountMode: args.amountMode ?? order?.amountMode ?? quotedMode ?? "source_amount",
    amount: canonicalDecimal(args.amount),
  };
}

/** The side that the lead named first stays the one that is fixed when the order is priced anew. */
export function termsOfOrder(order: Order): Terms {
  const { asset, network, amountMode } = order;
  const amount = amountMode === "target_amount" ? order.amountTo : order.amountFrom;
  return { asset, network, amountMode, amount };
}

/** With the sum as it was asked, before any rounding of the price. */
export function termsOfQuote(quote: QuoteRow): Terms {
  const { asset, network, amountMode, amountAsked } = quote;
  return { asset, network, amountMode, amount: amountAsked };
}

/** Sums by value; all else is normalised already. */
export function sameTerms(left: Terms, right: Terms): boolean {
  return (
    left.asset === right.asset &&
    left.network === right.network &&
    left.amountMode === right.amountMode &&
    sameAmount(left.amount, right.amount)
  );
}

/** Do the arguments speak of this quote? A sum may name either side of it. */
export function coversTerms(quote: QuoteRow, args: TermArguments): boolean {
  const asset = normalizeAsset(args.asset);
  if (quote.asset !== asset) return false;
  if (args.network && networkOf(asset, args.network) !== quote.network) return false;
  const source = [quote.amountFrom];
  const target =
    quote.amountMode === "target_amount" ? [quote.amountTo, quote.amountAsked] : [quote.amountTo];
  const sides = { source_amount: source, target_amount: target };
  const named = args.amountMode ? sides[args.amountMode] : [...source, ...target];
  return named.some((sum) => sameAmount(sum, args.amount));
}

/** One open order for it at most. */
export function orderKey(conversationId: string, terms: Terms): string {
  const { asset, network, amountMode, amount } = terms;
  return ["conv", conversationId, asset, network, amountMode, amount].join(":");
}
