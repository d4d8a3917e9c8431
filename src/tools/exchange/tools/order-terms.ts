import { assetKind } from "../assets.ts";
import { normalizePayoutMethod, type PayoutMethod, payoutMethodRules } from "../payout-methods.ts";

/**
 * How the lead pays; only a `crypto_transfer` can be checked by a machine, and not on every
 * network.
 */
export const PAYMENT_METHODS = [
  "crypto_transfer",
  "sbp_qr",
  "card_transfer",
  "bank_transfer",
  "cash",
] as const;
/** Stands in the order; which requisites are given hangs on it. */
export type PaymentMethod = (typeof PAYMENT_METHODS)[number];

/** How the lead pays when nothing was said. */
export function defaultPaymentMethod(asset: string): PaymentMethod {
  if (assetKind(asset) === "crypto") return "crypto_transfer";
  return asset === "RUB" ? "sbp_qr" : "bank_transfer";
}

/** What is wrong, for the model, naming the argument; null: the two go together. */
export function paymentMethodProblem(asset: string, method: PaymentMethod): string | null {
  const isCoin = assetKind(asset) === "crypto";
  if (isCoin === (method === "crypto_transfer")) return null;
  return isCoin
    ? "paymentMethod: a coin is paid by crypto_transfer"
    : "paymentMethod: money is not paid by crypto_transfer";
}

/**
 * As the lead named it; a plain text stands under `text`. Nothing of it is checked but by people.
 */
export type PayoutDestination = { [field: string]: string };

/** Where the payout goes; parts that are not known yet are null. */
export interface PayoutTarget {
  method: PayoutMethod | null;
  location: string | null;
  destination: PayoutDestination | null;
}

/** What the model says of the payout, in its words; parts may be missing. */
export interface NamedTarget {
  payoutMethod?: string | undefined;
  payoutLocation?: string | undefined;
  payoutDestination?: string | PayoutDestination | undefined;
}

/** `asks`: the lead has to be asked first; no order is made. */
export type SettledTarget =
  | ({ kind: "settled" } & PayoutTarget)
  | { kind: "asks"; reason: string; summary: string; options?: string[] };

/** One office fills the location; of several one has to be named. */
export function settleTarget(named: NamedTarget, offices: readonly string[]): SettledTarget {
  const method = named.payoutMethod ? normalizePayoutMethod(named.payoutMethod) : null;
  if (named.payoutMethod && method === null) {
    return {
      kind: "asks",
      reason: "unknown_payout_method",
      summary: "the desk has no such payout method; ask which of its methods the client wants",
    };
  }
  const destination = destinationOf(named.payoutDestination);
  const location = named.payoutLocation?.trim() || null;
  if (method === null) return { kind: "settled", method, location, destination };
  const rules = payoutMethodRules(method);
  if (rules.needsDestination && destination === null) {
    return {
      kind: "asks",
      reason: "destination_needed",
      summary: "a bank payout needs the client's bank and account in payoutDestination",
    };
  }
  if (rules.location === "office") return atOffice({ method, destination }, location, offices);
  const isUsed = rules.location === "delivery";
  return { kind: "settled", method, location: isUsed ? location : null, destination };
}

function atOffice(
  target: Pick<PayoutTarget, "method" | "destination">,
  named: string | null,
  offices: readonly string[],
): SettledTarget {
  const [first, ...others] = offices;
  if (first === undefined) return { kind: "settled", ...target, location: named };
  if (others.length === 0) return { kind: "settled", ...target, location: first };
  const found = named === null ? [] : offices.filter((office) => isNamed(office, named));
  const [office, ...ambiguous] = found;
  if (office !== undefined && ambiguous.length === 0)
    return { kind: "settled", ...target, location: office };
  return {
    kind: "asks",
    reason: "location_needed",
    summary: "there are several offices; ask the client which one, then name it in payoutLocation",
    options: [...offices],
  };
}

function isNamed(office: string, named: string): boolean {
  const [left, right] = [folded(office), folded(named)];
  return right.length >= 3 && (left.includes(right) || right.includes(left));
}

function folded(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

function destinationOf(named: NamedTarget["payoutDestination"]): PayoutDestination | null {
  if (named === undefined) return null;
  if (typeof named === "string") return named.trim() ? { text: named.trim() } : null;
  const fields = Object.entries(named).filter(([, value]) => value.trim() !== "");
  return fields.length > 0 ? Object.fromEntries(fields) : null;
}
