import type { CandidateStatus } from "../domain/candidate.ts";
import { newId } from "../domain/ids.ts";
import type { Json, JsonObject } from "../domain/json.ts";
import type { ToolReply } from "../domain/tool.ts";
import { actionDigest } from "../policy/digest.ts";
import { evaluate, type GateDecision } from "../policy/evaluate.ts";
import { type GateReason, gate, type Permit } from "../policy/permit.ts";
import { writeAudit } from "../store/audit.ts";
import type { Tx } from "../store/db.ts";
import { loadRoundFacts } from "../store/gate-facts.ts";
import {
  type CandidateRow,
  insertProposals,
  liveExecutionOf,
  type ProposalRows,
} from "../store/proposals.ts";
import { cardKindOf } from "./approval-card.ts";
import { askApproval } from "./ask-approval.ts";
import { askForApprovers } from "./ask-for-approvers.ts";
import { askAboutStoppedPayout } from "./ask-stopped-payout.ts";
import { type CheckedArguments, checkArguments } from "./check-arguments.ts";
import type { AnyTool, PreparedAction, PrepareRefusal } from "./contract.ts";
import { stageRefusalData } from "./gate-input.ts";
import { normaliseResult } from "./normalise.ts";
import { resourceErrors } from "./own-resources.ts";
import {
  candidateRow,
  conversationOrNone,
  executionRow,
  gateFacts,
  type Judged,
  note,
  noteCheck,
  noteGate,
  type ProposeDeps,
  type Proposing,
  type RawCall,
  type Step,
} from "./proposing.ts";
import type { RegisteredTool } from "./registry.ts";
import {
  blockedReply,
  busyReply,
  notOwnReply,
  resultReply,
  schemaReply,
  unknownToolReply,
} from "./replies.ts";

/**
 * `run`: permitted and recorded as running; the caller has to start it after the commit. `settled`:
 * the reply is final, or says that it waits.
 */
export type ProposedState =
  | { kind: "run"; permit: Permit; executionId: string; tool: AnyTool; action: JsonObject }
  | { kind: "settled"; status: CandidateStatus; reply: ToolReply }
  /** The same call stands earlier in this answer: it runs once, both get its result. */
  | { kind: "same"; asCandidateId: string };

/** One for each raw call, in the same order; `ordinal` is its place in the answer, from 0. */
export interface ProposedCall {
  candidateId: string;
  ordinal: number;
  toolName: string;
  args: Json;
  state: ProposedState;
}

/** Steps 1–5 of a call for every source. Writes all rows; runs nothing. */
export async function propose(
  tx: Tx,
  deps: ProposeDeps,
  proposing: Proposing,
  calls: readonly RawCall[],
): Promise<ProposedCall[]> {
  const round = await loadRoundFacts(tx, proposing);
  const rows: ProposalRows = { candidates: [], checks: [], gates: [], executions: [] };
  const step: Step = { tx, deps, proposing, round, rows, audit: [], seen: new Map() };
  const proposed: ProposedCall[] = [];
  for (const [ordinal, call] of calls.entries())
    proposed.push(await proposeOne(step, call, ordinal));
  await Promise.all([insertProposals(tx, rows), writeAudit(tx, step.audit)]);
  return proposed;
}

async function proposeOne(step: Step, call: RawCall, ordinal: number): Promise<ProposedCall> {
  const candidateId = newId();
  const registered = step.deps.registry.find(call.name);
  const checked: CheckedArguments = registered
    ? checkArguments(registered.tool, call, step.proposing.source)
    : { ok: false, args: null, errors: [] };
  const candidate = candidateRow(step, { candidateId, ordinal, call, args: checked.args });
  step.rows.candidates.push(candidate);
  note(step, candidate, "candidate.proposed", { summary: `${candidate.toolName} proposed` });
  const state = await decide(step, candidate, { registered, checked, call });
  if (state.kind === "settled") settle(step, candidate, state);
  return { candidateId, ordinal, toolName: candidate.toolName, args: checked.args, state };
}

interface Checked {
  registered: RegisteredTool | undefined;
  checked: CheckedArguments;
  call: RawCall;
}

async function decide(step: Step, candidate: CandidateRow, input: Checked): Promise<ProposedState> {
  const { registered, checked, call } = input;
  if (!registered) {
    note(step, candidate, "arguments.checked", {
      decision: "unknown_tool",
      summary: "unknown tool",
    });
    return blockedState(candidate, "NOT_FOUND", unknownToolReply(call.name, offeredNames(step)));
  }
  const { tool } = registered;
  const { args } = checked;
  candidate.schemaVersion = step.round.schemaVersions.get(call.name)?.version ?? 0;
  const notOwn = checked.ok ? await resourceErrors(step.tx, tool, args, step.proposing) : [];
  noteCheck(step, candidate, notOwn.length > 0 ? { ok: false, args, errors: notOwn } : checked);
  if (!checked.ok) {
    candidate.code = "INVALID_ARGUMENTS";
    return { kind: "settled", status: "schema_failed", reply: schemaReply(checked.errors) };
  }
  const earlier = step.seen.get(candidate.argumentsHash);
  if (earlier) return sameAs(candidate, earlier);
  step.seen.set(candidate.argumentsHash, candidate);
  return judge(step, candidate, { registered, args, call, notOwn });
}

/** Both calls get one result: the earlier one's, now if it has one, else when it has run. */
function sameAs(candidate: CandidateRow, earlier: CandidateRow): ProposedState {
  candidate.code = "SAME_CALL";
  if (earlier.reply) return { kind: "settled", status: earlier.status, reply: earlier.reply };
  candidate.status = "queued";
  return { kind: "same", asCandidateId: earlier.id };
}

async function judge(step: Step, candidate: CandidateRow, judged: Judged): Promise<ProposedState> {
  const { args } = judged;
  const { tool } = judged.registered;
  const early = weigh(step, judged, { digest: null, hasBusinessKey: true });
  if (early.kind === "deny") return await deny(step, candidate, judged, early);
  if (judged.notOwn.length > 0) {
    candidate.code = "NOT_FOUND";
    noteGate(step, candidate, judged, early);
    return { kind: "settled", status: "schema_failed", reply: notOwnReply(judged.notOwn) };
  }
  const prepared = await prepare(step, tool, args);
  if (prepared.kind === "refused") {
    candidate.code = prepared.result.error?.code ?? "NOT_PREPARED";
    noteGate(step, candidate, judged, early); // of what was proposed: no action came of it
    return {
      kind: "settled",
      status: "failed",
      reply: resultReply(normaliseResult(tool, prepared.result)),
    };
  }
  const digest = actionDigest(tool.name, prepared.action);
  candidate.actionJson = prepared.action;
  candidate.actionDigest = digest;
  candidate.businessKey = prepared.businessKey;
  const decision = weigh(step, judged, { digest, hasBusinessKey: prepared.businessKey !== null });
  if (decision.kind === "deny") return await deny(step, candidate, judged, decision);
  noteGate(step, candidate, judged, decision);
  const state =
    decision.kind === "approval"
      ? await ask(step, candidate, { tool, prepared, digest, decision })
      : queueRun(step, candidate, judged, { prepared, digest });
  countCall(step, tool.name); // after the gate's own look: a call does not count against itself
  return state;
}

function weigh(
  step: Step,
  judged: Judged,
  known: { digest: string | null; hasBusinessKey: boolean },
): GateDecision {
  return evaluate(gateFacts(step, judged, known), step.round.policies);
}

async function prepare(
  step: Step,
  tool: AnyTool,
  args: Json,
): Promise<PreparedAction | PrepareRefusal> {
  if (tool.prepare) return tool.prepare(step.tx, args as never, step.proposing); // checked by its own schema
  const action = args as JsonObject; // the parser lets only objects through
  return { kind: "action", action, businessKey: null, material: [] };
}

async function deny(
  step: Step,
  candidate: CandidateRow,
  judged: Judged,
  decision: GateDecision & { kind: "deny" },
): Promise<ProposedState> {
  noteGate(step, candidate, judged, decision);
  if (decision.reason === "resource_access")
    return blockedState(candidate, decision.reason, notOwnReply(judged.notOwn));
  if (decision.reason === "payouts_stopped")
    await askAboutStoppedPayout(step.tx, step.deps.dress.jobs, step.proposing, candidate.toolName);
  if (decision.reason === "too_few_approvers")
    await askForApprovers(step.tx, step.deps.dress.jobs, step.proposing, candidate.toolName);
  const data =
    decision.reason === "stage_not_allowed"
      ? stageRefusalData(step.round, judged.registered.tool)
      : undefined;
  return blockedState(candidate, decision.reason, blockedReply(decision.reason, data));
}

interface Asking {
  tool: AnyTool;
  prepared: PreparedAction;
  digest: string;
  decision: GateDecision & { kind: "approval" };
}

async function ask(step: Step, candidate: CandidateRow, asking: Asking): Promise<ProposedState> {
  const { proposing, deps, tx } = step;
  const { prepared, tool } = asking;
  const live = prepared.businessKey
    ? await liveExecutionOf(tx, proposing.tenantId, prepared.businessKey)
    : null;
  if (live) return blockedState(candidate, "DUPLICATE_KEY", busyReply(live.status));
  const request = {
    ...proposing,
    conversationId: conversationOrNone(proposing),
    candidateId: candidate.id,
    toolName: tool.name,
    risk: tool.risk,
    schemaVersion: candidate.schemaVersion,
    requestedBy: proposing.maker,
    requestedAction: cardKindOf(tool.name),
    clientSays: proposing.clientSays,
    prepared,
    digest: asking.digest,
    policyId: asking.decision.policyId,
    terms: asking.decision.terms,
    neverExpires: tool.risk === "payment",
    editableFields: Object.keys(tool.edit ?? {}),
  };
  const result = await askApproval(tx, deps.dress, request);
  step.audit.push(...result.audit);
  if (!result.isNew) candidate.code = "ALREADY_WAITING";
  return { kind: "settled", status: "waiting_approval", reply: result.reply };
}

function queueRun(
  step: Step,
  candidate: CandidateRow,
  judged: Judged,
  action: { prepared: PreparedAction; digest: string },
): ProposedState {
  const { proposing, round } = step;
  const { tool } = judged.registered;
  const executionId = newId();
  const result = gate({
    facts: gateFacts(step, judged, { digest: action.digest, hasBusinessKey: true }),
    policies: round.policies,
    execution: {
      tenantId: proposing.tenantId,
      executionId,
      toolName: tool.name,
      schemaVersion: candidate.schemaVersion,
      action: action.prepared.action,
      digest: action.digest,
      lease: proposing.lease,
      idempotencyKey: null,
    },
    activeSchemaVersion: round.schemaVersions.get(tool.name)?.version ?? 0,
    approval: null,
    realNow: proposing.realNow,
  });
  if (result.kind === "deny")
    return blockedState(candidate, result.reason, blockedReply(result.reason));
  round.attemptsUsed += 1;
  candidate.status = "queued";
  step.rows.executions.push(executionRow(step, candidate, { executionId, ...action }));
  note(step, candidate, "execution.queued", { summary: `${tool.name} runs in the run` });
  return { kind: "run", permit: result.permit, executionId, tool, action: action.prepared.action };
}

function blockedState(
  candidate: CandidateRow,
  code: GateReason | string,
  reply: ToolReply,
): ProposedState {
  candidate.code = code;
  return { kind: "settled", status: "blocked_by_policy", reply };
}

/** Also a request that waits has a result at once: that it waits. */
function settle(
  step: Step,
  candidate: CandidateRow,
  { status, reply }: Extract<ProposedState, { kind: "settled" }>,
): void {
  candidate.status = status;
  candidate.reply = reply;
  if (status !== "waiting_approval") candidate.settledAt = step.proposing.now;
  note(step, candidate, "result.returned", {
    summary: `result ${reply.status}`,
    decision: reply.status,
  });
}

function countCall(step: Step, toolName: string): void {
  const { callsInRun } = step.round;
  callsInRun.set(toolName, (callsInRun.get(toolName) ?? 0) + 1);
}

function offeredNames(step: Step): string[] {
  return step.deps.registry
    .all()
    .filter(({ tool }) => tool.offered && step.round.activeTools.has(tool.name))
    .map(({ tool }) => tool.name);
}
