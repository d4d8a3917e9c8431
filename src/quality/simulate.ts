import { setImmediate } from "node:timers/promises";
import type { PolicyRow } from "../domain/policy-row.ts";
import { simulate } from "../policy/evaluate.ts";
import type { RecordedDecision } from "../store/quality-gates.ts";
import { readFacts } from "./replay/recorded-facts.ts";

/** More are counted and not told. */
const MOST_TOLD = 200;
/** Many rules on thousands of calls take seconds: other requests come in between. */
const CALLS_AT_ONCE = 50;

export interface Verdict {
  result: "allow" | "approval" | "deny";
  /** The rule that decided; null: none did. */
  policyId: string | null;
  reason: string | null;
}

/** A call about which the rules would have said something else. */
export interface ChangedDecision {
  candidateId: string;
  conversationId: string | null;
  toolName: string;
  at: number;
  before: Verdict;
  after: Verdict;
}

export interface Simulation {
  /** Recorded calls that were judged anew, with those that could not be. */
  candidates: number;
  /** The newest. */
  changed: ChangedDecision[];
  /** Of all that change: `allow→approval` -> how many. */
  counts: Record<string, number>;
  /** Written by an older version: nobody can tell what the gate saw. */
  unreadable: number;
}

/**
 * What proposed rules would have said of recorded calls, by the facts of that time. A call changes
 * when it comes out otherwise: the same outcome by another rule is none.
 */
export async function simulateOn(
  recorded: readonly RecordedDecision[],
  rows: readonly PolicyRow[],
): Promise<Simulation> {
  const changed: ChangedDecision[] = [];
  const counts = new Map<string, number>();
  let unreadable = 0;
  for (const [place, decision] of recorded.entries()) {
    if (place % CALLS_AT_ONCE === 0) await setImmediate();
    const judged = judgedAnew(decision, rows);
    if (judged === null) unreadable += 1;
    if (judged === null || judged.after.result === judged.before.result) continue;
    const way = `${judged.before.result}→${judged.after.result}`;
    counts.set(way, (counts.get(way) ?? 0) + 1);
    if (changed.length < MOST_TOLD) changed.push(judged);
  }
  return { candidates: recorded.length, changed, counts: Object.fromEntries(counts), unreadable };
}

/** null: nobody can tell what the gate saw. */
function judgedAnew(
  decision: RecordedDecision,
  rows: readonly PolicyRow[],
): ChangedDecision | null {
  const facts = readFacts(decision.facts);
  if (!facts) return null;
  const { candidateId, conversationId, toolName, at, result, policyId, reason } = decision;
  const found = simulate(facts, rows);
  return {
    ...{ candidateId, conversationId, toolName, at, before: { result, policyId, reason } },
    after: {
      result: found.kind,
      policyId: found.policyId,
      reason: found.kind === "deny" ? found.reason : null,
    },
  };
}
