import { newId } from "../../domain/ids.ts";
import type { Clock } from "../../lib/clock.ts";
import { type Db, type Tx, withTenant } from "../../store/db.ts";
import { activeEvalCases, addEvalCases } from "../../store/eval-cases.ts";
import { insertEvalRuns } from "../../store/eval-runs.ts";
import { caseOfRow, rowOfCase, writtenOf } from "./case-rows.ts";
import { readCases, SHIPPED_CASES } from "./read-cases.ts";
import type { EvalReport } from "./run-cases.ts";
import { type Snapshot, takeSnapshot } from "./snapshot.ts";
import { storeRun } from "./store-run.ts";

/** Plays the cases of a snapshot somewhere apart from this process. Throws when that went wrong. */
export type PlayEvals = (snapshot: Snapshot, model: string | null) => Promise<EvalReport>;

export interface RunningEvals {
  batch_id: string;
  tenantId: string;
  /** null: the one that the bot itself asks. */
  model: string | null;
  startedAt: number;
}

export interface EvalsRunnerDeps {
  db: Db;
  clock: Clock;
  play: PlayEvals;
  log: { error(details: object, message: string): void };
}

/** The evals of tenants, one run at a time: each takes a processor for a while. */
export interface EvalsRunner {
  running(): RunningEvals | null;
  /** Answers at once; null: a run is under way. Results, or why there are none, become rows. */
  start(request: { tenantId: string; model: string | null }): RunningEvals | null;
  /** Waits for the run under way; nothing is written. `change`: what differs from the tenant's own. */
  trial(tenantId: string, change: Pick<Snapshot, "style">): Promise<EvalReport>;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
}

export function createEvalsRunner(deps: EvalsRunnerDeps): EvalsRunner {
  let current: RunningEvals | null = null;
  let last: Promise<unknown> = Promise.resolve();
  /** After what is under way, whatever became of it. */
  const after = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work, work);
    last = next.catch(() => {});
    return next;
  };
  return {
    running: () => current,
    start({ tenantId, model }) {
      if (current) return null;
      const run = { batch_id: newId(), tenantId, model, startedAt: deps.clock.now() };
      current = run;
      void after(() => playAndStore(deps, run)).finally(() => {
        current = null;
      });
      return run;
    },
    trial: (tenantId, change) =>
      after(async () => deps.play({ ...(await furnished(deps, tenantId)), ...change }, null)),
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
async function playAndStore(deps: EvalsRunnerDeps, run: RunningEvals): Promise<void> {
  const { db, clock } = deps;
  const { tenantId, model, batch_id } = run;
  try {
    const played = await deps.play(await furnished(deps, tenantId), model);
    const report = { ...played, batch_id };
    await withTenant(db, tenantId, (tx) => storeRun(tx, tenantId, { report, now: clock.now() }));
  } catch (error) {
    await tellFailure(deps, run, error).catch((cause: unknown) =>
      deps.log.error({ batch: batch_id, error: String(cause) }, "a run of evals was not recorded"),
    );
  }
}

async function tellFailure(
  { db, clock, log }: EvalsRunnerDeps,
  { tenantId, model, batch_id }: RunningEvals,
  error: unknown,
): Promise<void> {
  const why = error instanceof Error ? error.message : String(error);
  log.error({ batch: batch_id, tenant: tenantId, error: why }, "evals did not run");
  await withTenant(db, tenantId, (tx) =>
    insertEvalRuns(tx, [
      {
        ...{ id: newId(), tenantId, evalCaseId: "", batchId: batch_id, createdAt: clock.now() },
        ...{ agentVersion: "", modelId: model ?? "", passed: false, policyResult: null },
        ...{ actualTool: null, actualArgumentsJson: null },
        failureReason: `the evals did not run: ${why}`.slice(0, 2000),
      },
    ]),
  );
}
