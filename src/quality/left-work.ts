import type { Clock } from "../lib/clock.ts";
import { failEvalRun, lockRunsUnderWay } from "../store/begun-eval-runs.ts";
import { changeCoachProposal, lockShadowsUnderWay } from "../store/coach.ts";
import { type Db, type Tx, withTenant } from "../store/db.ts";
import { livingBoots } from "../store/heartbeats.ts";
import { LEASE_MS } from "../store/lease.ts";

/** Why a run has no results, for a person. */
export const STOPPED = "the bot was stopped meanwhile; start them again";

/** No run lasts so long, those before it included: its process lives and could not write its end. */
const LOST_AFTER_MS = 2 * 3_600_000;

export interface LeftWorkDeps {
  db: Db;
  clock: Clock;
  realNow(): number;
  bootId: string;
  /** On the embedded database no other process can live. */
  alone: boolean;
}

/**
 * What a process had begun in the lab that is gone is told as failed: nobody waits for it any more,
 * and it can be started again. A process that was only silent still writes its results over that.
 */
export async function tellLeftWork(
  deps: LeftWorkDeps,
  tenantIds: readonly string[],
): Promise<void> {
  for (const tenantId of tenantIds)
    await withTenant(deps.db, tenantId, (tx) => tellLeftOf(tx, deps, tenantId));
}

async function tellLeftOf(tx: Tx, deps: LeftWorkDeps, tenantId: string): Promise<void> {
  const runs = await lockRunsUnderWay(tx, tenantId);
  const shadows = await lockShadowsUnderWay(tx, tenantId);
  if (runs.length + shadows.length === 0) return;
  const now = deps.clock.now();
  const living = await livingFor(tx, deps, tenantId);
  const isLeft = (bootId: string | undefined, startedAt: number) =>
    bootId === undefined || !living.has(bootId) || now - startedAt > LOST_AFTER_MS;
  for (const run of runs.filter(({ bootId, startedAt }) => isLeft(bootId, startedAt)))
    await failEvalRun(tx, { ...run, reason: STOPPED, now });
  for (const { row, shadow } of shadows.filter(({ shadow: { boot, at } }) => isLeft(boot, at))) {
    const { token, version, digest, at } = shadow;
    const shadowJson = { token, version, digest, state: "failed", at, error: STOPPED } as const;
    await changeCoachProposal(tx, row, { shadowJson });
  }
}

async function livingFor(
  tx: Tx,
  { alone, bootId, realNow }: LeftWorkDeps,
  tenantId: string,
): Promise<Set<string>> {
  if (alone) return new Set([bootId]);
  const others = await livingBoots(tx, { tenantId, since: realNow() - LEASE_MS });
  return new Set([bootId, ...others]);
}
