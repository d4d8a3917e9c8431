import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { StartError } from "../domain/errors.ts";
import { createFile } from "../lib/whole-file.ts";

const KEY_BYTES = 32;
const HEX_KEY = /^[0-9a-f]{64}$/i;

/** `fromEnv` goes before the file in `dataDir`. */
export interface KeySource {
  /** MASTER_KEY. */
  fromEnv?: string | undefined;
  dataDir: string;
}

/**
 * The key that all secrets hang on: MASTER_KEY, else a file in DATA_DIR that only its owner may
 * read, made on the first start: `mayCreate`. Throws StartError when there is none, or no key in it.
 */
export function loadMasterKey(source: KeySource, { mayCreate }: { mayCreate: boolean }): Buffer {
  if (source.fromEnv !== undefined) return parseKey(source.fromEnv, "MASTER_KEY");
  const file = keyFile(source.dataDir);
  if (!mayCreate && !existsSync(file))
    throw new StartError(
      `MASTER_KEY: is not set and ${file} is not there, and the database was written with a key; put that file or MASTER_KEY back: a new key cannot read the stored secrets`,
    );
  const stored = readOrCreate(source.dataDir, file);
  return parseKey(stored, `MASTER_KEY is not set and ${file}`);
}

/** The same key where there is one already; null where the first start would make it. */
export function findMasterKey(source: KeySource): Buffer | null {
  const isThere = source.fromEnv !== undefined || existsSync(keyFile(source.dataDir));
  return isThere ? loadMasterKey(source, { mayCreate: false }) : null;
}

/** For people: where the key is kept. */
export function placeOfMasterKey({ fromEnv, dataDir }: KeySource): string {
  return fromEnv === undefined ? keyFile(dataDir) : "MASTER_KEY of the environment";
}

export function keyFile(dataDir: string): string {
  return join(dataDir, "master.key");
}

/** `where`: for people, where the text stands. Throws StartError when it is no key. */
export function parseKey(text: string, where: string): Buffer {
  const hex = text.trim();
  if (HEX_KEY.test(hex)) return Buffer.from(hex, "hex");
  throw new StartError(
    `${where} holds ${hex.length} characters where 64 hexadecimal digits are wanted; put the right MASTER_KEY back, a new one cannot read the stored secrets`,
  );
}

function readOrCreate(dataDir: string, file: string): string {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  try {
    // of two starts at once one writes, the other reads
    const hex = randomBytes(KEY_BYTES).toString("hex");
    createFile(file, `${hex}\n`);
    return hex;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error; // node's file errors
    return readFileSync(file, "utf8");
  }
}
