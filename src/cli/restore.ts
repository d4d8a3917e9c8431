import { resolve } from "node:path";
import type { Config } from "../config.ts";
import { StartError } from "../domain/errors.ts";
import { replaceHeads } from "../store/audit-heads.ts";
import { allHeads } from "../store/audit-seal.ts";
import { restoreDatabase } from "../store/backup-restore.ts";
import { type Database, openEmbedded, openPostgres } from "../store/database.ts";
import type { Db, Tx } from "../store/db.ts";
import { holdFolder } from "../store/folder-lock.ts";
import { isKeyOf } from "../store/key-check.ts";
import { findMasterKey, placeOfMasterKey } from "../store/master-key.ts";
import { bindRowKey, rowKeyOf } from "../store/row-mac.ts";
import { createSecrets } from "../store/secrets.ts";

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
    const { header, rows } = await restoreDatabase(database, {
      path,
      world: config.world,
      now: Date.now(),
      realNow: Date.now(),
      check: (tx) => refuseOtherKey(tx, key, path),
      write,
    });
    write(`${rows} rows of ${header.at} are restored`);
    await beginTrailAnew(database.db, request);
    write("Payouts are stopped until an admin resumes them: /resume payouts REASON in chat");
  } finally {
    await database.close();
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
