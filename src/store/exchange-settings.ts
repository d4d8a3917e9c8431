import { and, asc, eq } from "drizzle-orm";
import type { Tx } from "./db.ts";
import { checkedList, lockRowList, putRowList } from "./row-list.ts";
import { macOf, reportForged, verified } from "./row-mac.ts";
import { exchangeRates, exchangeSettings } from "./schema/exchange.ts";
import { rowLists } from "./schema/tenancy.ts";

/** `manual`: a person pays, and says so. */
export type PayoutProvider = "http" | "manual";

/** How a tenant's desk works; a tenant without a row has the defaults. */
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
  /** What one person may approve for payout a day; null: no cap. */
  operatorDailyCap: string | null;
  /** Payouts below it may be approved many at once; null: each by itself. */
  bulkApprovalLimit: string | null;
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
  operatorDailyCap: null,
  bulkApprovalLimit: null,
  payoutProviders: {},
};

/** Of what something else than the product has written or deleted: no payout by itself, no doubt. */
const STRICTEST: typeof DEFAULTS = {
  ...DEFAULTS,
  riskAmountThreshold: "0",
  riskFirstDealReview: true,
  riskDailyLimit: "0",
  operatorDailyCap: "0",
};

export interface StoredSettings extends ExchangeSettings {
  /** They are the strictest then, and no provider is one that the tenant has named. */
  isForged: boolean;
}

const TABLE = "exchange_settings";

/** The tenant's settings; without any, defaults and the currency of its active rates. */
export async function exchangeSettingsOf(tx: Tx, tenantId: string): Promise<StoredSettings> {
  const ref = { tenantId, tableName: TABLE } as const;
  const [found] = await tx
    .select({ list: rowLists, row: exchangeSettings })
    .from(rowLists)
    .leftJoin(exchangeSettings, eq(exchangeSettings.tenantId, rowLists.tenantId))
    .where(and(eq(rowLists.tenantId, tenantId), eq(rowLists.tableName, TABLE)));
  const list = checkedList(tx, ref, found?.list);
  const row = found?.row ?? null;
  const isMissed = list !== null && row === null && Object.hasOwn(list.rows, tenantId);
  if (isMissed) reportForged(tx, TABLE, { tenantId });
  if (!list || isMissed || (row && !verified(tx, TABLE, row)))
    return { ...STRICTEST, quoteAsset: await quoteAssetOfRates(tx, tenantId), isForged: true };
  if (!row)
    return { ...DEFAULTS, quoteAsset: await quoteAssetOfRates(tx, tenantId), isForged: false };
  const { tenantId: _tenant, updatedAt: _updatedAt, mac: _mac, ...settings } = row;
  return { ...settings, isForged: false };
}

/** Writes them whole: nothing of what somebody else wrote there is kept. */
export async function putExchangeSettings(
  tx: Tx,
  settings: ExchangeSettings,
  change: { tenantId: string; now: number },
): Promise<void> {
  const { tenantId, now } = change;
  const ref = { tenantId, tableName: TABLE } as const;
  await lockRowList(tx, ref);
  const row = { ...meant(settings), tenantId };
  const stored = { ...row, mac: macOf(tx, TABLE, row), updatedAt: now };
  await tx
    .insert(exchangeSettings)
    .values(stored)
    .onConflictDoUpdate({ target: exchangeSettings.tenantId, set: stored });
  await putRowList(tx, ref, { [tenantId]: "set" });
}

/** A caller may hand in what it has read, with more than that. */
function meant(settings: ExchangeSettings): ExchangeSettings {
  const { quoteAsset, rateRefreshSec, feedStaleSec, payoutProviders } = settings;
  const { riskAmountThreshold, riskFirstDealReview, riskDailyLimit } = settings;
  const { operatorDailyCap, bulkApprovalLimit } = settings;
  return {
    ...{ quoteAsset, rateRefreshSec, feedStaleSec, payoutProviders },
    ...{ riskAmountThreshold, riskFirstDealReview, riskDailyLimit },
    ...{ operatorDailyCap, bulkApprovalLimit },
  };
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
