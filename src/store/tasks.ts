import { and, desc, eq, inArray } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import { nextNumber } from "./counters.ts";
import type { Tx } from "./db.ts";
import type { ContactRef } from "./kyc.ts";
import { tasks } from "./schema/chat.ts";
import { storable } from "./storable.ts";

export type Task = typeof tasks.$inferSelect;
export type NewTask = Omit<typeof tasks.$inferInsert, "id" | "number" | "status">;

/** As people say it. */
export function taskName(task: { number: number }): string {
  return `T-${task.number}`;
}

/** Numbers count for each tenant; texts are cleaned of what the database refuses. */
export async function draftTask(tx: Tx, task: NewTask): Promise<Task> {
  const number = await nextNumber(tx, task.tenantId, { name: "task", first: 1 });
  const row = { ...task, id: newId(), number, status: "draft" as const };
  const [written] = await tx.insert(tasks).values(storable(row)).returning();
  if (!written) throw new Error("a task could not be written");
  return written;
}

/** What is still to be done for a contact, newest first. */
export async function openTasksOf(tx: Tx, which: ContactRef): Promise<Task[]> {
  return tx
    .select()
    .from(tasks)
    .where(
      and(
        eq(tasks.tenantId, which.tenantId),
        eq(tasks.contactId, which.contactId),
        inArray(tasks.status, ["draft", "open"]),
      ),
    )
    .orderBy(desc(tasks.number))
    .limit(10);
}

export async function tasksOfConversation(
  tx: Tx,
  of: { tenantId: string; conversationId: string },
): Promise<Task[]> {
  return tx
    .select()
    .from(tasks)
    .where(and(eq(tasks.tenantId, of.tenantId), eq(tasks.conversationId, of.conversationId)))
    .orderBy(tasks.number);
}
