import type { Outcomes } from "./outcomes.ts";

/** Words that claim something was done, and what has to stand behind them. */
export interface ClaimRule {
  rule: string;
  patterns: RegExp[];
  backed: (outcomes: Outcomes) => boolean;
  hint: string;
  /** The words are a promise or a waiver in any tense; only a question, an offer or a refusal frees them. */
  promise?: boolean;
}
