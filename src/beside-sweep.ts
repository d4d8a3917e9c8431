import { tenantIds } from "./bootstrap.ts";
import { repostCards } from "./desk/cards-after-outage.ts";
import type { DeskDeps } from "./desk/deps.ts";
import { ATTEMPTS_KEPT_MS } from "./domain/model-attempt.ts";
import type { ModelAlerts } from "./model-alerts.ts";
import type { ProductBase } from "./product-base.ts";
import type { ProductModels } from "./product-models.ts";
import { tellLeftWork } from "./quality/left-work.ts";
import { withOwner, withTenant } from "./store/db.ts";
import { forgetOldCalls } from "./store/model-calls.ts";
import { dropOldCooldowns } from "./store/model-state.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What each sweep looks for besides work that is due. */
export interface BesideSweep {
  /** What processes that are gone had begun in the quality lab is told as failed. */
  tellLeftWork(): Promise<void>;
  run(): Promise<void>;
}

export function createBesideSweep(
  { database, clock, language }: ProductBase,
  parts: {
    deskDeps: DeskDeps;
    models: Pick<ProductModels, "reload">;
    alerts: Pick<ModelAlerts, "tick">;
    bootId: string;
  },
): BesideSweep {
  const { db } = database;
  const isAlone = database.kind === "embedded";
  const left = { db, clock, realNow: Date.now, bootId: parts.bootId, alone: isAlone };
  let cleanedAt = Number.NEGATIVE_INFINITY;

  /** Once an hour, in steps: a long table keeps nobody waiting. */
  async function forgetOld(): Promise<void> {
    if (Date.now() - cleanedAt < HOUR_MS) return;
    cleanedAt = Date.now();
    const before = clock.now() - ATTEMPTS_KEPT_MS;
    for (const tenantId of await tenantIds(db)) {
      const step = () => withTenant(db, tenantId, (tx) => forgetOldCalls(tx, { tenantId, before }));
      while (await step());
    }
    await withOwner(db, (tx) => dropOldCooldowns(tx, clock.now() - DAY_MS));
  }

  const tellLeft = async () => tellLeftWork(left, await tenantIds(db));
  return {
    tellLeftWork: tellLeft,
    async run() {
      await repostCards(parts.deskDeps, await tenantIds(db));
      await tellLeft();
      if (!isAlone) await Promise.all([parts.models.reload(), language.read()]); // where a signal was lost
      await parts.alerts.tick();
      await forgetOld();
    },
  };
}
