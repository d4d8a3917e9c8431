import {
  and,
  desc,
  eq,
  exists,
  getTableColumns,
  isNull,
  lt,
  notExists,
  type SQL,
} from "drizzle-orm";
import type { FeedbackLabel } from "../domain/feedback.ts";
import type { ListQuery } from "./admin-reads.ts";
import type { Tx } from "./db.ts";
import { agentToolCallFeedback, agentToolCalls } from "./schema/runs.ts";

const { tenantId: _tenant, candidateId: _candidate, ...columns } = getTableColumns(agentToolCalls);

/** A call of a reply, as people judge it. */
export type ToolCallRow = Omit<typeof agentToolCalls.$inferSelect, "tenantId" | "candidateId">;

/** Conditions that all hold. */
export interface ToolCallFilter {
  conversationId?: string | undefined;
  messageId?: string | undefined;
  outboundId?: string | undefined;
  toolName?: string | undefined;
  isError?: boolean | undefined;
  source?: string | undefined;
  /** Somebody says this of it and has not taken it back; `none`: nobody says anything, `any`: somebody. */
  label?: FeedbackLabel | "none" | "any" | undefined;
}

/** Newest first, by number. */
export function listToolCalls(
  tx: Tx,
  query: ListQuery<number>,
  filter: ToolCallFilter,
): Promise<ToolCallRow[]> {
  return tx
    .select(columns)
    .from(agentToolCalls)
    .where(
      and(
        eq(agentToolCalls.tenantId, query.tenantId),
        query.after === null ? undefined : lt(agentToolCalls.number, query.after),
        ...conditionsOf(tx, filter),
      ),
    )
    .orderBy(desc(agentToolCalls.number))
    .limit(query.limit);
}

/** By id, or by the number that exports name; null: there is none. */
export async function findToolCall(
  tx: Tx,
  tenantId: string,
  which: string | number,
): Promise<ToolCallRow | null> {
  const isWanted =
    typeof which === "number" ? eq(agentToolCalls.number, which) : eq(agentToolCalls.id, which);
  const [call] = await tx
    .select(columns)
    .from(agentToolCalls)
    .where(and(eq(agentToolCalls.tenantId, tenantId), isWanted));
  return call ?? null;
}

function conditionsOf(tx: Tx, filter: ToolCallFilter): SQL[] {
  const { conversationId, messageId, outboundId, toolName, isError, source, label } = filter;
  return [
    conversationId !== undefined && eq(agentToolCalls.conversationId, conversationId),
    messageId !== undefined && eq(agentToolCalls.messageId, messageId),
    outboundId !== undefined && eq(agentToolCalls.outboundId, outboundId),
    toolName !== undefined && eq(agentToolCalls.toolName, toolName),
    isError !== undefined && eq(agentToolCalls.isError, isError),
    source !== undefined && eq(agentToolCalls.source, source),
    label !== undefined && isLabelled(tx, label),
  ].filter((condition) => condition !== false);
}

function isLabelled(tx: Tx, label: FeedbackLabel | "none" | "any"): SQL {
  const given = agentToolCallFeedback;
  const labels = tx
    .select({ id: given.id })
    .from(given)
    .where(
      and(
        eq(given.tenantId, agentToolCalls.tenantId),
        eq(given.toolCallId, agentToolCalls.id),
        label === "none" || label === "any" ? undefined : eq(given.label, label),
        isNull(given.retractedAt),
      ),
    );
  return label === "none" ? notExists(labels) : exists(labels);
}
