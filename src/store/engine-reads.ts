import { and, eq, inArray } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import type { Tx } from "./db.ts";
import { handoffs } from "./schema/chat.ts";
import { agentToolCalls, modelCallLog } from "./schema/runs.ts";
import { tenants } from "./schema/tenancy.ts";
import { toolCallCandidates } from "./schema/tools.ts";
import { insertRows, statement, type ValueAt } from "./statement.ts";

export type ModelCallRow = typeof modelCallLog.$inferInsert;

export async function insertModelCalls(tx: Tx, rows: ModelCallRow[]): Promise<void> {
  await insertRows(tx, modelCallLog, rows);
}

/** As clients are told it; the id when nothing is stored. */
export async function tenantName(tx: Tx, tenantId: string): Promise<string> {
  const rows = await tx
    .select({ name: tenants.name })
    .from(tenants)
    .where(eq(tenants.id, tenantId));
  return rows[0]?.name ?? tenantId;
}

/** Does a person owe this client an answer? */
export async function hasOpenHandoff(
  tx: Tx,
  query: { tenantId: string; conversationId: string },
): Promise<boolean> {
  return (await openHandoff(tx, query)).length > 0;
}

const openHandoff = statement((on, value: ValueAt<{ tenantId: string; conversationId: string }>) =>
  on
    .select({ id: handoffs.id })
    .from(handoffs)
    .where(
      and(
        eq(handoffs.tenantId, value("tenantId")),
        eq(handoffs.conversationId, value("conversationId")),
        inArray(handoffs.status, ["open", "accepted"]),
      ),
    )
    .limit(1),
);

/** The calls of a run become the reply's trace: one row a call, none for a plain answer. */
export async function recordTrace(
  tx: Tx,
  trace: {
    tenantId: string;
    runId: string;
    conversationId: string;
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
  await insertRows(
    tx,
    agentToolCalls,
    calls.map((call) => ({
      id: newId(),
      tenantId: trace.tenantId,
      conversationId: trace.conversationId,
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
