import { messageOf } from "../../domain/errors.ts";
import { newId } from "../../domain/ids.ts";
import type { Clock } from "../../lib/clock.ts";
import { type BegunEvalRun, failEvalRun } from "../../store/begun-eval-runs.ts";
import { type Db, type Tx, withTenant } from "../../store/db.ts";
import { activeEvalCases, addEvalCases } from "../../store/eval-cases.ts";
import { caseOfRow, rowOfCase, writtenOf } from "./case-rows.ts";
import { readCases, SHIPPED_CASES } from "./read-cases.ts";
import type { EvalReport } from "./run-cases.ts";
import { type Snapshot, takeSnapshot } from "./snapshot.ts";
import { storeRun } from "./store-run.ts";

/** Plays the cases of a snapshot somewhere apart from this process. Throws when that went wrong. */
export type PlayEvals = (
  of: { tenantId: string; model: string | null },
  snapshot: Snapshot,
) => Promise<EvalReport>;

export interface EvalsRunnerDeps {
  db: Db;
  clock: Clock;
  /** Of this process. */
  bootId: string;
  play: PlayEvals;
  log: { error(details: object, message: string): void };
}

/** The evals of tenants, one run at a time: each takes a processor for a while. */
export interface EvalsRunner {
  running(): BegunEvalRun | null;
  /**
   * Answers when it is written down that the run began, before any of it: a process that is lost then
   * leaves a trace. null: a run is under way. Results, or why there are none, become rows.
   */
  start(
    wanted: { tenantId: string; model: string | null },
    writeDown: (run: BegunEvalRun) => Promise<void>,
  ): Promise<BegunEvalRun | null>;
  /** Waits for the run under way; nothing is written. `change`: what differs from the tenant's own. */
  trial(tenantId: string, change: Pick<Snapshot, "style">): Promise<EvalReport>;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
}

export function createEvalsRunner(deps: EvalsRunnerDeps): EvalsRunner {
  let current: BegunEvalRun | null = null;
  let last: Promise<unknown> = Promise.resolve();
  /** After what is under way, whatever became of it. */
  const after = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work, work);
    last = next.catch(() => {});
    return next;
  };
  return {
    running: () => current,
    async start({ tenantId, model }, writeDown) {
      if (current) return null;
      const { bootId, clock } = deps;
      const run = {
        ...{ tenantId, batchId: newId(), modelId: model ?? "", bootId, startedAt: clock.now() },
      };
      current = run;
      try {
        await writeDown(run);
      } catch (error) {
        current = null;
        throw error;
      }
      void after(() => playAndStore(deps, run)).finally(() => {
        current = null;
      });
      return run;
    },
    trial: (tenantId, change) =>
      after(async () =>
        deps.play({ tenantId, model: null }, { ...(await furnished(deps, tenantId)), ...change }),
      ),
    async settled() {
      await last;
    },
  };
}

/** Shipped cases are the tenant's from its first run on: people may switch them off. */
function furnished({ db }: EvalsRunnerDeps, tenantId: string): Promise<Snapshot> {
  return withTenant(db, tenantId, async (tx: Tx) => {
    await addEvalCases(tx, tenantId, readCases([SHIPPED_CASES]).map(rowOfCase));
    const cases = (await activeEvalCases(tx, tenantId)).map(caseOfRow).map(writtenOf);
    return { ...(await takeSnapshot(tx, tenantId)), cases };
  });
}

/** Never throws: what went wrong stands in the list of runs. */
async function playAndStore(deps: EvalsRunnerDeps, run: BegunEvalRun): Promise<void> {
  const { db, clock } = deps;
  const { tenantId, modelId, batchId } = run;
  try {
    const played = await deps.play(
      { tenantId, model: modelId || null },
      await furnished(deps, tenantId),
    );
    const report = { ...played, batch_id: batchId };
    await withTenant(db, tenantId, (tx) => storeRun(tx, tenantId, { report, now: clock.now() }));
  } catch (error) {
    await tellFailure(deps, run, error).catch((cause: unknown) =>
      deps.log.error({ batch: batchId, error: String(cause) }, "a run of evals was not recorded"),
    );
  }
}

async function tellFailure(
  { db, clock, log }: EvalsRunnerDeps,
  run: BegunEvalRun,
  error: unknown,
): Promise<void> {
  const { tenantId, batchId } = run;
  const reason = messageOf(error);
  log.error({ batch: batchId, tenant: tenantId, error: reason }, "evals did not run");
  await withTenant(db, tenantId, (tx) => failEvalRun(tx, { ...run, reason, now: clock.now() }));
}
