/** The deal's way, in order; the last two are final. */
export const STAGES = [
  "exchange_request",
  "quote_calculated",
  "verification_check",
  "kyc_collection",
  "risk_review",
  "order_created",
  "requisites_sent",
  "payment_proof_waiting",
  "payment_verified",
  "payout_or_completion",
  "cancelled",
] as const;
/**
 * Where a conversation's deal stands; the order's own status is another thing and goes its own way.
 */
export type Stage = (typeof STAGES)[number];

/**
 * The check of the table holds the same words. `payout`: handed to the gateway or to a person; an
 * `expired` order keeps its figures for money that comes too late.
 */
export const ORDER_STATUSES = [
  "quote",
  "awaiting_payment",
  "paid",
  "payout",
  "completed",
  "cancelled",
  "expired",
] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];
