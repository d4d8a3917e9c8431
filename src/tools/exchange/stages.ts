import { type OrderStatus, STAGES, type Stage } from "../../domain/deal.ts";

/** What moves a deal; tools report it and `nextStage` says where it leads, if anywhere. */
export type StageEvent =
  | "quoted"
  /** Other terms while an unpaid order was open. */
  | "requoted"
  /** An order was wanted and the contact is not verified. */
  | "kyc_needed"
  | "kyc_approved"
  | "order_created"
  | "requisites_sent"
  | "proof_waiting"
  | "payment_verified"
  | "payout_approved"
  /** A definite no of the gateway: the order is paid again. */
  | "payout_refused"
  | "cancelled";

const FORWARD: Readonly<Partial<Record<StageEvent, Stage>>> = {
  quoted: "quote_calculated",
  kyc_needed: "kyc_collection",
  order_created: "order_created",
  requisites_sent: "requisites_sent",
  proof_waiting: "payment_proof_waiting",
  payment_verified: "payment_verified",
  payout_approved: "payout_or_completion",
};

/** Asked of what stands in a row: an unknown stage lets no exchange tool run. */
export function isStage(text: string): text is Stage {
  return (STAGES as readonly string[]).includes(text);
}

/** No event leads on from here, but for a payout that the gateway refused. */
export function isFinalStage(stage: Stage): boolean {
  return stage === "payout_or_completion" || stage === "cancelled";
}

/**
 * Where an event takes the deal. Moves go forward only; what would go back leaves the stage as
 * it is. The ways back are a re-quote before payment, a refused payout and cancelling.
 */
export function nextStage(current: Stage, event: StageEvent): Stage {
  if (event === "payout_refused") {
    return current === "payout_or_completion" ? "payment_verified" : current;
  }
  if (isFinalStage(current)) return current;
  if (event === "cancelled") return "cancelled";
  if (event === "requoted") return isPaid(current) ? current : "quote_calculated";
  if (event === "kyc_approved") return current === "kyc_collection" ? "risk_review" : current;
  const target = FORWARD[event];
  return target && rank(target) > rank(current) ? target : current;
}

/**
 * A deal whose last order is over is read as its beginning, so that the next quote opens a new
 * one. A stage before the order means that this has already happened: a re-quote ends the order
 * and leaves the deal at its new quote.
 */
export function readStage(stage: string, lastOrder: OrderStatus | null): string {
  if (!isStage(stage)) return stage;
  if (stage === "cancelled") return "exchange_request";
  const isOver = lastOrder === "completed" || lastOrder === "cancelled" || lastOrder === "expired";
  return isOver && rank(stage) >= rank("order_created") ? "exchange_request" : stage;
}

function isPaid(stage: Stage): boolean {
  return rank(stage) >= rank("payment_verified");
}

function rank(stage: Stage): number {
  return STAGES.indexOf(stage);
}
