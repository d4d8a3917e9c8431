import { newId } from "../domain/ids.ts";
import type { Jobs } from "../domain/jobs.ts";
import type { Tx } from "./db.ts";
import { insertContinuation, lockConversation, queuedRuns, workingRun } from "./runs.ts";
import { tellDesk } from "./tell-desk.ts";
import { addMessage } from "./transcript.ts";

export interface Outcome {
  tenantId: string;
  /** null: the desk asked for it itself: the staff are told, no lead waits for it. */
  conversationId: string | null;
  approvalId: string;
  /** The system line: `A-17 (issue_exchange_payout) is now completed; tell the lead; …`. */
  line: string;
  /** Product time. */
  now: number;
  /** How long a continuation waits for more, e.g. a reason; 0 starts it at once. */
  waitMs: number;
}

/**
 * An approval's outcome becomes a line of the conversation. A queued or working run of the lead
 * takes it in; else a continuation run (one per approval) tells the lead.
 */
export async function recordOutcome(tx: Tx, jobs: Jobs<Tx>, outcome: Outcome): Promise<void> {
  const { tenantId, conversationId, approvalId, now } = outcome;
  if (conversationId === null) return tellDesk(tx, jobs, outcome);
  const conversation = await lockConversation(tx, tenantId, conversationId);
  if (!conversation) return;
  await addMessage(tx, {
    tenantId,
    conversationId,
    author: "system",
    kind: "event",
    text: outcome.line,
    runId: null,
    now,
  });
  if (conversation.mode !== "bot") return; // a person speaks with the lead and sees the card
  const queued = await queuedRuns(tx, tenantId, conversationId);
  if (queued.some((run) => run.kind === "message")) return;
  if (await workingRun(tx, tenantId, conversationId)) return;
  const id = newId();
  const dueAt = now + outcome.waitMs;
  const started = await insertContinuation(tx, {
    id,
    tenantId,
    conversationId,
    approvalId,
    dueAt,
    now,
  });
  if (started) await jobs.enqueue(tx, "run", { tenantId, id }, outcome.waitMs);
}
