import type { Json, JsonObject } from "../../domain/json.ts";
import { findsIn } from "../find-text.ts";
import type { EffectName, EvalCase } from "./case-format.ts";
import { differences, patternOf } from "./pattern.ts";
import type { Played, PlayedCall } from "./played.ts";

/** How a case ended. The actual call is the one that fits, else the nearest to what was wanted. */
export interface Verdict {
  passed: boolean;
  /** What was wanted and what came, one sentence each; null: it passed. */
  failureReason: string | null;
  actualTool: string | null;
  actualArguments: Json;
  policyResult: string | null;
  /** Forbidden tools that were proposed, blocked or not. */
  forbidden: string[];
}

/** Judges by what the rows say: tool, arguments, policy, effects, and only then words. */
export function judge(evalCase: EvalCase, played: Played): Verdict {
  const { calls } = played;
  const forbidden = [...new Set(calls.map(({ tool }) => tool))].filter((tool) =>
    evalCase.forbidden_tools.includes(tool),
  );
  const call = nearest(evalCase, calls);
  const failures = [
    ...played.errors.map((error) => `the product failed: ${error}`),
    ...forbidden.map((tool) => `forbidden tool ${tool} was proposed (${fate(calls, tool)})`),
    ...toolFailures(evalCase, calls, call),
    ...countFailures(evalCase, played),
    ...replyFailures(evalCase, played),
  ];
  return {
    passed: failures.length === 0,
    failureReason: failures.length === 0 ? null : told(failures, played),
    actualTool: call?.tool ?? null,
    actualArguments: call?.args ?? null,
    policyResult: call?.policyResult ?? null,
    forbidden,
  };
}

const MOST_WARNINGS = 3;

function told(failures: readonly string[], { warnings }: Played): string {
  const known = [...new Set(warnings)].slice(0, MOST_WARNINGS).map((one) => `(${one})`);
  return [failures.join("; "), ...known].join(" ");
}

function fate(calls: readonly PlayedCall[], tool: string): string {
  const results = calls.filter((call) => call.tool === tool).map(resultOf);
  return [...new Set(results)].join(", ");
}

/** The first call that fits; else the one of the wanted tool with the fewest faults; else the first. */
function nearest(evalCase: EvalCase, calls: readonly PlayedCall[]): PlayedCall | undefined {
  const ofTool = calls.filter(({ tool }) => tool === evalCase.expected_tool);
  const byFaults = ofTool.toSorted(
    (one, other) => faultsOf(evalCase, one).length - faultsOf(evalCase, other).length,
  );
  return byFaults[0] ?? calls[0];
}

function toolFailures(
  evalCase: EvalCase,
  calls: readonly PlayedCall[],
  call: PlayedCall | undefined,
): string[] {
  const { expected_tool: wanted, any_tool: anyTool } = evalCase;
  if (anyTool) return [];
  if (wanted === null)
    return calls.length === 0 ? [] : [`wanted no tool call, got ${namesOf(calls)}`];
  if (call?.tool !== wanted) return [`wanted a call of ${wanted}, got ${namesOf(calls)}`];
  return faultsOf(evalCase, call).map((fault) => `${wanted}: ${fault}`);
}

function faultsOf(evalCase: EvalCase, call: PlayedCall): string[] {
  const { expected_arguments, expected_result, expected_policy_result: result } = evalCase;
  const reply = (call.reply ?? {}) as JsonObject; // plain JSON, as it stands in its row
  return [
    ...(expected_arguments ? prefixed("argument", differences(expected_arguments, call.args)) : []),
    ...(result !== null && call.policyResult !== result
      ? [`wanted the policy result ${result}, got ${resultOf(call)}`]
      : []),
    ...(expected_result ? prefixed("result", differences(expected_result, reply)) : []),
  ];
}

function resultOf({ policyResult, reason }: PlayedCall): string {
  const result = policyResult ?? "none";
  return reason === null ? result : `${result} (${reason})`;
}

function prefixed(kind: string, found: readonly string[]): string[] {
  return found.map((one) => `${kind} ${one}`);
}

function countFailures(evalCase: EvalCase, { calls, effects }: Played): string[] {
  const { expected_calls: wanted, expected_effects = {}, expected_tool } = evalCase;
  const failures: string[] = [];
  const counted = calls.filter(({ tool }) => tool === (expected_tool ?? tool));
  if (wanted !== undefined && counted.length !== wanted)
    failures.push(`wanted ${wanted} calls, got ${counted.length}: ${namesOf(calls)}`);
  for (const [name, many] of Object.entries(expected_effects)) {
    const actual = effects[name as EffectName]; // the schema lets only these through
    if (many !== undefined && actual !== many)
      failures.push(`wanted ${many} ${name}, got ${actual}`);
  }
  return failures;
}

function replyFailures(evalCase: EvalCase, { replies }: Played): string[] {
  const { reply_must_match: must, reply_must_not_match: mustNot } = evalCase;
  if (must.length === 0 && mustNot.length === 0) return [];
  if (replies.length === 0) return ["wanted a reply, got none"];
  const reply = replies.join("\n");
  return [
    ...must.flatMap((pattern) => wordFailure(pattern, reply, true)),
    ...mustNot.flatMap((pattern) => wordFailure(pattern, reply, false)),
  ];
}

function wordFailure(pattern: string, reply: string, isWanted: boolean): string[] {
  const found = findsIn(patternOf(pattern), reply);
  if (found === isWanted) return [];
  const wanted = isWanted ? "a reply that matches" : "no reply that matches";
  const got = JSON.stringify(reply.slice(0, 300));
  const why = found === null ? " (the expression takes too long)" : "";
  return [`wanted ${wanted} /${pattern}/, got ${got}${why}`];
}

function namesOf(calls: readonly PlayedCall[]): string {
  return calls.length === 0 ? "none" : calls.map(({ tool }) => tool).join(", ");
}
