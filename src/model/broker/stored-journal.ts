import { type Db, withTenant } from "../../store/db.ts";
import { insertAttempts, modelCalls, scoreModelCall } from "../../store/model-calls.ts";
import type { AttemptRow, BrokerJournal } from "./journal.ts";

/**
 * The journal in `model_call_log`, by tenant: a scope is one. Rows without a scope are of
 * `ownTenant`; without a filter by scope those of all `tenants` are read. Old rows are cleaned with the logs of cost and latency, by the sweep.
 */
export function createStoredJournal(
  db: Db,
  { ownTenant, tenants }: { ownTenant: string; tenants(): Promise<string[]> },
): BrokerJournal {
  const tenantOf = (scope: string | null | undefined) => scope ?? ownTenant;
  return {
    record(row: AttemptRow) {
      const tenantId = tenantOf(row.scope);
      return withTenant(db, tenantId, (tx) => insertAttempts(tx, tenantId, [row]));
    },
    async calls({ scope, ...filter }) {
      const of = scope === undefined ? await tenants() : [tenantOf(scope)];
      const found: AttemptRow[] = [];
      for (const tenantId of of)
        found.push(
          ...(await withTenant(db, tenantId, (tx) => modelCalls(tx, { ...filter, tenantId }))),
        );
      if (of.length === 1) return found;
      return found.sort((left, right) => right.at - left.at).slice(0, filter.limit);
    },
    async setScore({ callId, scope }, score) {
      const tenantId = tenantOf(scope);
      const scored = await withTenant(db, tenantId, (tx) =>
        scoreModelCall(tx, { tenantId, callId, score }),
      );
      return { previous: scored?.previous ?? null };
    },
  };
}
