import type { ChatOutcome } from "../domain/chat-model.ts";
import { type GateResult, gate } from "../policy/permit.ts";
import { type Tx, withTenant } from "../store/db.ts";
import { insertModelCalls } from "../store/engine-reads.ts";
import { type Execution, takeOverRunExecutions } from "../store/executions.ts";
import { loadRoundFacts } from "../store/gate-facts.ts";
import { LEASE_MS } from "../store/lease.ts";
import { candidateById, type StoredCandidate, setCandidate } from "../store/proposals.ts";
import { updateOwnRun } from "../store/runs.ts";
import { addMessage } from "../store/transcript.ts";
import type { AnyTool } from "../tools/contract.ts";
import { gateFactsOf } from "../tools/gate-input.ts";
import { type ProposedCall, propose } from "../tools/propose.ts";
import { blockedReply } from "../tools/replies.ts";
import { activeMs } from "./ask-model.ts";
import { recordCalls, runCalls } from "./calls.ts";
import type { EngineDeps } from "./deps.ts";
import { proposingOf, type Turn, viewTurn } from "./turn.ts";

/** More calls than this in one answer are not taken in: no honest answer needs them. */
const MAX_CALLS = 16;

/**
 * One round: everything is written before it happens (one transaction), allowed calls run side by
 * side, and their results are written after (one transaction).
 */
export async function playRound(
  deps: EngineDeps,
  turn: Turn,
  asked: { outcome: Extract<ChatOutcome, { kind: "answer" }>; modelCallId: string },
  signal: AbortSignal,
): Promise<void> {
  const calls = await withTenant(deps.db, turn.tenantId, (tx) =>
    writeProposals(tx, deps, turn, asked),
  );
  await runAndRecord(deps, turn, calls, signal);
}

async function writeProposals(
  tx: Tx,
  deps: EngineDeps,
  turn: Turn,
  asked: { outcome: Extract<ChatOutcome, { kind: "answer" }>; modelCallId: string },
): Promise<ProposedCall[]> {
  const { outcome, modelCallId } = asked;
  await flushJournal(tx, turn);
  const message = await addMessage(tx, {
    tenantId: turn.tenantId,
    conversationId: turn.conversation.id,
    author: "bot",
    kind: "calls",
    text: outcome.text,
    runId: turn.run.id,
    now: deps.clock.now(),
  });
  const proposing = proposingOf(deps, turn, {
    source: "model",
    messageId: message.id,
    modelCallId,
  });
  const calls = outcome.calls
    .slice(0, MAX_CALLS)
    .map((call) => ({ name: call.name, arguments: call.arguments, cut: outcome.cut }));
  const proposed = await propose(tx, deps.proposing, proposing, calls);
  turn.cycle += 1;
  turn.attempts += proposed.filter((call) => call.state.kind === "run").length;
  await updateOwnRun(tx, ownOf(turn), { cycle: turn.cycle, attempts: turn.attempts });
  return proposed;
}

/**
 * The calls that a lost worker left running are reads and drafts, whose rows are written only with
 * their results: they run again under a new permit. Proposals without a call keep their state.
 */
export async function finishLeftCalls(
  deps: EngineDeps,
  turn: Turn,
  signal: AbortSignal,
): Promise<void> {
  const calls = await withTenant(deps.db, turn.tenantId, async (tx) => {
    const left = await takeOverRunExecutions(tx, {
      tenantId: turn.tenantId,
      runId: turn.run.id,
      lease: { ...turn.lease, untilMs: deps.realNow() + LEASE_MS },
    });
    const permitted: ProposedCall[] = [];
    for (const execution of left) {
      const call = await permitAgain(tx, deps, turn, execution);
      if (call) permitted.push(call);
    }
    return permitted;
  });
  if (calls.length === 0) return;
  await runAndRecord(deps, turn, calls, signal);
}

async function runAndRecord(
  deps: EngineDeps,
  turn: Turn,
  calls: readonly ProposedCall[],
  signal: AbortSignal,
): Promise<void> {
  const works = await runCalls(deps, turn, calls, signal);
  await withTenant(deps.db, turn.tenantId, async (tx) => {
    await updateOwnRun(tx, ownOf(turn), { activeMs: activeMs(deps, turn) });
    await recordCalls(tx, deps, turn, { calls, works });
    turn.view = await viewAgain(tx, deps, turn);
  });
}

async function permitAgain(
  tx: Tx,
  deps: EngineDeps,
  turn: Turn,
  execution: Execution,
): Promise<ProposedCall | null> {
  const { tenantId } = turn;
  const tool = deps.registry.find(execution.toolName)?.tool;
  const candidate = await candidateById(tx, tenantId, execution.candidateId);
  if (!tool || !candidate) return null;
  const result = await gateAgain(tx, deps, turn, { execution, candidate, tool });
  if (result.kind === "deny") {
    await setCandidate(tx, {
      tenantId,
      id: candidate.id,
      status: "blocked_by_policy",
      code: result.reason,
      reply: blockedReply(result.reason),
      settledAt: deps.clock.now(),
    });
    return null;
  }
  return {
    candidateId: candidate.id,
    ordinal: 0,
    toolName: execution.toolName,
    args: candidate.argumentsJson,
    state: {
      kind: "run",
      permit: result.permit,
      executionId: execution.id,
      tool,
      action: execution.payloadJson,
    },
  };
}

async function gateAgain(
  tx: Tx,
  deps: EngineDeps,
  turn: Turn,
  left: { execution: Execution; candidate: StoredCandidate; tool: AnyTool },
): Promise<GateResult> {
  const { execution, candidate, tool } = left;
  const { tenantId } = turn;
  const round = await loadRoundFacts(tx, {
    tenantId,
    conversationId: turn.conversation.id,
    runId: turn.run.id,
    now: deps.clock.now(),
  });
  const facts = gateFactsOf(round, {
    tool,
    source: candidate.source,
    readOnlyRun: turn.run.kind === "continuation",
    payloadBytes: 0,
    digest: execution.actionDigest,
    hasBusinessKey: true,
    callsInRun: 0, // the call was counted when it was proposed
    attemptsUsed: 0,
  });
  return gate({
    facts,
    rows: round.policies,
    execution: {
      tenantId,
      executionId: execution.id,
      toolName: execution.toolName,
      schemaVersion: candidate.schemaVersion,
      action: execution.payloadJson,
      digest: execution.actionDigest,
      lease: { token: turn.lease.token, untilMs: deps.realNow() + LEASE_MS },
      idempotencyKey: null,
    },
    activeSchemaVersion: round.schemaVersions.get(execution.toolName)?.version ?? 0,
    approval: null,
    realNow: deps.realNow(),
  });
}

/** Rows of model calls that wait in the turn. */
export async function flushJournal(tx: Tx, turn: Turn): Promise<void> {
  await insertModelCalls(tx, turn.journal);
  turn.journal = [];
}

export function ownOf(turn: Turn) {
  return { tenantId: turn.tenantId, id: turn.run.id, token: turn.lease.token };
}

/** What the calls changed; what the lead wrote meanwhile is taken in only at the reply. */
async function viewAgain(tx: Tx, deps: EngineDeps, turn: Turn) {
  const view = await viewTurn(tx, deps, turn);
  const { seenSeq, evidence } = turn.view;
  const messages = view.transcript.messages.filter(
    (message) => message.author !== "lead" || message.seq <= seenSeq,
  );
  return { ...view, evidence, seenSeq, transcript: { ...view.transcript, messages } };
}
