import { and, eq, sql } from "drizzle-orm";
import type { DeskAnswer } from "../domain/desk.ts";
import type { InboundEvent } from "../domain/inbound.ts";
import type { Tx } from "./db.ts";
import { verified } from "./row-mac.ts";
import { inbox } from "./schema/chat.ts";

export interface InboxRow {
  status: "new" | "done" | "ignored";
  payload: InboundEvent;
  answer: DeskAnswer | null;
  attempts: number;
}

/**
 * Locks the event's row: the receiving process and the job's net come one after another. An event
 * that no messenger brought is put aside: null.
 */
export async function lockInbox(tx: Tx, tenantId: string, id: string): Promise<InboxRow | null> {
  const isEvent = and(eq(inbox.tenantId, tenantId), eq(inbox.id, id));
  const [row] = await tx.select().from(inbox).where(isEvent).for("update");
  if (row?.status !== "new" || verified(tx, "inbox", row)) return row ?? null;
  await tx.update(inbox).set({ status: "ignored" }).where(isEvent);
  return null;
}

/** Keeps the answer, so that the same event delivered again is answered alike. */
export async function finishInbox(
  tx: Tx,
  finish: { tenantId: string; id: string; answer: DeskAnswer | null; now: number },
): Promise<void> {
  await tx
    .update(inbox)
    .set({ status: "done", answer: finish.answer, doneAt: finish.now, mac: HANDLED })
    .where(and(eq(inbox.tenantId, finish.tenantId), eq(inbox.id, finish.id)));
}

/** Of an event that is over: whoever sets it back to new does not make it happen again. */
export const HANDLED = "";

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
      mac: sql`case when ${inbox.attempts} + 1 >= ${fail.most} then ${HANDLED} else ${inbox.mac} end`,
      doneAt: fail.now,
    })
    .where(and(eq(inbox.tenantId, fail.tenantId), eq(inbox.id, fail.id)));
}
