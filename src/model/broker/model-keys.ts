import { messageOf } from "../../domain/errors.ts";
import type { Log } from "../../lib/log.ts";
import { type Db, withTenant } from "../../store/db.ts";
import type { Secrets } from "../../store/secrets.ts";
import type { KeyResolver } from "./keys.ts";
import type { ModelPool } from "./model-pool.ts";

/** Keys of models by name, kept in memory until somebody changes a secret. */
export interface ModelKeys {
  resolve: KeyResolver;
  /** null: of every tenant. */
  forget(tenantId: string | null): void;
}

/** A tenant's own secret stands under the name of the key; shared ones are in the environment. */
export function createModelKeys(deps: {
  db: Db;
  secrets: Secrets;
  log: Log;
  pool(): ModelPool;
}): ModelKeys {
  const kept = new Map<string, Promise<ReadonlyMap<string, string>>>();
  /** Counts changes: what was read before one must not be kept after it. */
  let changes = 0;

  async function ownKeys(tenantId: string): Promise<ReadonlyMap<string, string>> {
    const before = changes;
    const refs = new Set(deps.pool().entries.flatMap(({ apiKeyRef }) => apiKeyRef ?? []));
    const keys = withTenant(deps.db, tenantId, async (tx) => {
      const found = new Map<string, string>();
      for (const ref of refs) {
        const key = await deps.secrets.get(tx, tenantId, ref).catch((error: unknown) => {
          deps.log.error(
            { tenantId, ref, error: messageOf(error) },
            "a model's key cannot be read",
          );
          return null;
        });
        if (key) found.set(ref, key);
      }
      return found;
    });
    kept.set(tenantId, keys);
    const isOld = await keys.then(
      () => before !== changes,
      () => true,
    );
    if (isOld && kept.get(tenantId) === keys) kept.delete(tenantId);
    return keys;
  }

  return {
    async resolve(name) {
      const slash = name.indexOf("/");
      if (slash < 0) return deps.pool().keyNamed(name);
      const tenantId = name.slice(0, slash);
      const keys = await (kept.get(tenantId) ?? ownKeys(tenantId));
      return keys.get(name.slice(slash + 1)) ?? null;
    },
    forget(tenantId) {
      changes += 1;
      if (tenantId === null) kept.clear();
      else kept.delete(tenantId);
    },
  };
}
