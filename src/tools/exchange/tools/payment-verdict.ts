import type { Order } from "../../../store/orders.ts";
import { assetKind } from "../assets.ts";
import type { TransferCheck } from "../tron-check.ts";
import { storedRequisites } from "./requisites-result.ts";

/** The chain whose transfers are checked and counted once. */
export const CHAIN = "tron";

/** What the lead handed in as a model put it, unchecked. */
export interface PaymentProof {
  text: string | null;
  /** Transaction hashes in it: lower case, each once. */
  hashes: string[];
  /** What the model read of a receipt. */
  receipt: Record<string, string>;
}

/** Why a machine cannot say whether it is paid; each has a text for people. */
export type OperatorReason =
  | "order_expired"
  | "order_changed"
  | "second_payment"
  | "fiat_receipt"
  | "network_not_checked"
  | "rail_not_checked"
  | "no_requisites"
  | "chain_unavailable";

/**
 * What a look outside the transaction says; it is written only if the order has not changed since.
 */
export type PaymentVerdict =
  | { kind: "no_order" }
  | { kind: "already_paid" }
  /** The lead has to send a hash, or one hash only. */
  | { kind: "needs_hash"; reason: "hash_needed" | "several_hashes" }
  | { kind: "not_yet"; reason: "unknown_hash"; hash: string }
  | { kind: "operator"; reason: OperatorReason; hash?: string }
  | { kind: "reused"; hash: string; by: { id: string; number: number } }
  | { kind: "checked"; hash: string; transfer: TransferCheck; address: string };

/** `address`: the wallet that the order was given, not the one that is set today. */
export type EarlyVerdict =
  | PaymentVerdict
  | { kind: "ask_chain"; order: Order; hash: string; address: string };

/** What can be said before the chain is asked. */
export function judgePayment(order: Order | null, proof: PaymentProof): EarlyVerdict {
  if (!order) return { kind: "no_order" };
  const [hash] = proof.hashes;
  switch (order.status) {
    case "quote":
      return { kind: "no_order" };
    case "paid":
    case "payout":
    case "completed":
      return isKnownProof(order, hash)
        ? { kind: "already_paid" }
        : { kind: "operator", reason: "second_payment", ...(hash ? { hash } : {}) };
    case "expired":
    case "cancelled":
      return { kind: "operator", reason: "order_expired", ...(hash ? { hash } : {}) };
    case "awaiting_payment":
      return judgeAwaited(order, proof);
    default:
      return order.status satisfies never;
  }
}

/** What a check rested on: when it has changed since, the check says nothing. */
export function stateOf(order: Order): string {
  const { id, status, amountFrom, expiresAt, requisitesJson } = order;
  return JSON.stringify([id, status, amountFrom, expiresAt, requisitesJson]);
}

function judgeAwaited(order: Order, proof: PaymentProof): EarlyVerdict {
  if (assetKind(order.asset) === "fiat") return { kind: "operator", reason: "fiat_receipt" };
  const [hash, ...others] = proof.hashes;
  const named = hash ? { hash } : {};
  const requisites = storedRequisites(order);
  if (!requisites) return { kind: "operator", reason: "no_requisites", ...named };
  if (requisites.kind === "crypto_uid")
    return { kind: "operator", reason: "rail_not_checked", ...named };
  const isChecked = order.asset === "USDT" && order.network === "trc20";
  if (requisites.kind !== "crypto" || !isChecked)
    return { kind: "operator", reason: "network_not_checked", ...named };
  if (!hash) return { kind: "needs_hash", reason: "hash_needed" };
  if (others.length > 0) return { kind: "needs_hash", reason: "several_hashes" };
  return { kind: "ask_chain", order, hash, address: requisites.address };
}

/** Without a hash the lead only asks again. */
function isKnownProof(order: Order, hash: string | undefined): boolean {
  return hash === undefined || order.proofJson?.hash === hash;
}
