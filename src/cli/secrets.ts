import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config.ts";
import { sealFormAnew } from "../desk/secret-forms.ts";
import { StartError } from "../domain/errors.ts";
import { refuseCompany } from "../store/company.ts";
import { type Database, openEmbedded, openPostgres, prepareDatabase } from "../store/database.ts";
import { holdFolder } from "../store/folder-lock.ts";
import { hasKey } from "../store/key-check.ts";
import { placeOfMasterKey } from "../store/master-key.ts";
import { schemaOf } from "../store/migrations.ts";
import { newKeyFile, prepareNewKey, swapKeyFiles } from "../store/new-key-file.ts";
import { type Rotated, type Rotation, rotateMasterKey } from "../store/rotate-key.ts";
import { unlockDatabase } from "../store/unlock.ts";
import { sealRequestAnew } from "../tools/change-authority/requisites.ts";
import { CHANGE_AUTHORITY } from "../tools/change-authority/tool-name.ts";

/** `write`: one line for the owner, without a line end. */
export interface RotateRequest {
  config: Pick<Config, "databaseUrl" | "dataDir" | "sandbox" | "world" | "masterKey">;
  write(line: string): void;
}

/** Where sealed values stand outside the table of secrets. */
export const SEALED_PLACES: Pick<Rotation, "sealForm" | "requests"> = {
  sealForm: (change) => (tenantId, event) => sealFormAnew(tenantId, event, change),
  requests: { toolName: CHANGE_AUTHORITY, kind: "requisites", sealAnew: sealRequestAnew },
};

/** Puts everything under a new master key, while no process runs. Throws StartError, one line. */
export async function rotateSecrets(request: RotateRequest): Promise<void> {
  const { databaseUrl, dataDir, sandbox } = request.config;
  if (databaseUrl) return rotateIn(await openPostgres(databaseUrl, 1), request);
  const dir = join(dataDir, "db");
  if (!existsSync(dir)) throw new StartError(`DATA_DIR: ${dir} is not there; ${NO_KEY_YET}`);
  const lock = await holdFolder(dataDir, {
    description: `process ${process.pid} (npm run secrets)`,
    run: () => Promise.reject(new Error("the master key is being changed; try again afterwards")),
  });
  try {
    await rotateIn(await openEmbedded({ dir, durable: !sandbox }), request);
  } finally {
    await lock.release();
  }
}

const NO_KEY_YET = "the first start makes the database and its key";

async function rotateIn(database: Database, { config, write }: RotateRequest): Promise<void> {
  const { db } = database;
  const source = { fromEnv: config.masterKey, dataDir: config.dataDir };
  try {
    await refuseCompany(database, "change the master key");
    if ((await schemaOf(db)) === 0 || !(await hasKey(db)))
      throw new StartError(`The database was never used; ${NO_KEY_YET}`);
    const from = await unlockDatabase(db, source);
    await prepareDatabase(database, config.world);
    const to = prepareNewKey(config.dataDir, from);
    const rotation = { from, to, now: Date.now(), ...SEALED_PLACES };
    const rotated = await rotateMasterKey(database, rotation);
    // the key first: from here on nothing opens without it
    const lines = source.fromEnv === undefined ? swapped(config) : toBeSet(config);
    for (const line of [...told(rotated), ...lines, ...OF_BACKUPS]) write(line);
  } finally {
    await database.close();
  }
}

function swapped({ dataDir, databaseUrl }: RotateRequest["config"]): string[] {
  const old = swapKeyFiles(dataDir);
  const place = placeOfMasterKey({ dataDir });
  const everywhere = databaseUrl ? "; every process on this database needs it" : "";
  return [`The new key is in ${place}${everywhere}`, `The old key is in ${old}`];
}

function toBeSet({ dataDir }: RotateRequest["config"]): string[] {
  const file = newKeyFile(dataDir);
  return [
    `MASTER_KEY: put the content of ${file} there, for every process, before the next start; with the old one none starts`,
    `Keep a copy of the new key where you keep secrets, then delete ${file}`,
  ];
}

const OF_BACKUPS = [
  "Backups made until now need the old key: keep it with them, away from this machine, and make a new backup",
];

/** Whoever wrote a row may have chosen its id for the reader. */
const SHOWN_ID = /^[\w.-]{1,60}$/;
const MOST_SHOWN = 100;

function told({ secrets, sealed, done, unbelieved, unopened }: Rotated): string[] {
  return [
    `${secrets} secrets, ${sealed} other sealed values and ${done} signed rows are under the new master key`,
    ...named(
      unbelieved,
      "Rows that are not as Countersign wrote them: not signed, and not believed any more even when their old values are put back",
    ),
    ...named(unopened, "Values that did not open with the old key and were left as they are"),
  ];
}

function named(
  rows: readonly { table: string; tenantId: string | null; id: string }[],
  what: string,
): string[] {
  if (rows.length === 0) return [];
  const shown = rows.slice(0, MOST_SHOWN).map(({ table, tenantId, id }) => {
    const name = SHOWN_ID.test(id) ? id : JSON.stringify(id.slice(0, 60));
    return `  ${tenantId ?? "all tenants"}: ${table} ${name}`;
  });
  const rest = rows.length - shown.length;
  return [`${what} (${rows.length}):`, ...shown, ...(rest > 0 ? [`  and ${rest} more`] : [])];
}
