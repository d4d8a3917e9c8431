import { assetKind, networkOf, normalizeAsset } from "./assets.ts";

/** Where the lead pays. Every text comes from the tenant's secrets as it was typed. */
export type Requisites =
  | { kind: "crypto"; address: string; memo?: string; network: string }
  | { kind: "crypto_uid"; exchangeId: string; rail: ExchangeRail }
  | { kind: "fiat"; paymentUrl: string }
  | { kind: "fiat"; detailsText: string }
  /** The secret that has to be set before this order can be paid. */
  | { kind: "missing"; secretName: string };

/**
 * How the order is to be paid. A rail that is known wins over the network; fiat goes by the method.
 */
export interface RequisitesQuery {
  asset: string;
  network?: string | null;
  paymentMethod?: string | null;
  paymentRail?: string | null;
}

/** Secrets by name. */
export type Readable = Pick<ReadonlyMap<string, string>, "get">;

/**
 * Transfers between accounts of one exchange: no chain shows them, so that a person checks each.
 */
export type ExchangeRail = "binance" | "bybit" | "htx";

const RAIL_SECRETS: Readonly<Record<ExchangeRail, string>> = {
  binance: "exchange_binance_id",
  bybit: "exchange_bybit_uid",
  htx: "exchange_htx_uid",
};

const CARD_TEXT = "exchange_rub_card_requisites";
const CARD_LINES = ["number", "phone", "bank", "recipient"].map(
  (part) => `exchange_rub_card_${part}`,
);

/** Never falls back to another way of paying: the lead would send money where nobody looks. */
export function findRequisites(secrets: Readable, query: RequisitesQuery): Requisites {
  if (assetKind(query.asset) === "fiat") return fiatRequisites(secrets, query);
  const rail = (query.paymentRail ?? "").trim().toLowerCase();
  if (!isExchangeRail(rail)) return walletRequisites(secrets, query);
  const exchangeId = secretText(secrets, RAIL_SECRETS[rail]);
  return exchangeId
    ? { kind: "crypto_uid", exchangeId, rail }
    : { kind: "missing", secretName: RAIL_SECRETS[rail] };
}

/** Names of the secrets that the details of this way of paying are made of. */
export function requisiteNames(secrets: Readable, query: RequisitesQuery): string[] {
  const taken: string[] = [];
  const noting = {
    get(name: string) {
      const text = secretText(secrets, name);
      if (text) taken.push(name);
      return text;
    },
  };
  findRequisites(noting, query);
  return taken;
}

function walletRequisites(secrets: Readable, query: RequisitesQuery): Requisites {
  const asset = normalizeAsset(query.asset);
  const network = networkOf(asset, query.network);
  const name = ["exchange_wallet", asset.toLowerCase(), network].filter(Boolean).join("_");
  const address = secretText(secrets, name);
  if (!address) return { kind: "missing", secretName: name };
  const memo = secretText(secrets, `${name}_memo`) ?? secretText(secrets, `${name}_tag`);
  return { kind: "crypto", address, network, ...(memo ? { memo } : {}) };
}

function fiatRequisites(secrets: Readable, query: RequisitesQuery): Requisites {
  if (query.paymentMethod === "card_transfer") {
    const detailsText = normalizeAsset(query.asset) === "RUB" ? cardText(secrets) : undefined;
    return detailsText ? { kind: "fiat", detailsText } : { kind: "missing", secretName: CARD_TEXT };
  }
  const paymentUrl = secretText(secrets, "exchange_fiat_payment_url");
  return paymentUrl
    ? { kind: "fiat", paymentUrl }
    : { kind: "missing", secretName: "exchange_fiat_payment_url" };
}

/** The card as one text, else its parts, a line each; without a card number or a phone it is no card. */
function cardText(secrets: Readable): string | undefined {
  const whole = secretText(secrets, CARD_TEXT);
  if (whole) return whole;
  const [number, phone, ...rest] = CARD_LINES.map((name) => secretText(secrets, name));
  if (!number && !phone) return undefined;
  return [number, phone, ...rest].filter(Boolean).join("\n");
}

function secretText(secrets: Readable, name: string): string | undefined {
  const text = secrets.get(name);
  return text?.trim() ? text : undefined;
}

function isExchangeRail(rail: string): rail is ExchangeRail {
  return Object.hasOwn(RAIL_SECRETS, rail);
}
