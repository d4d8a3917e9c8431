import { and, desc, eq, gt, inArray, ne } from "drizzle-orm";
import type { Tx } from "./db.ts";
import { approvalQueue } from "./schema/approvals.ts";
import { runs } from "./schema/runs.ts";
import { statement, type ValueAt } from "./statement.ts";

/** So many rejections of a tool in a row take it away for a turn. */
export const REJECTIONS_TO_WITHDRAW = 3;
/** Decisions of a conversation that are looked at, the newest. */
const LOOKED_AT = 50;

interface Asked {
  tenantId: string;
  conversationId: string;
  /** The turn that asks; null: none. */
  runId: string | null;
}

/**
 * Tools whose proposals people have declined three times running, with no approval between, until the
 * turn that takes the last rejection in is over. In the next one the model may ask again.
 */
export async function withdrawnTools(tx: Tx, asked: Asked): Promise<Set<string>> {
  const { tenantId, conversationId } = asked;
  const decided = await newestDecided(tx, { tenantId, conversationId });
  const names = new Set(decided.map(({ toolName }) => toolName));
  const withdrawn = new Set<string>();
  for (const name of names) {
    const rejectedAt = lastOfManyRejections(decided.filter(({ toolName }) => toolName === name));
    if (rejectedAt !== null && !(await hasPlayedSince(tx, asked, rejectedAt))) withdrawn.add(name);
  }
  return withdrawn;
}

const newestDecided = statement(
  (on, value: ValueAt<{ tenantId: string; conversationId: string }>) =>
    on
      .select({
        toolName: approvalQueue.toolName,
        status: approvalQueue.status,
        at: approvalQueue.decidedAt,
      })
      .from(approvalQueue)
      .where(
        and(
          eq(approvalQueue.tenantId, value("tenantId")),
          eq(approvalQueue.conversationId, value("conversationId")),
          inArray(approvalQueue.status, ["approved", "rejected"]),
        ),
      )
      .orderBy(desc(approvalQueue.decidedAt), desc(approvalQueue.number))
      .limit(LOOKED_AT),
);

/** Of one tool, the newest first; null: not declined so often in a row. */
function lastOfManyRejections(decided: { status: string; at: number | null }[]): number | null {
  const row = decided.slice(0, REJECTIONS_TO_WITHDRAW);
  const isMany = row.length === REJECTIONS_TO_WITHDRAW;
  if (!isMany || row.some(({ status }) => status !== "rejected")) return null;
  return row[0]?.at ?? null;
}

async function hasPlayedSince(
  tx: Tx,
  { tenantId, conversationId, runId }: Asked,
  rejectedAt: number,
): Promise<boolean> {
  const rows = await tx
    .select({ id: runs.id })
    .from(runs)
    .where(
      and(
        eq(runs.tenantId, tenantId),
        eq(runs.conversationId, conversationId),
        eq(runs.kind, "message"),
        inArray(runs.status, ["completed", "failed", "exhausted"]),
        gt(runs.createdAt, rejectedAt),
        runId === null ? undefined : ne(runs.id, runId),
      ),
    )
    .limit(1);
  return rows.length > 0;
}
