import { and, asc, eq, gt, inArray } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import type { Tx } from "./db.ts";
import { toolEvalCases } from "./schema/runs.ts";
import { storable } from "./storable.ts";

export type EvalCaseRow = typeof toolEvalCases.$inferSelect;
export type NewEvalCase = Omit<EvalCaseRow, "id" | "tenantId">;

/** Adds cases, and replaces those of the same name; answers the rows as they are then. */
export async function saveEvalCases(
  tx: Tx,
  tenantId: string,
  cases: readonly NewEvalCase[],
): Promise<EvalCaseRow[]> {
  const saved: EvalCaseRow[] = [];
  for (const one of cases)
    saved.push(
      ...(await tx
        .insert(toolEvalCases)
        .values(storable({ id: newId(), tenantId, ...one }))
        .onConflictDoUpdate({
          target: [toolEvalCases.tenantId, toolEvalCases.caseName],
          set: storable(one),
        })
        .returning()),
    );
  return saved;
}

/** Adds those whose names are new; what stands stays as people left it. */
export async function addEvalCases(
  tx: Tx,
  tenantId: string,
  cases: readonly NewEvalCase[],
): Promise<void> {
  if (cases.length === 0) return;
  await tx
    .insert(toolEvalCases)
    .values(cases.map((one) => storable({ id: newId(), tenantId, ...one })))
    .onConflictDoNothing();
}

/** By name; `after` is the last name of the page before. */
export function listEvalCases(
  tx: Tx,
  query: { tenantId: string; limit: number; after: string | null },
): Promise<EvalCaseRow[]> {
  return tx
    .select()
    .from(toolEvalCases)
    .where(
      and(
        eq(toolEvalCases.tenantId, query.tenantId),
        query.after === null ? undefined : gt(toolEvalCases.caseName, query.after),
      ),
    )
    .orderBy(asc(toolEvalCases.caseName))
    .limit(query.limit);
}

/** Those that are run, by name. */
export function activeEvalCases(tx: Tx, tenantId: string): Promise<EvalCaseRow[]> {
  return tx
    .select()
    .from(toolEvalCases)
    .where(and(eq(toolEvalCases.tenantId, tenantId), eq(toolEvalCases.isActive, true)))
    .orderBy(asc(toolEvalCases.caseName));
}

/** Name → id. */
export async function evalCaseIds(
  tx: Tx,
  tenantId: string,
  names: readonly string[],
): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const rows = await tx
    .select({ id: toolEvalCases.id, name: toolEvalCases.caseName })
    .from(toolEvalCases)
    .where(and(eq(toolEvalCases.tenantId, tenantId), inArray(toolEvalCases.caseName, [...names])));
  return new Map(rows.map(({ id, name }) => [name, id]));
}
