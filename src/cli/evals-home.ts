import { examineConfig } from "../config.ts";
import { StartError } from "../domain/errors.ts";
import type { EvalCase } from "../quality/evals/case-format.ts";
import { caseOfRow, rowOfCase } from "../quality/evals/case-rows.ts";
import type { EvalReport } from "../quality/evals/run-cases.ts";
import { type Snapshot, takeSnapshot } from "../quality/evals/snapshot.ts";
import { storeRun } from "../quality/evals/store-run.ts";
import { openPostgres } from "../store/database.ts";
import { withOwner, withTenant } from "../store/db.ts";
import { activeEvalCases, addEvalCases, saveEvalCases } from "../store/eval-cases.ts";
import { newestSchema, schemaOf } from "../store/migrations.ts";
import { tenantById } from "../store/tenants.ts";
import { unlockDatabase } from "../store/unlock.ts";

/** A tenant's own cases and results, on the database of an installation. */
export interface EvalsHome {
  /** What the lab is furnished with: no secrets, people or deals are in it. */
  snapshot: Snapshot;
  /** Cases that people named are the tenant's from now on; else the shipped ones are added. */
  gather(given: readonly EvalCase[], named: boolean): Promise<EvalCase[]>;
  store(report: EvalReport, now: number): Promise<void>;
  close(): Promise<void>;
}

/** Reads and adds rows; never changes the schema. Throws StartError, one line. */
export async function openHome(url: string, tenantId: string): Promise<EvalsHome> {
  const { config } = examineConfig();
  const database = await openPostgres(url);
  const { db } = database;
  try {
    const version = await schemaOf(db);
    if (version > 0 && version < newestSchema())
      throw new StartError(
        "--database: its schema is of an older version; start the bot of this version on it once",
      );
    if (version === 0)
      throw new StartError("--database: is empty; start the bot on it once, or leave it out");
    await unlockDatabase(db, { fromEnv: config.masterKey, dataDir: config.dataDir });
    if (!(await withOwner(db, (tx) => tenantById(tx, tenantId))))
      throw new StartError(`--tenant: there is no tenant ${tenantId} on this database`);
    return {
      snapshot: await withTenant(db, tenantId, (tx) => takeSnapshot(tx, tenantId)),
      gather: (given, named) =>
        withTenant(db, tenantId, async (tx) => {
          const rows = given.map(rowOfCase);
          if (named) return (await saveEvalCases(tx, tenantId, rows)).map(caseOfRow);
          await addEvalCases(tx, tenantId, rows);
          return (await activeEvalCases(tx, tenantId)).map(caseOfRow);
        }),
      store: (report, now) =>
        withTenant(db, tenantId, (tx) => storeRun(tx, tenantId, { report, now })),
      close: () => database.close(),
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}
