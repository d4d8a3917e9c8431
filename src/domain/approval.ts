export type ApprovalStatus =
  | "pending"
  | "frozen"
  | "approved"
  | "rejected"
  | "expired"
  | "superseded"
  | "cancelled";

export type DecisionVia = "telegram" | "slack" | "api";

/** The number people say: A-17. */
export function approvalName(number: number): string {
  return `A-${number}`;
}
