import { tenantIds } from "./bootstrap.ts";
import { tellModels } from "./desk/tell-models.ts";
import { messageOf } from "./domain/errors.ts";
import type { Jobs } from "./domain/jobs.ts";
import type { PoolChange } from "./domain/model-desk.ts";
import type { ProductBase } from "./product-base.ts";
import { type Tx, withTenant } from "./store/db.ts";

/** Tells the operators when models fail for longer than a moment, and when they answer again. */
export interface ModelAlerts {
  note(change: PoolChange): void;
  /** Called again and again: what has lasted is told. */
  tick(): Promise<void>;
}

/** Product time. A pause after one failure is no news; a rejected key is. */
const LASTS_MS: Record<PoolChange["level"], number> = {
  ...{ full: 0, none: 0 },
  ...{ degraded: 60_000, all_cooling: 60_000 },
};

export function createModelAlerts(
  { database, clock, log, language }: ProductBase,
  jobs: Pick<Jobs<Tx>, "wakeDelivery">,
): ModelAlerts {
  const { db } = database;
  /** By scope; "": of everybody. */
  const waiting = new Map<string, { change: PoolChange; since: number }>();

  async function tell(change: PoolChange): Promise<void> {
    const tenants = change.scope === null ? await tenantIds(db) : [change.scope];
    for (const tenantId of tenants)
      await withTenant(db, tenantId, (tx) =>
        tellModels(tx, { jobs, tenantId, now: clock.now() }, { change, language: language.now() }),
      );
  }

  async function tick(): Promise<void> {
    const now = clock.now();
    for (const [scope, { change, since }] of waiting) {
      if (now - since < LASTS_MS[change.level]) continue;
      waiting.delete(scope);
      await tell(change);
    }
  }

  return {
    note(change) {
      waiting.set(change.scope ?? "", { change, since: clock.now() });
      if (LASTS_MS[change.level] > 0) return;
      tick().catch((error: unknown) =>
        log.error({ error: messageOf(error) }, "the state of the models could not be told"),
      );
    },
    tick,
  };
}
