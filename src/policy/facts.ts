import { ORDER_STATUSES, STAGES } from "../domain/deal.ts";
import type { Json } from "../domain/json.ts";

/**
 * What a condition may compare a fact with: a literal of another kind is refused when a rule is
 * saved.
 */
export type FactKind = "word" | "code" | "amount" | "count" | "yes_no";

/**
 * Every fact that a condition may name. Words that are listed are all there are; sums are decimal
 * text; what is not known is null.
 */
export const FACTS = {
  actor_role: { kind: "word" },
  source: { kind: "word", words: ["model", "desk", "system"] },
  stage: { kind: "word", words: STAGES },
  kyc: { kind: "word", words: ["missing", "pending", "verified", "rejected", "bad_attributes"] },
  amount_from: { kind: "amount" },
  amount_to: { kind: "amount" },
  /** As the desk writes them: `THB`. */
  currency: { kind: "code" },
  order_status: { kind: "word", words: ORDER_STATUSES },
  same_account: { kind: "yes_no" },
  recipient_verified: { kind: "yes_no" },
  first_deal: { kind: "yes_no" },
  day_total: { kind: "amount" },
  run_calls: { kind: "count" },
  /** What the run has cost so far, USD. */
  run_cost: { kind: "amount" },
} as const satisfies Record<string, { kind: FactKind; words?: readonly string[] }>;

export type FactName = keyof typeof FACTS;
/**
 * A value for every fact there is, so that a new one cannot be forgotten where facts are gathered.
 */
export type KnownFacts = Record<FactName, Json>;

/** By own keys only: `constructor` in a condition names no fact. */
export function isFactName(name: string): name is FactName {
  return Object.hasOwn(FACTS, name);
}
