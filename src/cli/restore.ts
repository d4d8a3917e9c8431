import { resolve } from "node:path";
import type { Config } from "../config.ts";
import { StartError } from "../domain/errors.ts";
import { restoreDatabase } from "../store/backup-restore.ts";
import { type Database, openEmbedded, openPostgres } from "../store/database.ts";
import type { Tx } from "../store/db.ts";
import { holdFolder } from "../store/folder-lock.ts";
import { isKeyOf } from "../store/key-check.ts";
import { findMasterKey, placeOfMasterKey } from "../store/master-key.ts";
import { createSecrets } from "../store/secrets.ts";

export interface RestoreRequest {
  file: string;
  config: Pick<Config, "databaseUrl" | "dataDir" | "sandbox" | "masterKey">;
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
  const key = findMasterKey(source);
  try {
    const { header, rows } = await restoreDatabase(database, {
      path,
      world: config.sandbox ? "sandbox" : "real",
      now: Date.now(),
      realNow: Date.now(),
      check: async (tx) => {
        if (key) await refuseOtherKey(tx, key, path);
      },
      write,
    });
    write(`${rows} rows of ${header.at} are restored`);
    if (!key)
      write(`Put that database's master key at ${placeOfMasterKey(source)} before the start`);
    write("Payouts are stopped until an admin resumes them: /resume payouts REASON in chat");
  } finally {
    await database.close();
  }
}

async function refuseOtherKey(tx: Tx, key: Buffer, path: string): Promise<void> {
  if (await isKeyOf(tx, createSecrets(key))) return;
  throw new StartError(
    `MASTER_KEY: is not the key of ${path}; put the key of that database there, else its secrets cannot be read`,
  );
}
