import type { Language } from "../../../domain/language.ts";
import { amount, Rounding } from "../../../domain/money.ts";
import type { ToolResult } from "../../../domain/tool.ts";
import type { Tx } from "../../../store/db.ts";
import { exchangeSettingsOf } from "../../../store/exchange-settings.ts";
import { insertQuote, type QuoteRow, quoteName } from "../../../store/quotes.ts";
import { rateRowsFor } from "../../../store/rates.ts";
import type { CallScope } from "../../contract.ts";
import { isoTime, type Loose, refusal } from "../../results.ts";
import { orderTtlMs } from "../assets.ts";
import { computeQuote, type Quote, type QuoteFailure } from "../quote.ts";
import { pickRate, pickTiers } from "../rate-lookup.ts";
import type { ExchangeDeps } from "./exchange-deps.ts";
import type { Terms } from "./terms.ts";

const SHOWN_RATE_PLACES = 6;

/** With the base rate of the moment: stored, never shown. */
export type Priced = Quote & { baseRate: string };

/** The price at this moment, from the tenant's own rates. */
export async function priceOf(
  tx: Tx,
  deps: Pick<ExchangeDeps, "guardLimits">,
  tenantId: string,
  terms: Terms,
): Promise<Priced | QuoteFailure> {
  const { quoteAsset } = await exchangeSettingsOf(tx, tenantId);
  const rates = await rateRowsFor(tx, tenantId, terms.asset);
  const priced = rates.filter((rate) => rate.quoteAsset === quoteAsset);
  const tiers = priced.flatMap(({ asset, network, tiers }) =>
    tiers.map((tier) => ({ ...tier, asset, network })),
  );
  const rate = pickRate(priced, terms);
  const quote = computeQuote(
    { ...terms, sourceUnits: "asset_units" },
    rate,
    pickTiers(tiers, terms),
    deps.guardLimits,
  );
  return quote.ok ? { ...quote, baseRate: rate?.baseRate ?? "0" } : quote;
}

/** Writes the offer; it lives as long as an order for it would. */
export function saveQuote(
  tx: Tx,
  scope: CallScope,
  terms: Terms,
  quote: Priced,
): Promise<QuoteRow> {
  return insertQuote(tx, {
    tenantId: scope.tenantId,
    conversationId: scope.conversationId,
    contactId: scope.contactId,
    asset: quote.asset,
    network: quote.network,
    quoteAsset: quote.quoteAsset,
    amountMode: quote.amountMode,
    amountAsked: terms.amount,
    amountFrom: quote.amountFrom,
    amountTo: quote.amountTo,
    rate: quote.exactRate,
    baseRate: quote.baseRate,
    marginPct: quote.marginPct,
    feeFixed: quote.feeFixed,
    expiresAt: scope.now + orderTtlMs(quote.asset),
    createdAt: scope.now,
  });
}

/** Of a quote or an order; sums and the exact rate as decimal text. `network` is empty for fiat. */
export interface Figures {
  asset: string;
  network: string;
  quoteAsset: string;
  amountMode: "source_amount" | "target_amount";
  amountFrom: string;
  amountTo: string;
  rate: string;
}

/** What the lead may know of a price: never the base rate or the margin. */
export function figuresData(of: Figures): Loose {
  return {
    direction: `${of.asset}->${of.quoteAsset}`,
    asset: of.asset,
    network: of.network,
    amountMode: of.amountMode,
    amountFrom: of.amountFrom,
    rate: shownRate(of.rate),
    amountTo: of.amountTo,
    quoteAsset: of.quoteAsset,
  };
}

/** As the model may repeat it; the offer holds until `expiresAt`. */
export function quoteData(quote: QuoteRow, language: Language): Loose {
  return {
    quoteId: quoteName(quote),
    ...figuresData(quote),
    display: displayOf(quote, language),
    expiresAt: isoTime(quote.expiresAt),
  };
}

/** A sentence with both sums that a model may take over word for word. */
export function displayOf(of: Figures, language: Language): string {
  const network = of.network ? ` (${of.network.toUpperCase()})` : "";
  const from = `${of.amountFrom} ${of.asset}${network}`;
  const to = `${of.amountTo} ${of.quoteAsset}`;
  return language === "ru"
    ? `Вы отдаёте ${from} и получаете ${to}`
    : `You send ${from} and receive ${to}`;
}

/** Six places, for people; sums come from the exact rate. */
export function shownRate(exact: string): string {
  return amount(exact).toDecimalPlaces(SHOWN_RATE_PLACES, Rounding.halfUp).toFixed();
}

/** Why there is no price. Deviations and thresholds of the guard are the owner's business. */
export function priceRefusal(failure: QuoteFailure, terms: Terms): ToolResult {
  const needsOperator = "needsOperator" in failure;
  const limits =
    "limit" in failure
      ? { limit: failure.limit, computedAmountFrom: failure.computedAmountFrom }
      : {};
  return refusal({
    type: "exchange_quote",
    reason: failure.error,
    needsOperator,
    summary: FAILURES[failure.error],
    data: { asset: terms.asset, network: terms.network, ...limits },
  });
}

const FAILURES: Record<QuoteFailure["error"], string> = {
  amount_not_positive: "the amount must be above zero",
  rate_not_configured: "no rate is set for this direction; an operator has to look",
  below_min: "the amount to send is below the minimum",
  above_max: "the amount to send is above the maximum",
  guard: "the rate was stopped by a safety check; an operator has to look",
};
