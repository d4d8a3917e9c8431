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

/**
 * `delay`: nobody cancelled it in time. On a request that is still open: that is how it will be
 * decided, once a card of it stands where people can end it.
 */
export type DecisionVia = "telegram" | "slack" | "api" | "delay";

/** Nobody has to approve it: it takes effect by itself, unless somebody ends it before. */
export function takesEffectAlone(of: {
  decidedVia: DecisionVia | null;
  approvesItselfAt: number | null;
}): boolean {
  return of.decidedVia === "delay" || of.approvesItselfAt !== null;
}

/** The number people say: A-17. */
export function approvalName(number: number): string {
  return `A-${number}`;
}
