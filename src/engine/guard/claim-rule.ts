import type { Outcomes } from "./outcomes.ts";

export interface ClaimRule {
  rule: string;
  patterns: RegExp[];
  backed: (outcomes: Outcomes) => boolean;
  hint: string;
  /** The words are a promise or a waiver in any tense; only a question, an offer or a refusal frees them. */
  promise?: boolean;
}
