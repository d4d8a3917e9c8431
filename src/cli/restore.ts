import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import type { Config } from "../config.ts";
import { StartError } from "../domain/errors.ts";
import { replaceHeads } from "../store/audit-heads.ts";
import { allHeads } from "../store/audit-seal.ts";
import { hasTables, restoreDatabase } from "../store/backup-restore.ts";
import { type Database, openEmbedded, openPostgres } from "../store/database.ts";
import { type Db, type Tx, withOwner } from "../store/db.ts";
import { holdFolder } from "../store/folder-lock.ts";
import { isKeyOf } from "../store/key-check.ts";
import { findMasterKey, placeOfMasterKey } from "../store/master-key.ts";
import { bindRowKey, rowKeyOf } from "../store/row-mac.ts";
import { createSecrets } from "../store/secrets.ts";
import { markRestore, unfinishedRestore, unmarkRestore } from "../store/unfinished-restore.ts";

/** `write`: one line for the owner, without a line end. */
export interface RestoreRequest {
  file: string;
  config: Pick<Config, "databaseUrl" | "dataDir" | "sandbox" | "world" | "masterKey">;
  write(line: string): void;
}

/** Puts a backup into a new database that no process uses. Throws StartError, one line. */
export async function restore(request: RestoreRequest): Promise<void> {
  const { databaseUrl, dataDir } = request.config;
  if (databaseUrl) return restoreInto(await openPostgres(databaseUrl, 1), request);
  const lock = await holdFolder(dataDir, {
    description: `process ${process.pid} (npm run restore)`,
    run: () => Promise.reject(new Error("a backup is being restored; try again afterwards")),
  });
  try {
    const durable = !request.config.sandbox;
    await restoreInto(await openEmbedded({ dir: `${dataDir}/db`, durable }), request);
  } finally {
    await lock.release();
  }
}

async function restoreInto(database: Database, request: RestoreRequest): Promise<void> {
  const { config, write } = request;
  const path = resolve(request.file);
  const source = { fromEnv: config.masterKey, dataDir: config.dataDir };
  try {
    const key = findMasterKey(source);
    if (!key)
      throw new StartError(
        `MASTER_KEY: is not set and ${placeOfMasterKey(source)} is not there; put the master key of that database there first: without it nothing in the backup can be trusted`,
      );
    bindRowKey(database.db, rowKeyOf(key));
    const cutOff = await unfinishedRestore(config.dataDir);
    // the rows came in one transaction, and since then every start was refused
    const isWritten = cutOff === path && (await withOwner(database.db, hasTables));
    if (isWritten) write(`The rows of ${path} were restored before it was cut off`);
    else await writeRows(database, request, { key, path, isNew: cutOff === null });
    await beginTrailAnew(database.db, request);
    await unmarkRestore(config.dataDir);
    write("Payouts are stopped until an admin resumes them: /resume payouts REASON in chat");
  } finally {
    await database.close();
  }
}

/** A restore that is refused has written nothing, and leaves no mark of its own. */
async function writeRows(
  database: Database,
  { config, write }: RestoreRequest,
  { key, path, isNew }: { key: Buffer; path: string; isNew: boolean },
): Promise<void> {
  await mkdir(config.dataDir, { recursive: true });
  if (isNew) await markRestore(config.dataDir, path);
  try {
    const { header, rows } = await restoreDatabase(database, {
      path,
      world: config.world,
      now: Date.now(),
      realNow: Date.now(),
      check: (tx) => refuseOtherKey(tx, key, path),
      write,
    });
    write(`${rows} rows of ${header.at} are restored`);
  } catch (error) {
    if (isNew) await unmarkRestore(config.dataDir);
    throw error;
  }
}

/** The audit trail goes on from the backup's heads; what came after is not in it. */
async function beginTrailAnew(db: Db, { config, write }: RestoreRequest): Promise<void> {
  const kept = await replaceHeads(config.dataDir, { heads: await allHeads(db), now: Date.now() });
  if (kept) write(`The heads of the audit trail that stood here until now are in ${kept}`);
}

async function refuseOtherKey(tx: Tx, key: Buffer, path: string): Promise<void> {
  if (await isKeyOf(tx, createSecrets(key))) return;
  throw new StartError(
    `MASTER_KEY: is not the key of ${path}; put the key of that database there, else its secrets cannot be read`,
  );
}
