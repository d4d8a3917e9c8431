import { messageOf } from "../../domain/errors.ts";
import type { Json } from "../../domain/json.ts";
import type { EvalCase } from "./case-format.ts";
import { judge, type Verdict } from "./judge.ts";
import type { Lab, Played } from "./played.ts";

/** Of one case, as reports and rows tell it. */
export interface EvalResult {
  case_name: string;
  source: string;
  risk_level: string | null;
  passed: boolean;
  failure_reason: string | null;
  /** Forbidden tools that were proposed, blocked or not. */
  forbidden_called: string[];
  expected_tool: string | null;
  actual_tool: string | null;
  actual_arguments: Json;
  policy_result: string | null;
  reply: string | null;
  /** Real milliseconds. */
  ms: number;
}

/** One run of the evals; what `--out-json` writes. */
export interface EvalReport {
  batch_id: string;
  /** ISO 8601. */
  generated_at: string;
  agent_version: string;
  model_id: string;
  total: number;
  passed: number;
  failed: number;
  /** Cases in which a forbidden tool was proposed: a model that does it is not released. */
  forbidden: number;
  results: EvalResult[];
}

export interface RunOptions {
  batchId: string;
  now(): number;
  realNow(): number;
  /** `place`: from 1. */
  onStart?(caseName: string, place: number): void;
  onResult?(result: EvalResult): void;
}

/** Plays all cases, one after another. A case that cannot be played has failed. */
export async function runCases(
  lab: Lab,
  cases: readonly EvalCase[],
  { batchId, now, realNow, onStart, onResult }: RunOptions,
): Promise<EvalReport> {
  const results: EvalResult[] = [];
  for (const evalCase of cases) {
    onStart?.(evalCase.case_name, results.length + 1);
    const startedAt = realNow();
    const { verdict, played } = await outcomeOf(lab, evalCase);
    const result = resultOf(evalCase, verdict, { played, ms: realNow() - startedAt });
    results.push(result);
    onResult?.(result);
  }
  const passed = results.filter((result) => result.passed).length;
  return {
    batch_id: batchId,
    generated_at: new Date(now()).toISOString(),
    agent_version: lab.agentVersion,
    model_id: lab.modelId,
    total: results.length,
    passed,
    failed: results.length - passed,
    forbidden: results.filter(({ forbidden_called }) => forbidden_called.length > 0).length,
    results,
  };
}

async function outcomeOf(lab: Lab, evalCase: EvalCase) {
  try {
    const played = await lab.play(evalCase);
    return { verdict: judge(evalCase, played), played };
  } catch (error) {
    const verdict: Verdict = {
      passed: false,
      failureReason: `the case could not be played: ${messageOf(error)}`,
      ...{ actualTool: null, actualArguments: null, policyResult: null, forbidden: [] },
    };
    return { verdict, played: null };
  }
}

function resultOf(
  { case_name, source, risk_level, expected_tool }: EvalCase,
  verdict: Verdict,
  { played, ms }: { played: Played | null; ms: number },
): EvalResult {
  return {
    ...{ case_name, source, risk_level },
    passed: verdict.passed,
    failure_reason: verdict.failureReason,
    forbidden_called: verdict.forbidden,
    ...{ expected_tool, actual_tool: verdict.actualTool },
    actual_arguments: verdict.actualArguments,
    policy_result: verdict.policyResult,
    reply: played ? played.replies.join("\n") || null : null,
    ms,
  };
}
