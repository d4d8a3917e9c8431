import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { type Finding, isWell, note, problem } from "../bot/finding.ts";
import type { Config } from "../config.ts";
import { messageOf } from "../domain/errors.ts";
import { openHttpServer } from "../http-server.ts";
import { holderOf } from "../store/folder-lock.ts";
import { opensWord } from "../store/key-check.ts";
import { findMasterKey, type KeySource, placeOfMasterKey } from "../store/master-key.ts";
import { newKeyFile, readNewKey } from "../store/new-key-file.ts";
import { createSecrets } from "../store/secrets.ts";
import { unfinishedLine, unfinishedRestore } from "../store/unfinished-restore.ts";
import type { DatabaseReport, DatabaseState, TenantReport } from "./database-report.ts";
import { refusalFinding } from "./doctor-check.ts";

/** Real: what is lost or shown here cannot be played again. */
export interface Situation {
  config: Config;
  database: DatabaseState;
  isReal: boolean;
  /** For which the environment is refused; a value that does not fit is left out of `config`. */
  problems: readonly string[];
}

/** Writes nothing and takes no lock: a product that runs is left alone. */
export async function lookAtFolder({ dataDir }: Config): Promise<Finding[]> {
  const problems = unwritable(dataDir);
  if (problems) return [problems];
  if (!existsSync(dataDir)) return [isWell(`${dataDir} is made by the first start`)];
  const holder = await holderOf(dataDir);
  const cutOff = holder ? null : await unfinishedRestore(dataDir); // else it may be under way
  if (cutOff !== null) return [refusalFinding(unfinishedLine(dataDir, cutOff))];
  return [isWell(`${dataDir} can be written; ${holder ? `held by ${holder}` : "nobody holds it"}`)];
}

/** A folder that is not there yet is made in the nearest one that is. */
function unwritable(dir: string): Finding | null {
  try {
    let nearest = dir;
    while (!existsSync(nearest)) nearest = dirname(nearest);
    if (!statSync(nearest).isDirectory())
      return problem(`${dir} cannot be made (${nearest} is no folder)`, "choose another DATA_DIR");
    accessSync(nearest, constants.W_OK);
    return null;
  } catch (error) {
    return problem(
      `${dir} cannot be written (${messageOf(error)})`,
      "give this user the right to write there, or choose another DATA_DIR",
    );
  }
}

/** Listens there for a moment, as the start does. */
export async function lookAtPort({ config, problems }: Situation): Promise<Finding[]> {
  if (isRefused(problems, "PORT") || isRefused(problems, "HOST"))
    return [isWell("not looked at: PORT and HOST must be right first")];
  const holder = await holderOf(config.dataDir);
  if (holder) return [isWell(`${holder} has it already`)];
  const server = await openHttpServer(config);
  await server.stop();
  return [isWell(`${config.host}:${config.port} is free`)];
}

function isRefused(problems: readonly string[], variable: string): boolean {
  return problems.some((line) => line.startsWith(`${variable}:`));
}

/** Judges what was read before; asks the database nothing. */
export function lookAtDatabase({ config, database }: Situation): Finding[] {
  if (database.kind === "failed") return [refusalFinding(database.error)];
  if (database.kind === "new") return [isWell("embedded; the first start makes it")];
  return [judgeDatabase(config, database.report)];
}

function judgeDatabase(
  { databaseUrl, sandbox, world: wanted }: Config,
  report: DatabaseReport,
): Finding {
  const { schema, newestSchema, world } = report;
  if (schema > newestSchema)
    return problem(
      "it was written by a newer version of Countersign",
      "start that version, or restore a backup made with this one",
    );
  if (world !== null && world !== wanted)
    return problem(
      `it belongs to the ${world} world and this environment is ${wanted}`,
      "choose another DATA_DIR or DATABASE_URL: played and real money never share one",
    );
  const where = databaseUrl
    ? `PostgreSQL at ${hostOf(databaseUrl)}`
    : `embedded, fsync ${sandbox ? "off (the sandbox's is for playing)" : "on"}`;
  const state =
    schema === 0
      ? "empty; the first start fills it"
      : schema < newestSchema
        ? "answers; the next start brings its schema up to this version"
        : `answers; of the ${world} world, schema up to date`;
  return isWell(`${where}: ${state}`);
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "an unreadable address";
}

/** Opens a word of the database with the key: only that shows whether it is the right one. */
export function lookAtMasterKey(situation: Situation): Finding[] {
  const { config, database, isReal, problems } = situation;
  if (isRefused(problems, "MASTER_KEY"))
    return [isWell("not looked at: MASTER_KEY must be right first")];
  const source = { fromEnv: config.masterKey, dataDir: config.dataDir };
  const place = placeOfMasterKey(source);
  const key = findMasterKey(source);
  const word = database.kind === "read" ? database.report.sealedWord : null;
  if (!key) {
    if (word === null) return [isWell(`the first start makes ${place}`)];
    return [problem(`${place} is not there, and the database was written with a key`, PUT_BACK)];
  }
  if (word !== null && !opensWord(createSecrets(key), word)) return [otherKey(source, word)];
  if (config.masterKey !== undefined) return [isWell(`${place} is used`)];
  if (isOpenToOthers(place))
    return [note(`other users of this machine may read ${place}`, `chmod 600 ${place}`)];
  if (!isReal) return [isWell(`${place} is used`)];
  return [
    note(
      `${place} lies beside the data that it locks`,
      "set MASTER_KEY from where you keep secrets, and keep a copy: no backup can be read without it",
    ),
  ];
}

/** After a change of the master key the new one lies beside the old one until it is in its place. */
function otherKey(source: KeySource, word: string): Finding {
  const fresh = readNewKey(source.dataDir);
  const isChanged = fresh !== null && opensWord(createSecrets(fresh), word);
  const place = placeOfMasterKey(source);
  if (!isChanged)
    return problem(`${place} is not the key that the database was written with`, PUT_BACK);
  const file = newKeyFile(source.dataDir);
  if (source.fromEnv === undefined)
    return note(
      `the master key was changed, and ${place} is still the old one`,
      "start: it takes the new one",
    );
  return problem(
    "the master key was changed, and MASTER_KEY is still the old one",
    `put the content of ${file} into MASTER_KEY, then delete that file`,
  );
}

const PUT_BACK = "put that key back: a new one cannot read the stored secrets";

function isOpenToOthers(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.mode ?? 0) % 0o100 !== 0;
}

/** Judges what was read before. */
export function lookAtTenants({ database }: Situation): Finding[] {
  if (database.kind !== "read") return [isWell("no database was read, so there is none to see")];
  const { tenants } = database.report;
  if (tenants.length === 0) return [isWell("there is none yet; the first start makes it")];
  return tenants.flatMap(judgeTenant);
}

function judgeTenant({ id, isOpen, missing, payoutsStopped }: TenantReport): Finding[] {
  const state = isOpen ? "open" : "still being set up";
  const setUp =
    missing.length > 0
      ? note(`${id} is ${state}; missing: ${missing.join(", ")}`, "/setup in chat shows each step")
      : isOpen
        ? isWell(`${id} is open, and nothing is missing`)
        : note(`${id} has all it needs and is not open yet`, "open it: /setup in chat shows how");
  if (payoutsStopped === null) return [setUp];
  return [
    setUp,
    note(
      `${id} makes no payouts: ${payoutsStopped}`,
      "an admin resumes them: /resume payouts REASON in chat",
    ),
  ];
}
