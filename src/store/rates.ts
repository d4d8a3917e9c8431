import { and, eq, inArray } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import { amount, Rounding } from "../domain/money.ts";
import type { Tx } from "./db.ts";
import { exchangeRates, exchangeRateTiers } from "./schema/exchange.ts";

/** Sums and rates are decimal strings, as in the database. */
export interface RateTier {
  /** Quote currency; `max` is exclusive, null is open. */
  min: string;
  max: string | null;
  displayRate: string;
  /** Display rate against the base rate, percent. */
  deviationPct: string | null;
}

/**
 * Sums, rates and percent as decimal strings. `minAmountFrom` and `maxAmountFrom`: null: no limit.
 */
export interface Rate {
  id: string;
  asset: string;
  network: string;
  quoteAsset: string;
  quoteMode: "multiply" | "divide";
  baseRate: string;
  marginPct: string;
  feeFixed: string;
  minAmountFrom: string | null;
  maxAmountFrom: string | null;
  isActive: boolean;
  autoUpdate: boolean;
  updatedBy: string;
  updatedAt: number;
  tiers: RateTier[];
}

export type NewRate = Omit<Rate, "id" | "tiers" | "updatedAt" | "updatedBy"> & {
  tiers: readonly Omit<RateTier, "deviationPct">[];
};

const DEVIATION_PLACES = 4;

/** Writes the pair's rate and all its tiers; the tiers given are all there are afterwards. */
export async function upsertRate(
  tx: Tx,
  rate: NewRate,
  change: { tenantId: string; by: string; now: number },
): Promise<string> {
  const { tenantId, by, now } = change;
  const { tiers, ...fields } = rate;
  const row = { ...fields, updatedBy: by, updatedAt: now };
  const [written] = await tx
    .insert(exchangeRates)
    .values({ id: newId(), tenantId, ...row })
    .onConflictDoUpdate({
      target: [
        exchangeRates.tenantId,
        exchangeRates.asset,
        exchangeRates.quoteAsset,
        exchangeRates.network,
      ],
      set: row,
    })
    .returning({ id: exchangeRates.id });
  if (!written) throw new Error("a rate could not be written");
  await tx.delete(exchangeRateTiers).where(ofRate(tenantId, written.id));
  if (tiers.length > 0)
    await tx.insert(exchangeRateTiers).values(
      tiers.map((tier) => ({
        id: newId(),
        tenantId,
        rateId: written.id,
        minAmount: tier.min,
        maxAmount: tier.max,
        displayRate: tier.displayRate,
        deviationPct: deviationPct(tier.displayRate, rate.baseRate),
        approvedBy: by,
        approvedAt: now,
        isActive: true,
      })),
    );
  return written.id;
}

/** Switched off ones, too, with their tiers. */
export async function listRates(tx: Tx, tenantId: string): Promise<Rate[]> {
  const rows = await tx
    .select()
    .from(exchangeRates)
    .where(eq(exchangeRates.tenantId, tenantId))
    .orderBy(exchangeRates.asset, exchangeRates.network, exchangeRates.quoteAsset);
  return withTiers(tx, tenantId, rows);
}

/** The active rates of one asset, whatever network. */
export async function rateRowsFor(tx: Tx, tenantId: string, asset: string): Promise<Rate[]> {
  const rows = await tx
    .select()
    .from(exchangeRates)
    .where(
      and(
        eq(exchangeRates.tenantId, tenantId),
        eq(exchangeRates.asset, asset.trim().toUpperCase()),
        eq(exchangeRates.isActive, true),
      ),
    )
    .orderBy(exchangeRates.network, exchangeRates.quoteAsset);
  return withTiers(tx, tenantId, rows);
}

/** False when there was none. */
export async function deleteRate(tx: Tx, tenantId: string, rateId: string): Promise<boolean> {
  await tx.delete(exchangeRateTiers).where(ofRate(tenantId, rateId));
  const removed = await tx
    .delete(exchangeRates)
    .where(and(eq(exchangeRates.tenantId, tenantId), eq(exchangeRates.id, rateId)))
    .returning({ id: exchangeRates.id });
  return removed.length > 0;
}

async function withTiers(
  tx: Tx,
  tenantId: string,
  rows: (typeof exchangeRates.$inferSelect)[],
): Promise<Rate[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const tiers = await tx
    .select()
    .from(exchangeRateTiers)
    .where(
      and(
        eq(exchangeRateTiers.tenantId, tenantId),
        eq(exchangeRateTiers.isActive, true),
        inArray(exchangeRateTiers.rateId, ids),
      ),
    )
    .orderBy(exchangeRateTiers.minAmount);
  return rows.map(({ tenantId: _tenant, ...rate }) => ({
    ...rate,
    tiers: tiers
      .filter((tier) => tier.rateId === rate.id)
      .map((tier) => ({
        min: tier.minAmount,
        max: tier.maxAmount,
        displayRate: tier.displayRate,
        deviationPct: tier.deviationPct,
      })),
  }));
}

function ofRate(tenantId: string, rateId: string) {
  return and(eq(exchangeRateTiers.tenantId, tenantId), eq(exchangeRateTiers.rateId, rateId));
}

/** (display / base - 1) * 100; null without a base to measure against. */
function deviationPct(displayRate: string, baseRate: string): string | null {
  const base = amount(baseRate);
  if (base.lte(0)) return null;
  return amount(displayRate)
    .div(base)
    .minus(1)
    .times(100)
    .toDecimalPlaces(DEVIATION_PLACES, Rounding.halfUp)
    .toFixed();
}
