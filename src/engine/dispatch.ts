import { approvalName } from "../domain/approval.ts";
import { newId } from "../domain/ids.ts";
import type { JobRef } from "../domain/jobs.ts";
import type { JsonObject } from "../domain/json.ts";
import { actionDigest } from "../policy/digest.ts";
import type { GateFacts } from "../policy/evaluate.ts";
import { type GateReason, type GateResult, gate, type Permit } from "../policy/permit.ts";
import { type ApprovalRow, approvalById, countVotes } from "../store/approvals.ts";
import { writeAudit } from "../store/audit.ts";
import { conversationOf } from "../store/conversations.ts";
import { type Tx, withTenant } from "../store/db.ts";
import {
  type Execution,
  lockExecution,
  reserveKey,
  setExecution,
  settleKeys,
} from "../store/executions.ts";
import { loadRoundFacts } from "../store/gate-facts.ts";
import { recordOutcome } from "../store/outcomes.ts";
import {
  candidateById,
  insertGate,
  type StoredCandidate,
  setCandidate,
} from "../store/proposals.ts";
import type { CallScope, PreparedAction } from "../tools/contract.ts";
import { gateFactsOf } from "../tools/gate-input.ts";
import { blockedReply } from "../tools/replies.ts";
import type { RunScope } from "../tools/runner.ts";
import type { EngineDeps } from "./deps.ts";
import { holdPayout } from "./hold-payout.ts";
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
  lookUps: number;
}

export type Opened =
  | { kind: "nothing" }
  | { kind: "run"; permit: Permit; dispatch: Dispatch }
  | { kind: "look_up"; dispatch: Dispatch };

/** The longest an outside effect may take, plus the time to write its result. */
const EFFECT_LEASE_MS = 25_000;

/**
 * Takes an execution that is due. What is running under a dead lease becomes a look-up: something
 * may have happened. Else the action is prepared and gated again, its keys are reserved, and the
 * attempt is written, all before anything leaves.
 */
export async function openDispatch(tx: Tx, deps: EngineDeps, ref: JobRef): Promise<Opened> {
  const execution = await lockExecution(tx, ref.tenantId, ref.id);
  if (!execution || execution.approvalId === null) return { kind: "nothing" };
  const approval = await approvalById(tx, ref.tenantId, execution.approvalId);
  const candidate = await candidateById(tx, ref.tenantId, execution.candidateId);
  if (!approval || !candidate) return { kind: "nothing" };
  const now = deps.clock.now();
  const leased = execution.leaseUntil !== null && execution.leaseUntil > deps.realNow();
  const due = execution.runAfter <= now;
  const taking = { execution, approval, candidate };
  switch (execution.status) {
    case "queued":
    case "retry_scheduled":
      return due ? dispatchAgain(tx, deps, taking) : comeBackWhenDue(tx, deps, execution);
    case "unknown":
      if (!due) return comeBackWhenDue(tx, deps, execution);
      return leased ? { kind: "nothing" } : openLookUp(tx, deps, taking);
    case "running":
      return leased ? { kind: "nothing" } : openLookUp(tx, deps, taking);
    default:
      return { kind: "nothing" };
  }
}

/** The queue's clock ran ahead of the row's: the hint comes again. */
async function comeBackWhenDue(tx: Tx, deps: EngineDeps, execution: Execution): Promise<Opened> {
  const { tenantId, id, runAfter } = execution;
  await deps.jobs.enqueue(tx, "execution", { tenantId, id }, runAfter - deps.clock.now());
  return { kind: "nothing" };
}

interface Taking {
  execution: Execution;
  approval: ApprovalRow;
  candidate: StoredCandidate;
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
  const dispatch = await dispatchOf(tx, deps, taking, lease.token);
  return { kind: "look_up", dispatch: lost ? { ...dispatch, lookUps: 0 } : dispatch };
}

async function dispatchAgain(tx: Tx, deps: EngineDeps, taking: Taking): Promise<Opened> {
  const { execution, approval, candidate } = taking;
  const { tenantId } = execution;
  const registered = deps.registry.find(execution.toolName);
  const lease = newLease(deps);
  const dispatch = await dispatchOf(tx, deps, taking, lease.token);
  if (!registered) return stop(tx, deps, taking, "tool_inactive");
  const { tool } = registered;
  const round = await loadRoundFacts(tx, { ...dispatch.scope, now: deps.clock.now() });
  const prepared = await prepareAgain(tx, deps, taking, dispatch.scope);
  if (prepared === null || actionDigest(tool.name, prepared.action) !== execution.actionDigest)
    return stop(tx, deps, taking, "digest_mismatch");
  const facts = gateFactsOf(round, {
    tool,
    source: candidate.source,
    readOnlyRun: false,
    payloadBytes: 0,
    digest: null, // an earlier rejection of an equal action was before this approval
    hasBusinessKey: prepared.businessKey !== null,
    callsInRun: 0, // the call was counted when it was proposed
    attemptsUsed: execution.attempts,
  });
  const untilMs = deps.realNow() + EFFECT_LEASE_MS;
  const result = gate({
    facts,
    rows: round.policies,
    execution: {
      tenantId,
      executionId: execution.id,
      toolName: execution.toolName,
      schemaVersion: candidate.schemaVersion,
      action: execution.payloadJson,
      digest: execution.actionDigest,
      lease: { token: lease.token, untilMs },
      idempotencyKey: dispatch.idempotencyKey,
    },
    activeSchemaVersion: round.schemaVersions.get(execution.toolName)?.version ?? 0,
    approval: {
      digest: actionDigest(execution.toolName, approval.effectiveActionJson ?? {}),
      schemaVersion: approval.schemaVersion,
      approvals: await countVotes(tx, tenantId, approval.id),
    },
    realNow: deps.realNow(),
  });
  await insertGate(tx, gateRow(deps, taking, facts, result));
  if (result.kind === "deny") return refuse(tx, deps, taking, result.reason);
  if (!(await reserveKeys(tx, deps, taking, dispatch.idempotencyKey)))
    return stop(tx, deps, taking, "outcome_unknown");
  await setExecution(tx, {
    tenantId,
    id: execution.id,
    status: "running",
    attempts: execution.attempts + 1,
    leaseOwner: lease.owner,
    leaseToken: lease.token,
    leaseUntil: untilMs,
    startedAt: deps.clock.now(),
  });
  return { kind: "run", permit: result.permit, dispatch };
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

/** The same road as at the proposal: what the database says now decides what would happen. */
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
  const prepared = await tool.prepare(tx, args.data as never, scope); // its own schema checked it
  return prepared.kind === "action" ? prepared : null;
}

async function reserveKeys(
  tx: Tx,
  deps: EngineDeps,
  { execution }: Taking,
  idempotencyKey: string,
): Promise<boolean> {
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
    if (reserved === "held") return false;
  }
  return true;
}

/** A stop of payouts is not the end of what was approved: it waits. Every other reason is. */
async function refuse(
  tx: Tx,
  deps: EngineDeps,
  taking: Taking,
  reason: GateReason,
): Promise<Opened> {
  if (reason !== "payouts_stopped") return stop(tx, deps, taking, reason);
  await holdPayout(tx, deps, taking);
  return { kind: "nothing" };
}

/** Approved, and yet not done: the gate's last look found a reason. Nothing left the house. */
async function stop(tx: Tx, deps: EngineDeps, taking: Taking, reason: GateReason): Promise<Opened> {
  const { execution, approval } = taking;
  const { tenantId } = execution;
  const now = deps.clock.now();
  await setExecution(tx, { tenantId, id: execution.id, status: "cancelled", finishedAt: now });
  await settleKeys(tx, { tenantId, executionId: execution.id, status: "freed" });
  const reply = { ...blockedReply(reason), approval: approvalName(approval.number) };
  await setCandidate(tx, {
    tenantId,
    id: execution.candidateId,
    status: "failed",
    code: reason,
    reply,
    settledAt: now,
  });
  await writeAudit(tx, [
    {
      tenantId,
      eventType: "execution.stopped",
      summary: `approved but not executed: ${reason}`,
      decision: "deny",
      createdAt: now,
      runId: execution.runId,
      conversationId: execution.conversationId,
      candidateId: execution.candidateId,
      userId: approval.approver,
      toolName: execution.toolName,
      refs: { execution: execution.id, approval: approval.id },
    },
  ]);
  await recordOutcome(tx, deps.jobs, {
    tenantId,
    conversationId: execution.conversationId,
    approvalId: approval.id,
    line: `${approvalName(approval.number)} (${execution.toolName}) is now failed: not executed after approval (${reason}); tell the lead; do not call it again.`,
    now,
    waitMs: 0,
  });
  return { kind: "nothing" };
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
  token: string,
): Promise<Dispatch> {
  const { tenantId, conversationId } = execution;
  const conversation = await conversationOf(tx, tenantId, conversationId);
  return {
    tenantId,
    executionId: execution.id,
    token,
    approval,
    toolName: execution.toolName,
    action: execution.payloadJson,
    idempotencyKey: execution.idempotencyKey ?? approval.id,
    lookUps: execution.lookUps,
    scope: {
      tenantId,
      conversationId,
      contactId: conversation.contactId,
      runId: execution.runId,
      language: conversation.language,
      now: deps.clock.now(),
    },
  };
}

export function scopeOf(deps: EngineDeps, dispatch: Dispatch, signal: AbortSignal): RunScope {
  return {
    ...dispatch.scope,
    signal,
    read: (work) => withTenant(deps.db, dispatch.tenantId, work),
  };
}
