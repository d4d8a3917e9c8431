import { and, eq, inArray } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import type { Tx } from "./db.ts";
import { handoffs } from "./schema/chat.ts";
import { agentToolCalls, errorLog, modelCallLog } from "./schema/runs.ts";
import { tenants } from "./schema/tenancy.ts";
import { toolCallCandidates } from "./schema/tools.ts";

export type ModelCallRow = typeof modelCallLog.$inferInsert;

export async function insertModelCalls(tx: Tx, rows: ModelCallRow[]): Promise<void> {
  if (rows.length > 0) await tx.insert(modelCallLog).values(rows);
}

export async function insertError(
  tx: Tx,
  row: Omit<typeof errorLog.$inferInsert, "id">,
): Promise<void> {
  await tx.insert(errorLog).values({ id: newId(), ...row });
}

export async function tenantName(tx: Tx, tenantId: string): Promise<string> {
  const rows = await tx
    .select({ name: tenants.name })
    .from(tenants)
    .where(eq(tenants.id, tenantId));
  return rows[0]?.name ?? tenantId;
}

export async function hasOpenHandoff(
  tx: Tx,
  query: { tenantId: string; conversationId: string },
): Promise<boolean> {
  const rows = await tx
    .select({ id: handoffs.id })
    .from(handoffs)
    .where(
      and(
        eq(handoffs.tenantId, query.tenantId),
        eq(handoffs.conversationId, query.conversationId),
        inArray(handoffs.status, ["open", "accepted"]),
      ),
    )
    .limit(1);
  return rows.length > 0;
}

/** The calls of a run become the reply's trace: one row a call, none for a plain answer. */
export async function recordTrace(
  tx: Tx,
  trace: {
    tenantId: string;
    runId: string;
    contactId: string;
    messageId: string;
    outboundId: string | null;
    now: number;
  },
): Promise<void> {
  const calls = await tx
    .select()
    .from(toolCallCandidates)
    .where(
      and(
        eq(toolCallCandidates.tenantId, trace.tenantId),
        eq(toolCallCandidates.runId, trace.runId),
        eq(toolCallCandidates.source, "model"),
      ),
    );
  if (calls.length === 0) return;
  await tx.insert(agentToolCalls).values(
    calls.map((call) => ({
      id: newId(),
      tenantId: trace.tenantId,
      conversationId: call.conversationId,
      contactId: trace.contactId,
      messageId: trace.messageId,
      outboundId: trace.outboundId,
      candidateId: call.id,
      source: call.source,
      toolName: call.toolName,
      args: call.argumentsJson,
      result: call.reply,
      isError: call.reply?.ok === false,
      cycle: call.cycle,
      toolCallIndex: call.ordinal,
      latencyMs: call.settledAt === null ? null : Math.max(0, call.settledAt - call.createdAt),
      createdAt: trace.now,
    })),
  );
}
