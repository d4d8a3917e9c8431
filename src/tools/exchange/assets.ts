/** Decides how an order is paid, rounded and timed. */
export type AssetKind = "crypto" | "fiat";

/** Smallest units of the coins the desk knows; any other asset that is no currency counts 8. */
const COIN_DECIMALS: Readonly<Record<string, number>> = {
  USDT: 6,
  USDC: 6,
  TRX: 6,
  BTC: 8,
  LTC: 8,
  TON: 9,
  ETH: 18,
};
const UNKNOWN_COIN_DECIMALS = 8;
const FIAT_DECIMALS = 2;

const DEFAULT_NETWORKS: Readonly<Record<string, string>> = {
  USDT: "trc20",
  USDC: "erc20",
  ETH: "erc20",
  TRX: "tron",
  TON: "ton",
};

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));

/** How long an order waits for its payment, in minutes. */
const TTL_MIN: Readonly<Record<AssetKind, number>> = { crypto: 15, fiat: 20 };

/** The form in which assets stand in rows and are compared. */
export function normalizeAsset(asset: string): string {
  return asset.trim().toUpperCase();
}

/** "TRC-20", " trc20 " and "TRC20" are one network. */
export function normalizeNetwork(network: string): string {
  return network
    .trim()
    .toLowerCase()
    .replace(/[-‐‑‒–—]/g, "");
}

/** The network that was named, else the asset's own; always empty for fiat. */
export function networkOf(asset: string, network?: string | null): string {
  if (assetKind(asset) === "fiat") return "";
  const named = normalizeNetwork(network ?? "");
  return named || (DEFAULT_NETWORKS[normalizeAsset(asset)] ?? "");
}

/** A known coin is crypto, an ISO 4217 code is fiat, anything else is crypto. */
export function assetKind(asset: string): AssetKind {
  const name = normalizeAsset(asset);
  if (Object.hasOwn(COIN_DECIMALS, name)) return "crypto";
  return CURRENCIES.has(name) ? "fiat" : "crypto";
}

/** Digits after the point of the asset's smallest unit. */
export function assetDecimals(asset: string): number {
  if (assetKind(asset) === "fiat") return FIAT_DECIMALS;
  return COIN_DECIMALS[normalizeAsset(asset)] ?? UNKNOWN_COIN_DECIMALS;
}

/** Minutes, as the lead is told them; the order's own `expiresAt` is what counts. */
export function orderTtlMin(asset: string): number {
  return TTL_MIN[assetKind(asset)];
}

/** The same in milliseconds, for computing an end. */
export function orderTtlMs(asset: string): number {
  return orderTtlMin(asset) * 60_000;
}
