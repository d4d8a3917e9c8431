import { newId } from "../domain/ids.ts";
import type { JobRef } from "../domain/jobs.ts";
import type { Json, JsonObject } from "../domain/json.ts";
import { evaluate, type GateFacts } from "../policy/evaluate.ts";
import { type GateResult, gate, type Permit } from "../policy/permit.ts";
import { EFFECT_RETRIES } from "../policy/retry.ts";
import { strictestTerms } from "../policy/terms.ts";
import { type ApprovalRow, approvalById, holdApprovalOf } from "../store/approvals.ts";
import { writeAudit } from "../store/audit.ts";
import { partyOf } from "../store/conversations.ts";
import { type Tx, withTenant } from "../store/db.ts";
import {
  type Execution,
  insertRetries,
  lockExecution,
  reserveKey,
  setExecution,
} from "../store/executions.ts";
import { loadRoundFacts, type RoundFacts } from "../store/gate-facts.ts";
import { approvalDelay, insertLatencies, type LatencyRow } from "../store/latencies.ts";
import { candidateById, insertGate } from "../store/proposals.ts";
import { grantOf } from "../store/standing-votes.ts";
import type { CallScope, PreparedAction } from "../tools/contract.ts";
import { editOf, prepareWith } from "../tools/edit-action.ts";
import { gateFactsOf, isCurrent } from "../tools/gate-input.ts";
import { keepOutsideCalls, type OutsideCalls } from "../tools/outside.ts";
import { argumentFacts } from "../tools/own-resources.ts";
import type { RunScope } from "../tools/runner.ts";
import type { EngineDeps } from "./deps.ts";
import { holdFrozen } from "./hold-frozen.ts";
import { outdatedBy, refuse, stopOutdated } from "./refuse-dispatch.ts";
import { type StopReason, stopExecution, type Taking } from "./stop-execution.ts";
import { newLease } from "./turn.ts";

/** One execution of an approved action, under our lease. */
export interface Dispatch {
  tenantId: string;
  executionId: string;
  token: string;
  approval: ApprovalRow;
  toolName: string;
  action: JsonObject;
  idempotencyKey: string;
  scope: CallScope;
  /** Dispatches, this one included. */
  attempts: number;
  lookUps: number;
}

/**
 * `nothing`: another has it, or what was decided about it is written. `look_up`: it may have
 * happened.
 */
export type Opened =
  | { kind: "nothing" }
  | { kind: "run"; permit: Permit; dispatch: Dispatch }
  | { kind: "look_up"; dispatch: Dispatch };

/** The longest an outside effect may take, plus the time to write its result. */
const EFFECT_LEASE_MS = 25_000;

/**
 * Takes an execution that is due. What is running under a dead lease becomes a look-up when something
 * may have happened outside. Else the action is prepared and gated again, its keys are reserved, and the
 * attempt is written, all before anything leaves.
 */
export async function openDispatch(tx: Tx, deps: EngineDeps, ref: JobRef): Promise<Opened> {
  const taking = await takingOf(tx, ref);
  if (!taking) return { kind: "nothing" };
  const { execution, approval } = taking;
  const leased = execution.leaseUntil !== null && execution.leaseUntil > deps.realNow();
  const due = execution.runAfter <= deps.clock.now();
  switch (execution.status) {
    case "queued":
    case "retry_scheduled":
      if (!due) return comeBackWhenDue(tx, deps, execution);
      if (approval.status !== "approved") return holdFrozen(tx, deps, taking);
      return dispatchAgain(tx, deps, taking);
    case "unknown":
      if (!due) return comeBackWhenDue(tx, deps, execution);
      return leased ? { kind: "nothing" } : openLookUp(tx, deps, taking);
    case "running":
      if (leased) return { kind: "nothing" };
      return mayRunAgain(deps, execution)
        ? queueAgain(tx, deps, taking)
        : openLookUp(tx, deps, taking);
    default:
      return { kind: "nothing" };
  }
}

/** Locks the execution; null: there is none that people approved. */
async function takingOf(tx: Tx, { tenantId, id }: JobRef): Promise<Taking | null> {
  await holdApprovalOf(tx, { tenantId, executionId: id });
  const execution = await lockExecution(tx, tenantId, id);
  if (!execution || execution.approvalId === null) return null;
  const approval = await approvalById(tx, tenantId, execution.approvalId);
  const candidate = await candidateById(tx, tenantId, execution.candidateId);
  return approval && candidate ? { execution, approval, candidate } : null;
}

/** The queue's clock ran ahead of the row's: the hint comes again. */
async function comeBackWhenDue(tx: Tx, deps: EngineDeps, execution: Execution): Promise<Opened> {
  const { tenantId, id, runAfter } = execution;
  await deps.jobs.enqueue(tx, "execution", { tenantId, id }, runAfter - deps.clock.now());
  return { kind: "nothing" };
}

/**
 * Own rows and their end are one commit: found running, they were not written. Not for ever: one that
 * ends its worker each time is put to people.
 */
function mayRunAgain(deps: EngineDeps, { toolName, attempts }: Execution): boolean {
  const isOwn = deps.registry.find(toolName)?.tool.sideEffectType === "internal_rows";
  return isOwn && attempts < EFFECT_RETRIES.attempts;
}

async function queueAgain(tx: Tx, deps: EngineDeps, { execution }: Taking): Promise<Opened> {
  const { tenantId, id, runId, toolName, attempts } = execution;
  const now = deps.clock.now();
  await setExecution(tx, { tenantId, id, status: "queued", runAfter: now, leaseUntil: null });
  const retry = { tenantId, runId, executionId: id, toolName, attempt: attempts };
  await insertRetries(tx, [
    { ...retry, retryReason: "worker_lost", nextRunAt: now, createdAt: now },
  ]);
  await writeAudit(tx, [
    {
      ...{ tenantId, runId, toolName, createdAt: now },
      eventType: "execution.retry_scheduled",
      summary: "found running without a worker; nothing was written, and it runs again",
      conversationId: execution.conversationId,
      candidateId: execution.candidateId,
      refs: { execution: id },
    },
  ]);
  await deps.jobs.enqueue(tx, "execution", { tenantId, id });
  return { kind: "nothing" };
}

async function openLookUp(tx: Tx, deps: EngineDeps, taking: Taking): Promise<Opened> {
  const { execution } = taking;
  const lease = newLease(deps);
  const lost = execution.status === "running";
  await setExecution(tx, {
    tenantId: execution.tenantId,
    id: execution.id,
    status: "unknown",
    leaseOwner: lease.owner,
    leaseToken: lease.token,
    leaseUntil: deps.realNow() + EFFECT_LEASE_MS,
    ...(lost ? { lookUps: 0, runAfter: deps.clock.now() } : {}),
  });
  if (lost) await noteLost(tx, deps, taking);
  const dispatch = await dispatchOf(tx, deps, taking, {
    token: lease.token,
    attempts: execution.attempts,
  });
  return { kind: "look_up", dispatch: lost ? { ...dispatch, lookUps: 0 } : dispatch };
}

async function dispatchAgain(tx: Tx, deps: EngineDeps, taking: Taking): Promise<Opened> {
  const { execution, approval } = taking;
  const { tenantId } = execution;
  const registered = deps.registry.find(execution.toolName);
  const { token, owner } = newLease(deps);
  const dispatch = await dispatchOf(tx, deps, taking, { token, attempts: execution.attempts + 1 });
  if (!registered) return stopExecution(tx, deps, taking, "tool_inactive");
  const { requestedBy: maker } = approval;
  const round = await loadRoundFacts(tx, { ...dispatch.scope, maker, now: deps.clock.now() });
  if (!isCurrent(round, registered)) return leaveToNewer(deps, execution);
  const prepared = await prepareAgain(tx, deps, taking, dispatch.scope);
  const outdated = outdatedBy(deps, taking, prepared);
  if (outdated !== null || prepared === null)
    return stopOutdated(tx, deps, { taking, dispatch, reason: outdated ?? "digest_mismatch" });
  const untilMs = deps.realNow() + EFFECT_LEASE_MS;
  const lease = { token: dispatch.token, untilMs };
  const last = await gateAgain(tx, deps, taking, { dispatch, round, prepared, lease });
  const { facts, result } = last;
  await insertGate(tx, gateRow(deps, taking, facts, result));
  if (result.kind === "deny")
    return refuse(tx, deps, { taking, dispatch, reason: result.reason, asks: last.asks });
  const held = await reserveKeys(tx, deps, taking, dispatch.idempotencyKey);
  if (held) return stopExecution(tx, deps, taking, held);
  await insertLatencies(tx, waitsOf(deps, taking));
  await setExecution(tx, {
    tenantId,
    id: execution.id,
    status: "running",
    attempts: dispatch.attempts,
    leaseOwner: owner,
    leaseToken: token,
    leaseUntil: untilMs,
    startedAt: deps.clock.now(),
  });
  return { kind: "run", permit: result.permit, dispatch };
}

/** A process that was started later knows the tool as it is now: the sweep brings it the work. */
function leaveToNewer({ log }: EngineDeps, { id, toolName: tool }: Execution): Opened {
  const said = "the tool has changed since this process was started: restart it";
  log.warn({ execution: id, tool }, said);
  return { kind: "nothing" };
}

interface LastLook {
  dispatch: Dispatch;
  round: RoundFacts;
  prepared: PreparedAction;
  lease: { token: string; untilMs: number };
}

/** The gate's last look, on what the database says now. */
async function gateAgain(tx: Tx, deps: EngineDeps, taking: Taking, look: LastLook) {
  const { execution, approval, candidate } = taking;
  const { dispatch, round, prepared, lease } = look;
  const { toolName } = execution;
  const registered = deps.registry.find(toolName);
  if (!registered) throw new Error(`tool ${toolName} is not registered`);
  const { tool } = registered;
  const facts = gateFactsOf(round, {
    registered,
    source: candidate.source,
    readOnlyRun: false,
    ...(await argumentFacts(tx, tool, candidate.argumentsJson, dispatch.scope)),
    digest: null, // an earlier rejection of an equal action was before this approval
    hasBusinessKey: prepared.businessKey !== null,
    callsInRun: 0, // the call was counted when it was proposed
    attemptsUsed: execution.attempts,
  });
  const terms = strictestTerms(approval, evaluate(facts, round.policies));
  const grant = await grantOf(tx, approval, terms.approverRole);
  const result = gate({
    facts,
    policies: round.policies,
    execution: {
      tenantId: execution.tenantId,
      executionId: execution.id,
      toolName,
      schemaVersion: candidate.schemaVersion,
      action: execution.payloadJson,
      digest: execution.actionDigest,
      lease,
      idempotencyKey: dispatch.idempotencyKey,
    },
    activeSchemaVersion: round.schemaVersions.get(toolName)?.version ?? 0,
    approval: grant,
    realNow: deps.realNow(),
  });
  return { facts, result, asks: { terms, fallen: grant === "forged" ? [] : grant.fallen } };
}

function gateRow(deps: EngineDeps, taking: Taking, facts: GateFacts, result: GateResult) {
  const { execution, approval, candidate } = taking;
  return {
    id: newId(),
    tenantId: execution.tenantId,
    runId: execution.runId,
    candidateId: candidate.id,
    toolName: execution.toolName,
    userId: approval.approver,
    role: facts.known.actor_role,
    policyResult: result.decision.kind,
    matchedPolicyId: result.decision.policyId,
    requiresApproval: result.decision.kind === "approval",
    blockReason: result.kind === "deny" ? result.reason : null,
    factsJson: { ...facts, tool: { ...facts.tool } },
    moment: "dispatch",
    createdAt: deps.clock.now(),
  };
}

/**
 * The same road as at the proposal: what the database says now, with what approvers changed, decides
 * what would happen.
 */
async function prepareAgain(
  tx: Tx,
  deps: EngineDeps,
  taking: Taking,
  scope: CallScope,
): Promise<PreparedAction | null> {
  const tool = deps.registry.find(taking.execution.toolName)?.tool;
  if (!tool?.prepare) return null;
  const args = tool.parameters.safeParse(taking.candidate.argumentsJson);
  if (!args.success) return null;
  const edit = editOf(taking.approval);
  const prepared = await prepareWith(tx, tool, { args: args.data as Json, scope, edit }); // parsed from JSON
  return prepared?.kind === "action" ? prepared : null;
}

async function reserveKeys(
  tx: Tx,
  deps: EngineDeps,
  { execution }: Taking,
  idempotencyKey: string,
): Promise<StopReason | null> {
  const keys = [idempotencyKey, ...(execution.businessKey ? [execution.businessKey] : [])];
  for (const key of keys) {
    const reserved = await reserveKey(tx, {
      tenantId: execution.tenantId,
      idempotencyKey: key,
      runId: execution.runId,
      toolName: execution.toolName,
      digest: execution.actionDigest,
      executionId: execution.id,
      now: deps.clock.now(),
    });
    if (reserved.kind === "conflict") return "DUPLICATE_KEY";
    if (reserved.kind === "held")
      return reserved.status === "completed" ? "DUPLICATE_KEY" : "outcome_unknown";
  }
  return null;
}

/** How long people took to decide, and how long the approved action waited for a worker. */
function waitsOf(deps: EngineDeps, { execution, approval }: Taking): LatencyRow[] {
  const { tenantId, runId, runAfter, attempts } = execution;
  const now = deps.clock.now();
  const queued: LatencyRow = {
    ...{ tenantId, runId, component: "queue", operation: "execution", createdAt: now },
    latencyMs: Math.max(0, now - runAfter),
  };
  if (attempts > 0 || approval.decidedAt === null) return [queued];
  return [queued, approvalDelay(approval, approval.decidedAt, now)];
}

async function noteLost(tx: Tx, deps: EngineDeps, { execution }: Taking): Promise<void> {
  await writeAudit(tx, [
    {
      tenantId: execution.tenantId,
      eventType: "execution.unknown",
      summary: "found running without a worker; it is looked up by key",
      createdAt: deps.clock.now(),
      runId: execution.runId,
      conversationId: execution.conversationId,
      candidateId: execution.candidateId,
      toolName: execution.toolName,
      refs: { execution: execution.id },
    },
  ]);
}

async function dispatchOf(
  tx: Tx,
  deps: EngineDeps,
  { execution, approval }: Taking,
  { token, attempts }: Pick<Dispatch, "token" | "attempts">,
): Promise<Dispatch> {
  const { tenantId, conversationId } = execution;
  const party = await partyOf(tx, tenantId, conversationId);
  return {
    tenantId,
    executionId: execution.id,
    token,
    approval,
    toolName: execution.toolName,
    action: execution.payloadJson,
    // not the row's own: whoever writes there could have the same done again under another key
    idempotencyKey: approval.id,
    attempts,
    lookUps: execution.lookUps,
    scope: {
      tenantId,
      ...party,
      runId: execution.runId,
      now: deps.clock.now(),
    },
  };
}

/** A new list of outside requests for each attempt. */
export function scopeOf(
  deps: EngineDeps,
  dispatch: Dispatch,
  signal: AbortSignal,
): RunScope & { outside: OutsideCalls } {
  return {
    ...dispatch.scope,
    signal,
    outside: keepOutsideCalls(deps.realNow),
    read: (work) => withTenant(deps.db, dispatch.tenantId, work),
  };
}
