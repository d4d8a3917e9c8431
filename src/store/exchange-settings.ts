import { and, asc, eq } from "drizzle-orm";
import type { Tx } from "./db.ts";
import { exchangeRates, exchangeSettings } from "./schema/exchange.ts";

export type PayoutProvider = "http" | "manual";

export interface ExchangeSettings {
  quoteAsset: string;
  /** Seconds. */
  rateRefreshSec: number;
  /** Seconds. */
  feedStaleSec: number;
  /** Decimal strings in the quote currency; null is off. */
  riskAmountThreshold: string | null;
  riskFirstDealReview: boolean;
  riskDailyLimit: string | null;
  /** By payout method; a method that is missing is paid by hand. */
  payoutProviders: Record<string, PayoutProvider>;
}

const PLATFORM_QUOTE_ASSET = "THB";
const DEFAULTS: Omit<ExchangeSettings, "quoteAsset"> = {
  rateRefreshSec: 180,
  feedStaleSec: 540,
  riskAmountThreshold: null,
  riskFirstDealReview: false,
  riskDailyLimit: null,
  payoutProviders: {},
};

/** The tenant's settings; without any, defaults and the currency of its active rates. */
export async function exchangeSettingsOf(tx: Tx, tenantId: string): Promise<ExchangeSettings> {
  const [row] = await tx
    .select()
    .from(exchangeSettings)
    .where(eq(exchangeSettings.tenantId, tenantId));
  if (!row) return { quoteAsset: await quoteAssetOfRates(tx, tenantId), ...DEFAULTS };
  const { tenantId: _tenant, updatedAt: _updatedAt, ...settings } = row;
  return settings;
}

export async function putExchangeSettings(
  tx: Tx,
  settings: ExchangeSettings,
  change: { tenantId: string; now: number },
): Promise<void> {
  const row = { ...settings, updatedAt: change.now };
  await tx
    .insert(exchangeSettings)
    .values({ tenantId: change.tenantId, ...row })
    .onConflictDoUpdate({ target: exchangeSettings.tenantId, set: row });
}

async function quoteAssetOfRates(tx: Tx, tenantId: string): Promise<string> {
  const [rate] = await tx
    .select({ quoteAsset: exchangeRates.quoteAsset })
    .from(exchangeRates)
    .where(and(eq(exchangeRates.tenantId, tenantId), eq(exchangeRates.isActive, true)))
    .orderBy(asc(exchangeRates.asset), asc(exchangeRates.id))
    .limit(1);
  return rate?.quoteAsset ?? PLATFORM_QUOTE_ASSET;
}
