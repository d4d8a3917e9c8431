import type { ChatOutcome } from "../domain/chat-model.ts";
import { messageOf } from "../domain/errors.ts";
import { newId } from "../domain/ids.ts";
import type { RunStatus } from "../domain/run.ts";
import { SUPERSEDED_DRAFTS_PER_RUN } from "../domain/run.ts";
import { MODEL_RETRIES, nextTry } from "../policy/retry.ts";
import { type AuditRow, writeAudit } from "../store/audit.ts";
import { type Tx, withTenant } from "../store/db.ts";
import { recordTrace } from "../store/engine-reads.ts";
import { endLeftCalls } from "../store/left-calls.ts";
import { mirrorLead } from "../store/mirror-lead.ts";
import { writeOutgoing } from "../store/outbox.ts";
import { queueRun } from "../store/queue-run.ts";
import {
  absorbQueuedRuns,
  lockConversation,
  newestSeq,
  queuedRuns,
  updateOwnRun,
} from "../store/runs.ts";
import { addMessage } from "../store/transcript.ts";
import { brokenOffReply } from "../tools/replies.ts";
import { activeMs, failureOfOutcome } from "./ask-model.ts";
import { callPersonIfAsked } from "./call-person.ts";
import type { EngineDeps } from "./deps.ts";
import { openKycReview } from "./kyc-intake.ts";
import { withApology } from "./late.ts";
import { withPayoutLine } from "./payout-line.ts";
import { flushLogs, ownOf, type Turn, viewTurn } from "./turn.ts";

/** Words that passed the guard, or those of a template. */
export interface Reply {
  text: string;
  /** How the run ends with it. */
  status: Extract<RunStatus, "completed" | "exhausted" | "failed">;
  /** `model`, `repaired`, `template`: where the words come from. */
  origin: string;
  /** Kinds of what the guard found in earlier drafts. */
  findings: string[];
}

/**
 * The final transaction: message, outbox row and the run's end. False when the lead has written
 * meanwhile: the draft is kept as superseded, and the same run goes on with the newer messages.
 */
export function sendReply(deps: EngineDeps, turn: Turn, reply: Reply): Promise<boolean> {
  return withTenant(deps.db, turn.tenantId, async (tx) => {
    const { tenantId } = turn;
    const { id } = turn.conversation;
    // in this order: what is newest is read once nobody else can add to it
    const [, conversation, newest] = await Promise.all([
      flushLogs(tx, turn),
      lockConversation(tx, tenantId, id),
      newestSeq(tx, tenantId, id),
    ]);
    if (conversation?.mode !== "bot") {
      await storeDraft(tx, deps, turn, reply);
      await showLead(tx, deps, turn, newest);
      await endRun(tx, deps, turn, { status: "superseded", outcome: "a person took over" });
      return true;
    }
    const isBehind = newest > turn.view.seenSeq;
    if (isBehind && turn.run.supersededDrafts < SUPERSEDED_DRAFTS_PER_RUN) {
      await goOnWithNewer(tx, deps, turn, reply);
      turn.conversation = conversation;
      return false;
    }
    await writeReply(tx, deps, turn, reply);
    if (isBehind) await answerRestLater(tx, deps, turn);
    await endRun(tx, deps, turn, { status: reply.status, outcome: reply.origin });
    return true;
  });
}

async function goOnWithNewer(tx: Tx, deps: EngineDeps, turn: Turn, reply: Reply): Promise<void> {
  await storeDraft(tx, deps, turn, reply);
  await absorbQueuedRuns(tx, {
    tenantId: turn.tenantId,
    conversationId: turn.conversation.id,
    now: deps.clock.now(),
  });
  turn.view = await viewTurn(tx, deps, turn);
  await openKycReview(tx, deps, turn);
  await callPersonIfAsked(tx, deps, turn);
  turn.run.supersededDrafts += 1;
  turn.cycle = 0;
  await updateOwnRun(tx, ownOf(turn), {
    cycle: 0,
    seenSeq: turn.view.seenSeq,
    supersededDrafts: turn.run.supersededDrafts,
    activeMs: activeMs(deps, turn),
    spent: turn.spent,
  });
}

async function writeReply(tx: Tx, deps: EngineDeps, turn: Turn, reply: Reply): Promise<void> {
  const { tenantId, conversation, run } = turn;
  const now = deps.clock.now();
  const told = withPayoutLine(reply.text, turn);
  const text = withApology(told, turn.late, conversation.language);
  const messageId = newId();
  const outboundId = newId();
  await Promise.all([
    addMessage(tx, {
      id: messageId,
      tenantId,
      conversationId: conversation.id,
      author: "bot",
      kind: "text",
      text,
      runId: run.id,
      now,
    }),
    writeOutgoing(tx, { jobs: deps.jobs, tenantId, now }, [
      {
        id: outboundId,
        channelId: conversation.channelId,
        chatId: conversation.chatId,
        purpose: "reply",
        content: { kind: "text", text },
        conversationId: conversation.id,
        messageId,
        mirror: { upToSeq: turn.view.seenSeq, calls: callsOfRun(turn) },
      },
    ]),
    writeAudit(tx, [auditRow(deps, turn, reply)]),
  ]);
  await traceReply(tx, deps, turn, { messageId, outboundId });
}

function callsOfRun({ view, run }: Turn) {
  return [...view.transcript.calls.values()].flat().filter((call) => call.runId === run.id);
}

/** What the lead wrote, and no reply will follow, is shown to the staff alone. */
function showLead(tx: Tx, deps: EngineDeps, turn: Turn, upToSeq: number): Promise<void> {
  const write = { jobs: deps.jobs, tenantId: turn.tenantId, now: deps.clock.now() };
  return mirrorLead(tx, write, { conversationId: turn.conversation.id, upToSeq });
}

/** A trace that cannot be written never costs the reply. */
async function traceReply(
  tx: Tx,
  deps: EngineDeps,
  turn: Turn,
  sent: { messageId: string; outboundId: string },
): Promise<void> {
  try {
    await tx.transaction((inner) =>
      recordTrace(inner, {
        tenantId: turn.tenantId,
        runId: turn.run.id,
        conversationId: turn.conversation.id,
        contactId: turn.conversation.contactId,
        ...sent,
        now: deps.clock.now(),
      }),
    );
  } catch (error) {
    deps.log.error({ run: turn.run.id, error: messageOf(error) }, "trace not written");
  }
}

/** The run has gone on often enough: what came since is answered by a run of its own. */
async function answerRestLater(tx: Tx, deps: EngineDeps, turn: Turn): Promise<void> {
  await queueRun(tx, {
    jobs: deps.jobs,
    tenantId: turn.tenantId,
    conversationId: turn.conversation.id,
    now: deps.clock.now(),
    coalesceMs: 0,
  });
}

async function endRun(
  tx: Tx,
  deps: EngineDeps,
  turn: Turn,
  end: { status: RunStatus; outcome: string },
): Promise<void> {
  const now = deps.clock.now();
  const ended = {
    ...{ ...end, seenSeq: turn.view.seenSeq, activeMs: activeMs(deps, turn), spent: turn.spent },
    ...{ leaseUntil: null, endedAt: now },
    ...(turn.style ? { styleId: turn.style.id } : {}),
  };
  const [, waiting] = await Promise.all([
    updateOwnRun(tx, ownOf(turn), ended),
    queuedRuns(tx, turn.tenantId, turn.conversation.id),
  ]);
  // only a lost worker, or a defect, leaves some
  if (turn.run.restarts > 0 || end.status === "failed")
    await endLeftCalls(tx, {
      ...{ tenantId: turn.tenantId, runId: turn.run.id, now },
      reply: brokenOffReply(),
    });
  // their jobs may have come and gone while this run held the conversation
  for (const next of waiting)
    await deps.jobs.enqueue(tx, "run", { tenantId: turn.tenantId, id: next.id }, next.dueAt - now);
}

/** Nobody is answered; what the lead wrote is still shown to the staff. */
export async function endWithoutReply(
  deps: EngineDeps,
  turn: Turn,
  why: keyof typeof UNANSWERED,
): Promise<void> {
  await withTenant(deps.db, turn.tenantId, async (tx) => {
    // so that a message that comes in at this moment is not shown twice
    await lockConversation(tx, turn.tenantId, turn.conversation.id);
    await showLead(tx, deps, turn, turn.view.seenSeq);
    await endRun(tx, deps, turn, UNANSWERED[why]);
  });
}

/** How a run ends that has nobody to answer, or nothing to say. */
const UNANSWERED = {
  person_speaks: { status: "superseded", outcome: "a person speaks" },
  blocked: { status: "cancelled", outcome: "blocked" },
  told_already: { status: "superseded", outcome: "told already" },
} as const;

/** Parks the run until the model may answer again; false when that is not worth it. */
export async function retryLater(
  deps: EngineDeps,
  turn: Turn,
  outcome: Extract<ChatOutcome, { kind: "failed" }>,
): Promise<boolean> {
  const failures = turn.run.modelFailures + 1;
  const failure = failureOfOutcome(outcome);
  const retryAfterMs = outcome.retryAfterMs ?? 0;
  const next = nextTry({ failure, attempt: failures, retryAfterMs }, MODEL_RETRIES);
  if (next.kind === "stop") return false;
  const { tenantId, spent } = turn;
  await withTenant(deps.db, tenantId, async (tx) => {
    await flushLogs(tx, turn);
    await updateOwnRun(tx, ownOf(turn), {
      status: "waiting_retry",
      modelFailures: failures,
      dueAt: deps.clock.now() + next.waitMs,
      activeMs: activeMs(deps, turn),
      spent,
      leaseUntil: null,
    });
    await deps.jobs.enqueue(tx, "run", { tenantId, id: turn.run.id }, next.waitMs);
  });
  return true;
}

async function storeDraft(tx: Tx, deps: EngineDeps, turn: Turn, reply: Reply): Promise<void> {
  await addMessage(tx, {
    tenantId: turn.tenantId,
    conversationId: turn.conversation.id,
    author: "bot",
    kind: "text",
    text: reply.text,
    status: "superseded",
    runId: turn.run.id,
    now: deps.clock.now(),
  });
}

function auditRow(deps: EngineDeps, turn: Turn, reply: Reply): AuditRow {
  const found = reply.findings.length > 0 ? `, guard found: ${reply.findings.join(", ")}` : "";
  return {
    tenantId: turn.tenantId,
    eventType: "reply.queued",
    summary: `reply from ${reply.origin}${found}`,
    decision: reply.origin,
    createdAt: deps.clock.now(),
    runId: turn.run.id,
    conversationId: turn.conversation.id,
    userId: turn.conversation.contactId,
  };
}
