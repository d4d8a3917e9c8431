import { type Db, withTenant } from "../../store/db.ts";
import { insertAttempts, modelCalls, scoreModelCall } from "../../store/model-calls.ts";
import type { AttemptRow, BrokerJournal } from "./journal.ts";

/**
 * The journal in `model_call_log`, by tenant: a scope is one. Rows without a scope are of
 * `ownTenant`. Old rows are cleaned with the logs of cost and latency, by the sweep.
 */
export function createStoredJournal(db: Db, ownTenant: string): BrokerJournal {
  const tenantOf = (scope: string | null | undefined) => scope ?? ownTenant;
  return {
    record(row: AttemptRow) {
      const tenantId = tenantOf(row.scope);
      return withTenant(db, tenantId, (tx) => insertAttempts(tx, tenantId, [row]));
    },
    calls({ scope, ...filter }) {
      const tenantId = tenantOf(scope);
      return withTenant(db, tenantId, (tx) => modelCalls(tx, { ...filter, tenantId }));
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
