import { StartError } from "../domain/errors.ts";
import { refuseNewer } from "./database.ts";
import { type Db, withOwner } from "./db.ts";
import { hasKey, opensWord, refuseOtherKey, sealedWord } from "./key-check.ts";
import { isKeySettled } from "./key-lock.ts";
import { findMasterKey, type KeySource, loadMasterKey } from "./master-key.ts";
import { schemaOf } from "./migrations.ts";
import { newKeyFile, readNewKey, swapKeyFiles } from "./new-key-file.ts";
import { bindRowKey, rowKeyOf } from "./row-mac.ts";
import { createSecrets } from "./secrets.ts";

/**
 * The master key of a database. Before anything else uses it, also before its schema is brought up to
 * the code: older rows are signed then, and never with another key. Throws StartError.
 */
export async function unlockDatabase(db: Db, source: KeySource): Promise<Buffer> {
  await refuseNewer(db);
  const isEmpty = (await schemaOf(db)) === 0;
  if (!isEmpty) await settleKey(db, source);
  const masterKey = loadMasterKey(source, { mayCreate: isEmpty || !(await hasKey(db)) });
  if (!isEmpty) await refuseOtherKey(db, createSecrets(masterKey));
  bindRowKey(db, rowKeyOf(masterKey));
  return masterKey;
}

/**
 * After a change of the master key that was killed between the database and the file: the word that
 * is sealed in the database tells which key is the right one.
 */
async function settleKey(db: Db, source: KeySource): Promise<void> {
  const word = await withOwner(db, async (tx) => {
    if (await isKeySettled(tx)) return sealedWord(tx);
    throw new StartError(
      "DATABASE_URL: the master key of this database is being changed; start again when npm run secrets -- rotate has ended",
    );
  });
  const fresh = readNewKey(source.dataDir);
  if (!fresh || word === null || !opensWord(createSecrets(fresh), word)) return;
  if (findMasterKey(source)?.equals(fresh)) return;
  if (source.fromEnv === undefined) swapKeyFiles(source.dataDir);
  else
    throw new StartError(
      `MASTER_KEY: the master key was changed; put the content of ${newKeyFile(source.dataDir)} into MASTER_KEY of every process, then delete that file`,
    );
}
