import { and, eq, ne, sql } from "drizzle-orm";
import type { Json } from "../domain/json.ts";
import { nextNumber } from "./counters.ts";
import type { Tx } from "./db.ts";
import { verifiedRows } from "./row-mac.ts";
import { counters, staff } from "./schema/tenancy.ts";
import { toolCallCandidates, toolExecutionQueue } from "./schema/tools.ts";

/** Until the transaction ends: changes of authority of a tenant come one after another. */
export async function holdAuthority(tx: Tx, tenantId: string): Promise<void> {
  const held = JSON.stringify(["authority", tenantId]);
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${held}, 0))`);
}

/** How often this was changed: the same change may be asked for again after it was undone. */
export async function changesSoFar(tx: Tx, tenantId: string, about: string): Promise<number> {
  const [row] = await tx
    .select({ value: counters.value })
    .from(counters)
    .where(and(eq(counters.tenantId, tenantId), eq(counters.name, about)));
  return row?.value ?? 0;
}

/** In the transaction of the change, under `holdAuthority`. */
export async function countChange(tx: Tx, tenantId: string, about: string): Promise<void> {
  await nextNumber(tx, tenantId, { name: about, first: 1 });
}

/** What was asked for, and by whom, of an execution that carries it out. */
export async function requestOfExecution(
  tx: Tx,
  tenantId: string,
  executionId: string,
): Promise<{ maker: string; argumentsJson: Json }> {
  const [row] = await tx
    .select({ maker: toolCallCandidates.maker, argumentsJson: toolCallCandidates.argumentsJson })
    .from(toolExecutionQueue)
    .innerJoin(
      toolCallCandidates,
      and(
        eq(toolCallCandidates.tenantId, tenantId),
        eq(toolCallCandidates.id, toolExecutionQueue.candidateId),
      ),
    )
    .where(and(eq(toolExecutionQueue.tenantId, tenantId), eq(toolExecutionQueue.id, executionId)));
  if (!row) throw new Error(`execution ${executionId} does not exist`);
  return row;
}

/** How a request stands, and what was asked for. */
export async function requestState(
  tx: Tx,
  tenantId: string,
  candidateId: string,
): Promise<{
  status: string | null;
  code: string | null;
  summary: string | null;
  argumentsJson: Json;
}> {
  const [row] = await tx
    .select()
    .from(toolCallCandidates)
    .where(and(eq(toolCallCandidates.tenantId, tenantId), eq(toolCallCandidates.id, candidateId)));
  const data = row?.reply?.data;
  const said = data !== null && typeof data === "object" && !Array.isArray(data) ? data : undefined;
  const reason = typeof said?.reason === "string" ? said.reason : null;
  return {
    status: row?.status ?? null,
    code: reason ?? row?.code ?? null,
    summary: row?.reply?.summary ?? null,
    argumentsJson: row?.argumentsJson ?? null,
  };
}

/**
 * The admins that could decide besides one, and when that one last suspended an admin. Somebody
 * whose row the product did not write is one of them: nobody becomes alone by a write behind our back.
 */
export async function adminsBeside(
  tx: Tx,
  { tenantId, staffId }: { tenantId: string; staffId: string },
): Promise<{ active: number; lastSuspendedAt: number | null }> {
  const rows = await tx
    .select()
    .from(staff)
    .where(and(eq(staff.tenantId, tenantId), ne(staff.id, staffId)));
  const genuine = verifiedRows(tx, "staff", rows);
  const admins = genuine.filter(({ role }) => role === "admin");
  const active = admins.filter(({ status }) => status === "active");
  const times = admins.flatMap(({ status, suspendedBy, suspendedAt: at }) =>
    status === "suspended" && suspendedBy === staffId && at !== null ? [at] : [],
  );
  return {
    active: active.length + rows.length - genuine.length,
    lastSuspendedAt: times.length > 0 ? Math.max(...times) : null,
  };
}
