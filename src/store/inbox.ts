import { and, eq, sql } from "drizzle-orm";
import type { DeskAnswer } from "../domain/desk.ts";
import type { InboundEvent } from "../domain/inbound.ts";
import type { Tx } from "./db.ts";
import { inbox } from "./schema/chat.ts";

export interface InboxRow {
  status: "new" | "done" | "ignored";
  payload: InboundEvent;
  answer: DeskAnswer | null;
  attempts: number;
}

/** Locks the event's row: the receiving process and the job's net come one after another. */
export async function lockInbox(tx: Tx, tenantId: string, id: string): Promise<InboxRow | null> {
  const rows = await tx
    .select({
      status: inbox.status,
      payload: inbox.payload,
      answer: inbox.answer,
      attempts: inbox.attempts,
    })
    .from(inbox)
    .where(and(eq(inbox.tenantId, tenantId), eq(inbox.id, id)))
    .for("update");
  return rows[0] ?? null;
}

export async function finishInbox(
  tx: Tx,
  finish: { tenantId: string; id: string; answer: DeskAnswer | null; now: number },
): Promise<void> {
  await tx
    .update(inbox)
    .set({ status: "done", answer: finish.answer, doneAt: finish.now })
    .where(and(eq(inbox.tenantId, finish.tenantId), eq(inbox.id, finish.id)));
}

/** What was typed into a form that holds a secret is not kept once it was handled. */
export async function blankForm(tx: Tx, tenantId: string, id: string): Promise<void> {
  await tx
    .update(inbox)
    .set({ payload: sql`jsonb_set(${inbox.payload}, '{values}', '{}')` })
    .where(and(eq(inbox.tenantId, tenantId), eq(inbox.id, id)));
}

/** Counts a failed attempt; after `most` the event is put aside, so that it blocks nothing. */
export async function failInbox(
  tx: Tx,
  fail: { tenantId: string; id: string; most: number; now: number },
): Promise<void> {
  await tx
    .update(inbox)
    .set({
      attempts: sql`${inbox.attempts} + 1`,
      status: sql`case when ${inbox.attempts} + 1 >= ${fail.most} then 'ignored' else ${inbox.status} end`,
      doneAt: fail.now,
    })
    .where(and(eq(inbox.tenantId, fail.tenantId), eq(inbox.id, fail.id)));
}
