import { and, desc, eq, lt, ne } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import type { ListQuery } from "./admin-reads.ts";
import { nextNumber } from "./counters.ts";
import type { Tx } from "./db.ts";
import { agentToolCallRegressionCases as cases } from "./schema/quality.ts";
import { staff } from "./schema/tenancy.ts";
import { storable } from "./storable.ts";

export type CaseRow = typeof cases.$inferSelect;
export type CaseStatus = CaseRow["status"];

/** REG-7. */
export function caseName({ number }: Pick<CaseRow, "number">): string {
  return `REG-${number}`;
}

/** Active, and numbered. */
export async function insertCase(
  tx: Tx,
  made: Omit<CaseRow, "id" | "number" | "status" | "createdAt" | "updatedAt"> & { now: number },
): Promise<CaseRow> {
  const { now, ...row } = made;
  const number = await nextNumber(tx, row.tenantId, { name: "regression_case", first: 1 });
  const [added] = await tx
    .insert(cases)
    .values({
      ...storable(row),
      ...{ id: newId(), number, status: "active", createdAt: now, updatedAt: now },
    })
    .returning();
  if (!added) throw new Error("a regression case could not be written");
  return added;
}

/** Newest first, from below `after`. */
export function listCases(
  tx: Tx,
  query: ListQuery<number> & { status?: CaseStatus | undefined; toolName?: string | undefined },
): Promise<CaseRow[]> {
  const { tenantId, status, toolName, after } = query;
  return tx
    .select()
    .from(cases)
    .where(
      and(
        eq(cases.tenantId, tenantId),
        status && eq(cases.status, status),
        toolName === undefined ? undefined : eq(cases.toolName, toolName),
        after === null ? undefined : lt(cases.number, after),
      ),
    )
    .orderBy(desc(cases.number))
    .limit(query.limit);
}

/** By id or number; null: there is none. */
export async function findCase(
  tx: Tx,
  tenantId: string,
  which: string | number,
): Promise<CaseRow | null> {
  const isWanted = typeof which === "number" ? eq(cases.number, which) : eq(cases.id, which);
  const [row] = await tx
    .select()
    .from(cases)
    .where(and(eq(cases.tenantId, tenantId), isWanted));
  return row ?? null;
}

/** null: it has that status already. */
export async function setCaseStatus(
  tx: Tx,
  change: { tenantId: string; id: string; status: CaseStatus; now: number },
): Promise<CaseRow | null> {
  const { tenantId, id, status, now } = change;
  const [row] = await tx
    .update(cases)
    .set({ status, updatedAt: now })
    .where(and(eq(cases.tenantId, tenantId), eq(cases.id, id), ne(cases.status, status)))
    .returning();
  return row ?? null;
}

/** The number by which exports name a person; null: it is none of the staff. */
export async function staffNumber(
  tx: Tx,
  tenantId: string,
  staffId: string,
): Promise<number | null> {
  const [person] = await tx
    .select({ number: staff.number })
    .from(staff)
    .where(and(eq(staff.tenantId, tenantId), eq(staff.id, staffId)));
  return person?.number ?? null;
}
