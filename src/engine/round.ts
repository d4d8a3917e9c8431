import type { ChatOutcome } from "../domain/chat-model.ts";
import { type Tx, withTenant } from "../store/db.ts";
import { LEASE_MS } from "../store/lease.ts";
import { type OpenCall, openCallsOf, takeOverRunExecutions } from "../store/left-calls.ts";
import { updateOwnRun } from "../store/runs.ts";
import { addMessage } from "../store/transcript.ts";
import { type ProposedCall, propose } from "../tools/propose.ts";
import { activeMs } from "./ask-model.ts";
import { callPersonIfDenied } from "./call-person.ts";
import { runWithRetries } from "./call-retries.ts";
import { type CallToRun, callsToRun } from "./calls.ts";
import type { EngineDeps } from "./deps.ts";
import { blockCalls, permitAgain } from "./permit-again.ts";
import { type DoneCalls, recordCalls } from "./record-calls.ts";
import { flushLogs, ownOf, proposingOf, type Turn, viewAfterCalls } from "./turn.ts";

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
  const toRun = callsToRun(calls);
  if (toRun.length > 0) await runAndRecord(deps, turn, { calls, toRun }, signal);
}

async function writeProposals(
  tx: Tx,
  deps: EngineDeps,
  turn: Turn,
  asked: { outcome: Extract<ChatOutcome, { kind: "answer" }>; modelCallId: string },
): Promise<ProposedCall[]> {
  const { outcome, modelCallId } = asked;
  turn.cycle += 1;
  // before the gate looks: it counts what this model call cost, too
  const { cycle, spent } = turn;
  const [, , message] = await Promise.all([
    updateOwnRun(tx, ownOf(turn), { cycle, spent, activeMs: activeMs(deps, turn) }),
    flushLogs(tx, turn),
    addMessage(tx, {
      tenantId: turn.tenantId,
      conversationId: turn.conversation.id,
      author: "bot",
      kind: "calls",
      text: outcome.text,
      runId: turn.run.id,
      now: deps.clock.now(),
    }),
  ]);
  const proposing = proposingOf(deps, turn, {
    source: "model",
    messageId: message.id,
    modelCallId,
  });
  const calls = outcome.calls
    .slice(0, MAX_CALLS)
    .map((call) => ({ name: call.name, arguments: call.arguments, cut: outcome.cut }));
  const proposed = await propose(tx, deps.proposing, { ...proposing, cycle: cycle - 1 }, calls);
  await callPersonIfDenied(tx, deps, turn, proposed);
  const dispatches = callsToRun(proposed).length;
  turn.attempts += dispatches;
  if (dispatches > 0) await updateOwnRun(tx, ownOf(turn), { attempts: turn.attempts });
  else await record(tx, deps, turn, { calls: proposed, works: [] });
  return proposed;
}

/**
 * The calls that a lost worker left running are reads and drafts, whose rows are written only with
 * their results: they run again under a new permit, as another attempt of the run. Proposals without
 * a call keep their state.
 */
export async function finishLeftCalls(
  deps: EngineDeps,
  turn: Turn,
  signal: AbortSignal,
): Promise<void> {
  const { toRun, same } = await withTenant(deps.db, turn.tenantId, (tx) =>
    takeOverCalls(tx, deps, turn),
  );
  if (toRun.length === 0) return;
  await runAndRecord(deps, turn, { calls: [...toRun, ...same], toRun }, signal);
}

interface LeftCalls {
  toRun: CallToRun[];
  /** Those that get the result of one of them. */
  same: ProposedCall[];
}

async function takeOverCalls(tx: Tx, deps: EngineDeps, turn: Turn): Promise<LeftCalls> {
  const of = { tenantId: turn.tenantId, runId: turn.run.id };
  const lease = { ...turn.lease, untilMs: deps.realNow() + LEASE_MS };
  const left = await takeOverRunExecutions(tx, { ...of, lease });
  if (left.length === 0) return { toRun: [], same: [] };
  const made = left.map(({ id, candidateId, toolName, payloadJson, attempts }) => ({
    ...{ executionId: id, candidateId, toolName, attempts },
    ...{ action: payloadJson, reason: "worker_lost" },
  }));
  const { calls: toRun, refused } = await permitAgain(tx, deps, turn, made);
  const candidateOf = new Map(left.map(({ id, candidateId }) => [id, candidateId]));
  const same = sameCalls(await openCallsOf(tx, of), new Set(candidateOf.values()));
  const blocked = refused.flatMap((one) => {
    const first = candidateOf.get(one.executionId) ?? "";
    const others = same.filter(({ asCandidateId }) => asCandidateId === first);
    return [first, ...others.map(({ id }) => id)].map((candidateId) => ({ ...one, candidateId }));
  });
  await blockCalls(tx, deps, turn, blocked);
  const runs = new Set(toRun.map(({ candidateId }) => candidateId));
  return { toRun, same: same.filter((one) => runs.has(one.asCandidateId)).map(proposedSame) };
}

type SameCall = OpenCall & { asCandidateId: string };

/** Those that stand beside a left call of their answer and ask for the same. */
function sameCalls(open: readonly OpenCall[], left: ReadonlySet<string>): SameCall[] {
  const first = open.filter(({ id }) => left.has(id));
  return open.flatMap((call) => {
    const as = first.find((one) => isSame(one, call));
    return !as || as.id === call.id ? [] : [{ ...call, asCandidateId: as.id }];
  });
}

function isSame(one: OpenCall, other: OpenCall): boolean {
  return one.messageId === other.messageId && one.argumentsHash === other.argumentsHash;
}

function proposedSame({ id, ordinal, toolName, argumentsJson, asCandidateId }: SameCall) {
  const state = { kind: "same" as const, asCandidateId };
  return { candidateId: id, ordinal, toolName, args: argumentsJson, state };
}

async function runAndRecord(
  deps: EngineDeps,
  turn: Turn,
  { calls, toRun }: { calls: readonly ProposedCall[]; toRun: readonly CallToRun[] },
  signal: AbortSignal,
): Promise<void> {
  const works = await runWithRetries(deps, turn, toRun, signal);
  await withTenant(deps.db, turn.tenantId, async (tx) => {
    const { spent } = turn;
    await updateOwnRun(tx, ownOf(turn), { spent, activeMs: activeMs(deps, turn) });
    await record(tx, deps, turn, { calls, works });
  });
}

async function record(tx: Tx, deps: EngineDeps, turn: Turn, done: DoneCalls): Promise<void> {
  await recordCalls(tx, deps, turn, done);
  turn.view = await viewAfterCalls(tx, turn);
}
