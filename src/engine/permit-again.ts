import { newId } from "../domain/ids.ts";
import type { JsonObject } from "../domain/json.ts";
import { actionDigest } from "../policy/digest.ts";
import type { GateFacts } from "../policy/evaluate.ts";
import { type GateReason, type GateResult, gate } from "../policy/permit.ts";
import { writeAudit } from "../store/audit.ts";
import type { Tx } from "../store/db.ts";
import { countAttempts, endExecutions, insertRetries } from "../store/executions.ts";
import { loadRoundFacts, type RoundFacts } from "../store/gate-facts.ts";
import { LEASE_MS } from "../store/lease.ts";
import {
  candidatesByIds,
  type GateRow,
  insertGates,
  type StoredCandidate,
  settleCandidates,
} from "../store/proposals.ts";
import { updateOwnRun } from "../store/runs.ts";
import type { AnyTool } from "../tools/contract.ts";
import { gateFactsOf } from "../tools/gate-input.ts";
import { argumentFacts } from "../tools/own-resources.ts";
import { blockedReply } from "../tools/replies.ts";
import { activeMs } from "./ask-model.ts";
import { callPersonIfRefused } from "./call-person.ts";
import type { CallToRun } from "./calls.ts";
import type { EngineDeps } from "./deps.ts";
import { flushLogs, ownOf, type Turn } from "./turn.ts";

/** A call of the run that was dispatched before and is to be made once more. */
export interface MadeBefore {
  executionId: string;
  candidateId: string;
  toolName: string;
  action: JsonObject;
  /** Attempts so far. */
  attempts: number;
  /** Why it is made again. */
  reason: string;
}

/** `refused`: their calls are settled and written already. */
export interface PermittedAgain {
  calls: CallToRun[];
  refused: { executionId: string; reason: GateReason }[];
}

/**
 * Another attempt of calls of the run: the gate looks again, and attempt, spend and time used are
 * written before anything is sent. What it refuses stays as it is.
 */
export async function permitAgain(
  tx: Tx,
  deps: EngineDeps,
  turn: Turn,
  made: readonly MadeBefore[],
): Promise<PermittedAgain> {
  const { tenantId } = turn;
  const now = deps.clock.now();
  const again: Again = { deps, turn, gates: [], ...(await factsOf(tx, deps, turn, made)) };
  const calls: CallToRun[] = [];
  const refused: PermittedAgain["refused"] = [];
  for (const one of made) {
    const call = await permitOne(tx, again, one, turn.attempts + calls.length);
    if (typeof call === "string") refused.push({ executionId: one.executionId, reason: call });
    else calls.push(call);
  }
  turn.attempts += calls.length;
  const { attempts, spent } = turn;
  await updateOwnRun(tx, ownOf(turn), { attempts, spent, activeMs: activeMs(deps, turn) });
  await flushLogs(tx, turn);
  await insertGates(tx, again.gates);
  const ids = calls.map(({ state }) => state.executionId);
  await countAttempts(tx, { tenantId, ids, now });
  await insertRetries(
    tx,
    made
      .filter(({ executionId }) => ids.includes(executionId))
      .map(({ executionId, toolName, attempts: attempt, reason: retryReason }) => ({
        ...{ tenantId, runId: turn.run.id, executionId, toolName, attempt, retryReason },
        ...{ nextRunAt: now, createdAt: now },
      })),
  );
  await noteAttempts(tx, deps, turn, calls);
  const reasons = refused.map(({ reason }) => reason);
  await callPersonIfRefused(tx, deps, turn, reasons);
  return { calls, refused };
}

function noteAttempts(
  tx: Tx,
  deps: EngineDeps,
  { tenantId, run, conversation }: Turn,
  calls: readonly CallToRun[],
): Promise<void> {
  const rows = calls.map((call) => ({
    ...{ tenantId, runId: run.id, createdAt: deps.clock.now() },
    conversationId: conversation.id,
    candidateId: call.candidateId,
    userId: conversation.contactId,
    eventType: "execution.retry_scheduled" as const,
    summary: `attempt ${call.attempt} of ${call.toolName}`,
    toolName: call.toolName,
    refs: { execution: call.state.executionId },
  }));
  return writeAudit(tx, rows);
}

/** Calls that may not be made again, and that nobody has a result of. */
export async function blockCalls(
  tx: Tx,
  deps: EngineDeps,
  turn: Turn,
  blocked: readonly { executionId: string; candidateId: string; reason: GateReason }[],
): Promise<void> {
  const { tenantId } = turn;
  const now = deps.clock.now();
  const ids = [...new Set(blocked.map(({ executionId }) => executionId))];
  await endExecutions(tx, { tenantId, ids, status: "cancelled", now });
  const rows = blocked.map(({ candidateId: id, reason: code }) => ({
    ...{ id, code, reply: blockedReply(code), status: "blocked_by_policy" as const },
  }));
  await settleCandidates(tx, { tenantId, now, rows });
}

interface Again {
  deps: EngineDeps;
  turn: Turn;
  round: RoundFacts;
  candidates: ReadonlyMap<string, StoredCandidate>;
  gates: GateRow[];
}

async function factsOf(tx: Tx, deps: EngineDeps, turn: Turn, made: readonly MadeBefore[]) {
  const { tenantId } = turn;
  const round = await loadRoundFacts(tx, {
    tenantId,
    conversationId: turn.conversation.id,
    runId: turn.run.id,
    now: deps.clock.now(),
  });
  const ids = made.map(({ candidateId }) => candidateId);
  const found = await candidatesByIds(tx, tenantId, ids);
  return { round, candidates: new Map(found.map((candidate) => [candidate.id, candidate])) };
}

async function permitOne(
  tx: Tx,
  again: Again,
  made: MadeBefore,
  attemptsUsed: number,
): Promise<CallToRun | GateReason> {
  const { deps, turn, round, candidates } = again;
  const registered = deps.registry.find(made.toolName);
  const candidate = candidates.get(made.candidateId);
  if (!registered || !candidate) return "tool_inactive";
  const { tool } = registered;
  const digest = actionDigest(made.toolName, made.action);
  const scope = { tenantId: turn.tenantId, contactId: turn.conversation.contactId };
  const facts = gateFactsOf(round, {
    registered,
    source: candidate.source,
    readOnlyRun: turn.run.kind === "continuation",
    ...(await argumentFacts(tx, tool, candidate.argumentsJson, scope)),
    digest,
    hasBusinessKey: true,
    callsInRun: 0, // the call was counted when it was proposed
    attemptsUsed,
    costLimitUsd: deps.proposing.costLimitUsd,
  });
  const result = gate({
    facts,
    policies: round.policies,
    execution: {
      tenantId: turn.tenantId,
      executionId: made.executionId,
      toolName: made.toolName,
      schemaVersion: candidate.schemaVersion,
      action: made.action,
      digest,
      lease: { token: turn.lease.token, untilMs: deps.realNow() + LEASE_MS },
      idempotencyKey: null,
    },
    activeSchemaVersion: round.schemaVersions.get(made.toolName)?.version ?? 0,
    approval: null,
    realNow: deps.realNow(),
  });
  again.gates.push(gateRow(again, candidate, facts, result));
  if (result.kind === "deny") return result.reason;
  return callOf(made, candidate, tool, result);
}

function callOf(
  made: MadeBefore,
  candidate: StoredCandidate,
  tool: AnyTool,
  { permit }: Extract<GateResult, { kind: "permit" }>,
): CallToRun {
  const { executionId, action, toolName, attempts } = made;
  return {
    candidateId: candidate.id,
    ordinal: candidate.ordinal,
    toolName,
    args: candidate.argumentsJson,
    attempt: attempts + 1,
    state: { kind: "run", permit, executionId, tool, action },
  };
}

function gateRow(
  { deps, turn }: Again,
  candidate: StoredCandidate,
  facts: GateFacts,
  result: GateResult,
): GateRow {
  return {
    id: newId(),
    tenantId: turn.tenantId,
    runId: turn.run.id,
    candidateId: candidate.id,
    toolName: candidate.toolName,
    userId: candidate.maker,
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
