import { networkOf, normalizeAsset, normalizeNetwork } from "./assets.ts";

/** Which way round the rate is written; see `RateRow.quoteMode`. */
export type QuoteMode = "multiply" | "divide";

/** An active row of the rate table. Amounts and rates are decimal strings. */
export interface RateRow {
  asset: string;
  network: string;
  /** multiply: quote units per 1 asset; divide: asset units per 1 quote unit. */
  quoteMode: QuoteMode;
  baseRate: string;
  marginPct: string;
  /** In the quote currency. */
  feeFixed: string;
  minAmountFrom: string | null;
  maxAmountFrom: string | null;
  quoteAsset: string;
}

/** A step of the volume table; its rate takes the place of base and margin. Decimal strings. */
export interface Tier {
  /** Inclusive. */
  min: string;
  /** Exclusive; null is open. */
  max: string | null;
  /** The rate itself, written in the row's quote mode. */
  displayRate: string;
  /** Absent: counted from the base rate. */
  deviationPct?: string | null;
  /** What min and max are measured in; the quote amount when absent. */
  rangeBasis?: "target" | "source_amount";
}

/** As it was said or stored: both sides are normalised before they are compared. */
export interface AssetQuery {
  asset: string;
  network?: string | null;
}

interface Keyed {
  asset: string;
  network: string;
}

/** The row of the exact network, else the asset's row without a network, else null. */
export function pickRate(rows: readonly RateRow[], query: AssetQuery): RateRow | null {
  return pickForNetwork(rows, query)[0] ?? null;
}

/** The tiers of the exact network; only when it has none, those without a network. */
export function pickTiers<T extends Tier & Keyed>(rows: readonly T[], query: AssetQuery): T[] {
  return pickForNetwork(rows, query);
}

function pickForNetwork<T extends Keyed>(rows: readonly T[], query: AssetQuery): T[] {
  const asset = normalizeAsset(query.asset);
  const network = networkOf(asset, query.network);
  const ofAsset = rows.filter((row) => normalizeAsset(row.asset) === asset);
  const exact = ofAsset.filter((row) => normalizeNetwork(row.network) === network);
  if (exact.length > 0) return exact;
  return ofAsset.filter((row) => normalizeNetwork(row.network) === "");
}
