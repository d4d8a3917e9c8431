/** As little of a result as comparing needs. */
export interface CaseOutcome {
  case_name: string;
  passed: boolean;
  failure_reason?: string | null;
}

/** What changed between two runs, by names of cases. */
export interface Comparison {
  fixed: string[];
  broken: { case_name: string; failure_reason: string | null }[];
  /** Passed, or failed, both times. */
  same: { passed: number; failed: number };
  /** Only in the later run; only in the earlier one. */
  added: string[];
  removed: string[];
}

export function compareOutcomes(
  before: readonly CaseOutcome[],
  after: readonly CaseOutcome[],
): Comparison {
  const earlier = new Map(before.map((one) => [one.case_name, one.passed]));
  const later = new Set(after.map(({ case_name }) => case_name));
  const comparison: Comparison = {
    fixed: [],
    broken: [],
    same: { passed: 0, failed: 0 },
    added: [],
    removed: before.map(({ case_name }) => case_name).filter((name) => !later.has(name)),
  };
  for (const { case_name, passed, failure_reason = null } of after) {
    const passedBefore = earlier.get(case_name);
    if (passedBefore === undefined) comparison.added.push(case_name);
    else if (passedBefore === passed) comparison.same[passed ? "passed" : "failed"] += 1;
    else if (passed) comparison.fixed.push(case_name);
    else comparison.broken.push({ case_name, failure_reason });
  }
  return comparison;
}
