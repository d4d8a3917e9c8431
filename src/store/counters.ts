import { sql } from "drizzle-orm";
import type { Tx } from "./db.ts";
import { queryRows } from "./db.ts";

/** The next number of a tenant's row of numbers (`approval`, `order` …); never given twice. */
export async function nextNumber(
  tx: Tx,
  tenantId: string,
  counter: { name: string; first: number },
): Promise<number> {
  const rows = await queryRows<{ value: number }>(
    tx,
    sql`insert into counters (tenant_id, name, value) values (${tenantId}, ${counter.name}, ${counter.first})
        on conflict (tenant_id, name) do update set value = counters.value + 1 returning value`,
  );
  const value = rows[0]?.value;
  if (value === undefined) throw new Error(`counter ${counter.name} gave no number`);
  return value;
}
