import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config.ts";
import { setupChecklist } from "../desk/setup-checklist.ts";
import { messageOf } from "../domain/errors.ts";
import { allDestinations } from "../inspection.ts";
import { type Database, openEmbedded, openPostgres } from "../store/database.ts";
import { type DatabaseFacts, readDatabaseFacts } from "../store/database-facts.ts";
import { type Db, withOwner, withTenant } from "../store/db.ts";
import type { KnownDestination } from "../store/destinations.ts";
import { handCommand, holdFolder } from "../store/folder-lock.ts";
import { isKeyOf } from "../store/key-check.ts";
import { findMasterKey } from "../store/master-key.ts";
import { newestSchema, schemaOf } from "../store/migrations.ts";
import { bindRowKey, hasRowKey, rowKeyOf } from "../store/row-mac.ts";
import { createSecrets } from "../store/secrets.ts";
import { listTenants } from "../store/tenants.ts";

/** What the doctor has to know of a database; handed over as one line of JSON. */
export interface DatabaseReport extends DatabaseFacts {
  destinations: KnownDestination[];
  tenants: TenantReport[];
}

/** What the doctor says of one tenant, all of it in the owner's words. */
export interface TenantReport {
  id: string;
  isOpen: boolean;
  /** Why no payout is made; null when they are. */
  payoutsStopped: string | null;
  /** What keeps the desk closed, or keeps orders from being paid. */
  missing: string[];
}

/** `new`: nothing is there yet, which is no fault. */
export type DatabaseState =
  | { kind: "new" }
  | { kind: "failed"; error: string }
  | { kind: "read"; report: DatabaseReport };

/** Reads a database that may be older than the code, or empty. Changes nothing. */
export async function reportDatabase(db: Db): Promise<DatabaseReport> {
  const facts = await readDatabaseFacts(db);
  // without the right key every row would look like somebody else's
  if (facts.schema !== facts.newestSchema || !hasRowKey(db))
    return { ...facts, destinations: [], tenants: [] };
  return {
    ...facts,
    destinations: await allDestinations(db),
    tenants: await reportTenants(db),
  };
}

/** From the process that holds the embedded folder, or by opening the database. Never throws. */
export async function readDatabaseState(config: Config): Promise<DatabaseState> {
  try {
    return await readState(config);
  } catch (error) {
    return { kind: "failed", error: messageOf(error) };
  }
}

async function readState(config: Config): Promise<DatabaseState> {
  const { databaseUrl, dataDir, sandbox } = config;
  if (databaseUrl)
    return { kind: "read", report: await reportAndClose(openPostgres(databaseUrl, 1), config) };
  const handed = await askHolder(dataDir);
  if (handed) return handed;
  const dir = join(dataDir, "db");
  if (!existsSync(dir)) return { kind: "new" };
  const lock = await holdFolder(dataDir, {
    description: `process ${process.pid} (npm run doctor)`,
    run: () => Promise.reject(new Error("the doctor is looking; try again in a moment")),
  });
  try {
    const opened = openEmbedded({ dir, durable: !sandbox });
    return { kind: "read", report: await reportAndClose(opened, config) };
  } finally {
    await lock.release();
  }
}

async function reportAndClose(opened: Promise<Database>, config: Config): Promise<DatabaseReport> {
  const database = await opened;
  try {
    await unlock(database.db, config);
    return await reportDatabase(database.db);
  } finally {
    await database.close();
  }
}

/** With the key that is there, if it is the database's; the doctor makes none. */
async function unlock(db: Db, { masterKey: fromEnv, dataDir }: Config): Promise<void> {
  const masterKey = findMasterKey({ fromEnv, dataDir });
  if (!masterKey || (await schemaOf(db)) !== newestSchema()) return;
  if (await withOwner(db, (tx) => isKeyOf(tx, createSecrets(masterKey))))
    bindRowKey(db, rowKeyOf(masterKey));
}

/** null: nobody holds the folder. */
async function askHolder(dataDir: string): Promise<DatabaseState | null> {
  const lines: string[] = [];
  const command = { command: "doctor", args: [], cwd: process.cwd() };
  const code = await handCommand(dataDir, command, (line) => lines.push(line));
  if (code === null) return null;
  if (code !== 0) return { kind: "failed", error: lines.join(" ") || "the process did not answer" };
  // written by `reportDatabase`, in another process of ours
  return { kind: "read", report: JSON.parse(lines[0] ?? "") as DatabaseReport };
}

async function reportTenants(db: Db): Promise<TenantReport[]> {
  const reports: TenantReport[] = [];
  for (const tenant of await withOwner(db, listTenants)) {
    // the model's endpoint is a check of its own
    const items = await withTenant(db, tenant.id, (tx) =>
      setupChecklist(tx, { hasModelKey: () => true }, tenant.id),
    );
    const { id, state, payoutsStoppedAt, payoutsStoppedReason } = tenant;
    reports.push({
      id,
      isOpen: state === "open",
      payoutsStopped: payoutsStoppedAt === null ? null : (payoutsStoppedReason ?? "no reason told"),
      missing: items
        .filter((item) => !item.isDone && !item.isOptional && item.need !== "opened")
        .map(({ need, missing }) =>
          missing.length === 0 ? need : `${need} (${missing.join(", ")})`,
        ),
    });
  }
  return reports;
}
