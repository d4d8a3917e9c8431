/**
 * Only `pending` and `frozen` are open. `frozen`: the client objected, and nobody can approve it
 * until a person lifts that. `superseded`: a newer request with the same business key took its
 * place.
 */
export type ApprovalStatus =
  | "pending"
  | "frozen"
  | "approved"
  | "rejected"
  | "expired"
  | "superseded"
  | "cancelled";

/** `delay`: nobody cancelled it in time. */
export type DecisionVia = "telegram" | "slack" | "api" | "delay";

/** The number people say: A-17. */
export function approvalName(number: number): string {
  return `A-${number}`;
}
