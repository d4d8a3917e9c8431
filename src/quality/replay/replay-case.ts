import { canonicalJson, type Json, type JsonObject } from "../../domain/json.ts";
import type { JudgedCall } from "../../domain/quality.ts";
import type { GateFacts } from "../../policy/evaluate.ts";
import { differencesOf, holdsPattern } from "../match-arguments.ts";
import { type Difference, type Fault, shown, type Where } from "../regressions/fault.ts";
import { isObject, type RegressionRecord } from "../regressions/record.ts";
import { type Asked, askAgain } from "./ask-again.ts";
import { isWholeCall, judgeCall, type RawCall, type Rules } from "./judge-call.ts";
import { readFacts } from "./recorded-facts.ts";

/** What a case is replayed against. */
export interface CaseReplay {
  rules: Rules;
  /** null: schemas and rules alone. `systemFor`: the system message of a case, as it is now. */
  model: (Omit<Asked, "system"> & { systemFor(record: RegressionRecord): string }) | null;
  /** Told of a case of which nothing could be asked without a model. */
  onUndecided(record: RegressionRecord): void;
}

/**
 * Meets the recorded call, or the one that is expected instead, with schemas and rules as they are
 * now; with a model, its answer to the recorded messages, too. Each difference is a fault.
 */
export async function replayCase(
  replay: CaseReplay,
  record: RegressionRecord,
  where: Where,
  signal: AbortSignal,
): Promise<Fault[]> {
  const facts = readFacts(isObject(record.context.facts) ? record.context.facts : null);
  const found = [...byRules(replay, record, facts)];
  if (replay.model) found.push(...(await byModel(replay, record, facts, signal)));
  return found.map((difference) => ({ ...where, ...difference }));
}

function byRules(
  replay: CaseReplay,
  record: RegressionRecord,
  facts: GateFacts | null,
): Difference[] {
  const { expected, input } = record;
  const wanted = wantedCall(record);
  const absent = wanted ? differenceOfAbsent(replay.rules, wanted.tool) : [];
  if (absent.length > 0) return absent;
  if (wanted && !isAboutRecorded(record)) return differencesOfWanted(replay, record, wanted, facts);
  if (expected.policyResult !== undefined && input.args !== null) {
    const judged = judgeCall(replay.rules, rawCall(record.toolName, input.args), facts);
    return differenceOfResult(expected.policyResult, judged);
  }
  if (!replay.model) replay.onUndecided(record);
  return [];
}

/**
 * People marked the arguments and named no others: what is expected of the policy is expected of the
 * recorded call, and a model has to do something else than that.
 */
function isAboutRecorded({ label, toolName, expected }: RegressionRecord): boolean {
  const { tool = toolName, args } = expected;
  return label === "bad_args" && args === undefined && tool === toolName;
}

/** null: the case names no call that is right. */
function wantedCall({ expected, toolName }: RegressionRecord): Wanted | null {
  if (expected.tool === null) return null;
  if (expected.tool === undefined && expected.args === undefined) return null;
  return { tool: expected.tool ?? toolName, args: expected.args ?? null };
}

interface Wanted {
  tool: string;
  /** null: the case names none. */
  args: JsonObject | null;
}

function differencesOfWanted(
  replay: CaseReplay,
  record: RegressionRecord,
  { tool, args }: Wanted,
  facts: GateFacts | null,
): Difference[] {
  const { rules } = replay;
  const { policyResult } = record.expected;
  const call = args && wholeCall(rules, { tool, args });
  if (!call) {
    // some fields, or expressions: what a model fills in is compared with them
    if (!replay.model) replay.onUndecided(record);
    return [];
  }
  const judged = judgeCall(rules, call, facts);
  if (policyResult !== undefined) return differenceOfResult(policyResult, judged);
  if (resultOf(judged) !== "schema_failed") return [];
  return [
    { path: "replay.args", expected: "arguments that the schema takes", actual: told(judged) },
  ];
}

function differenceOfAbsent({ registry, activeTools }: Rules, tool: string): Difference[] {
  const isThere = registry.find(tool) && (activeTools?.has(tool) ?? true);
  if (isThere) return [];
  const expected = `${tool} to be there and switched on`;
  return [{ path: "replay.tool", expected, actual: "it is not" }];
}

/** null: only some fields of a call, or expressions. */
function wholeCall(
  rules: Rules,
  { tool, args }: { tool: string; args: JsonObject },
): RawCall | null {
  const call = rawCall(tool, args);
  return !holdsPattern(args) && isWholeCall(rules, call) ? call : null;
}

async function byModel(
  { model, rules }: CaseReplay,
  record: RegressionRecord,
  facts: GateFacts | null,
  signal: AbortSignal,
): Promise<Difference[]> {
  const { messages } = record.input;
  if (!model || !messages || messages.length === 0)
    return [
      { path: "input.messages", expected: "the messages before the call", actual: shown(messages) },
    ];
  const answer = await askAgain({ ...model, system: model.systemFor(record) }, messages, signal);
  if (answer.error !== null)
    return [{ path: "replay.answer", expected: "an answer", actual: answer.error }];
  const calls = answer.calls.map((call) => judgeCall(rules, call, facts));
  return [...forbidden(record, calls), ...asExpected(record, calls)];
}

function forbidden({ expected }: RegressionRecord, calls: readonly JudgedCall[]): Difference[] {
  const names = new Set(expected.forbiddenTools ?? []);
  return calls
    .filter(({ toolName }) => names.has(toolName))
    .map(({ toolName }) => ({
      path: "replay.tool",
      expected: `no call of ${toolName}`,
      actual: `${toolName} called`,
    }));
}

function asExpected(record: RegressionRecord, calls: readonly JudgedCall[]): Difference[] {
  const { expected } = record;
  const called = calls.map((call) => call.toolName).join(", ") || "no call";
  if (expected.tool === null)
    return calls.length === 0 ? [] : [{ path: "replay.tool", expected: "no call", actual: called }];
  const wanted = wantedCall(record);
  const isRecorded = isAboutRecorded(record);
  if (!wanted && !isRecorded) return [];
  const tool = wanted?.tool ?? record.toolName;
  const same = calls.filter((call) => call.toolName === tool);
  if (wanted && same.length === 0) return [{ path: "replay.tool", expected: tool, actual: called }];
  if (isRecorded) return differencesFromRecorded(record, same);
  const each = wanted ? same.map((call) => differencesOfCall(record, wanted, call)) : [];
  return each.find((differences) => differences.length === 0) ?? each[0] ?? [];
}

/** `deny` and `schema_failed` are what becomes of the marked arguments, not what a model should reach. */
function differencesFromRecorded(
  { expected, input }: RegressionRecord,
  again: readonly JudgedCall[],
): Difference[] {
  const bad = again.find((call) => isBadAgain(call, input.args));
  if (bad)
    return [
      {
        path: "replay.args",
        expected: "other arguments than those that people marked",
        actual: told(bad),
      },
    ];
  const { policyResult } = expected;
  if (policyResult !== "allow" && policyResult !== "approval") return [];
  const each = again.map((call) => differenceOfResult(policyResult, call));
  return each.find((differences) => differences.length === 0) ?? each[0] ?? [];
}

function differencesOfCall(
  { expected }: RegressionRecord,
  { args }: Wanted,
  call: JudgedCall,
): Difference[] {
  return [
    ...(args === null
      ? []
      : differencesOf(args, call.args).map(({ path, wanted, got, tooSlow }) => ({
          path: `replay.args${path}`,
          expected: shown(wanted),
          actual: tooSlow ? `${shown(got)}: the expression takes too long` : shown(got),
        }))),
    ...(expected.policyResult === undefined ? [] : differenceOfResult(expected.policyResult, call)),
  ];
}

function isBadAgain(call: JudgedCall, marked: Json): boolean {
  return resultOf(call) === "schema_failed" || canonicalJson(call.args) === canonicalJson(marked);
}

function differenceOfResult(expected: string, judged: JudgedCall): Difference[] {
  const actual = resultOf(judged);
  return actual === expected
    ? []
    : [{ path: "replay.policyResult", expected, actual: told(judged) }];
}

/** `schema_failed` also for a tool that is not there. */
function resultOf({ policyResult, reason }: JudgedCall): string {
  if (policyResult) return policyResult;
  return reason === "facts_unknown"
    ? "unknown: the case holds no facts of its gate"
    : "schema_failed";
}

function told(judged: JudgedCall): string {
  const result = resultOf(judged);
  const { reason } = judged;
  return reason && reason !== "facts_unknown" ? shown(`${result}: ${reason}`).slice(1, -1) : result;
}

function rawCall(name: string, args: JsonObject): RawCall {
  return { name, arguments: JSON.stringify(args) };
}
