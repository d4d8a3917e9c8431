import { messageOf, stackOf } from "../domain/errors.ts";
import type { JobRef } from "../domain/jobs.ts";
import { CYCLES_PER_RUN, SUPERSEDED_DRAFTS_PER_RUN } from "../domain/run.ts";
import { withTenant } from "../store/db.ts";
import type { ErrorRow } from "../store/errors.ts";
import { HEARTBEAT_MS, LEASE_MS, LeaseLostError } from "../store/lease.ts";
import { updateOwnRun } from "../store/runs.ts";
import { activeMs, askModel, timeLeftMs } from "./ask-model.ts";
import { callPersonIfAsked } from "./call-person.ts";
import type { EngineDeps } from "./deps.ts";
import { openKycReview } from "./kyc-intake.ts";
import { buildPrompt } from "./prompt.ts";
import { backedReply, templateReply } from "./reply.ts";
import { finishLeftCalls, playRound } from "./round.ts";
import { endWithoutReply, retryLater, sendReply } from "./run-end.ts";
import { isToldAlready } from "./told-already.ts";
import { newLease, openTurn, type Turn } from "./turn.ts";
import { showsTyping } from "./typing.ts";

/** A run whose workers are lost this often is given up: it may be what kills them. */
const MAX_RESTARTS = 2;

/** Handler of `run` jobs: answers a lead, or tells an outcome. Doing it twice is a no-op. */
export async function handleRun(deps: EngineDeps, ref: JobRef, signal: AbortSignal): Promise<void> {
  const lease = newLease(deps);
  const { turn, isTold } = await withTenant(deps.db, ref.tenantId, async (tx) => {
    const opened = await openTurn(tx, deps, ref, lease);
    if (opened) await openKycReview(tx, deps, opened);
    if (opened) await callPersonIfAsked(tx, deps, opened);
    return { turn: opened, isTold: opened !== null && (await isToldAlready(tx, opened)) };
  });
  if (!turn) return;
  const beat = startHeartbeat(deps, turn);
  try {
    if (turn.conversation.mode !== "bot") return await endWithoutReply(deps, turn, "person_speaks");
    if (turn.contact.blocked) return await endWithoutReply(deps, turn, "blocked");
    if (isTold) return await endWithoutReply(deps, turn, "told_already");
    await play(deps, turn, signal);
  } catch (error) {
    if (error instanceof LeaseLostError || signal.aborted) {
      deps.log.info({ run: ref.id, reason: messageOf(error) }, "run left to another worker");
      return;
    }
    deps.log.error({ run: ref.id, error: messageOf(error), stack: stackOf(error) }, "run failed");
    logEnd(deps, turn, {
      errorClass: "defect",
      errorCode: "RUN_FAILED",
      errorMessage: "the run broke off",
    });
    await giveUp(deps, turn, "failed");
  } finally {
    clearInterval(beat);
  }
}

async function play(deps: EngineDeps, turn: Turn, signal: AbortSignal): Promise<void> {
  await resolveTools(deps, turn);
  if (turn.run.restarts > MAX_RESTARTS) {
    logEnd(deps, turn, {
      errorClass: "defect",
      errorCode: "WORKERS_LOST",
      errorMessage: "its workers were lost",
    });
    return giveUp(deps, turn, "failed");
  }
  if (turn.run.restarts > 0) await finishLeftCalls(deps, turn, signal);
  while (turn.cycle < CYCLES_PER_RUN && timeLeftMs(deps, turn) > 0)
    if (await playStep(deps, turn, signal)) return;
  const errorMessage = turn.cycle < CYCLES_PER_RUN ? "no time was left" : "no model call was left";
  logEnd(deps, turn, { errorClass: "budget_spent", errorCode: "EXHAUSTED", errorMessage });
  return giveUp(deps, turn, "exhausted");
}

/** A run that ends without the model's own words says why in the log of errors. */
function logEnd(
  deps: EngineDeps,
  { tenantId, run, logs }: Turn,
  said: Pick<ErrorRow, "errorClass" | "errorCode" | "errorMessage">,
): void {
  logs.errors.push({
    ...{ tenantId, runId: run.id, component: "run", ...said },
    ...{ attempt: run.restarts + 1, createdAt: deps.clock.now() },
  });
}

/** One model call and what follows from it; true when the run is over or parked. */
async function playStep(deps: EngineDeps, turn: Turn, signal: AbortSignal): Promise<boolean> {
  const typing = showsTyping(deps, turn.conversation);
  const { outcome, modelCallId } = await askModel(
    deps,
    turn,
    replyRequest(deps, turn),
    signal,
  ).finally(typing.stop);
  if (signal.aborted) throw new Error("the process stops");
  if (outcome.kind === "failed") {
    deps.log.warn({ run: turn.run.id, error: outcome.error }, "model call failed");
    if (await retryLater(deps, turn, outcome)) return true;
    await giveUp(deps, turn, "failed");
    return true;
  }
  if (outcome.calls.length > 0) {
    await playRound(deps, turn, { outcome, modelCallId }, signal);
    return false;
  }
  const reply = await backedReply(deps, turn, outcome.text, signal);
  if (await sendReply(deps, turn, reply)) return true;
  await resolveTools(deps, turn); // a newer message is answered, with the tools as they are by now
  return false;
}

/** Once for each message that is answered. */
async function resolveTools(deps: EngineDeps, turn: Turn): Promise<void> {
  const { tenantId, conversation } = turn;
  turn.tools = await deps.strategy.resolveTools({ tenantId, conversationId: conversation.id });
}

function replyRequest(deps: EngineDeps, turn: Turn) {
  const continuation = turn.run.kind === "continuation";
  const offered = turn.tools.filter(({ name }) => !turn.view.withdrawnTools.has(name));
  const tools = continuation
    ? offered.filter(({ name }) => deps.registry.find(name)?.tool.risk === "read_only")
    : offered;
  const messages = buildPrompt({
    transcript: turn.view.transcript,
    evidence: turn.view.evidence,
    language: turn.conversation.language,
    businessName: turn.businessName,
    style: turn.style,
    continuation,
    late: turn.late,
  });
  return { operation: "reply" as const, messages, tools };
}

/** Always one message: from what the calls returned, else a handover to a person. */
async function giveUp(deps: EngineDeps, turn: Turn, how: "failed" | "exhausted"): Promise<void> {
  turn.run.supersededDrafts = SUPERSEDED_DRAFTS_PER_RUN; // newer messages get a run of their own
  await sendReply(deps, turn, await templateReply(deps, turn, how));
}

function startHeartbeat(deps: EngineDeps, turn: Turn): NodeJS.Timeout {
  const own = { tenantId: turn.tenantId, id: turn.run.id, token: turn.lease.token };
  return setInterval(() => {
    // with the time used so far: a worker that is lost does not give it back
    const beat = { leaseUntil: deps.realNow() + LEASE_MS, activeMs: activeMs(deps, turn) };
    withTenant(deps.db, turn.tenantId, (tx) => updateOwnRun(tx, own, beat)).catch((error) => {
      if (error instanceof LeaseLostError) return; // it has just ended, or its next step will see it
      deps.log.warn({ run: own.id, error: messageOf(error) }, "heartbeat failed");
    });
  }, HEARTBEAT_MS);
}
