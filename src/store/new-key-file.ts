import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { keyFile, parseKey } from "./master-key.ts";

const KEY_BYTES = 32;

/** Where a new master key lies until it is the key. */
export function newKeyFile(dataDir: string): string {
  return `${keyFile(dataDir)}.new`;
}

/** null: no change of the master key was begun here. */
export function readNewKey(dataDir: string): Buffer | null {
  const file = newKeyFile(dataDir);
  return existsSync(file) ? parseKey(readFileSync(file, "utf8"), file) : null;
}

/**
 * The key that takes the place of `current`, on the disk before anything hangs on it. One that an
 * earlier attempt has left is taken again: on a server its transaction may be committed yet.
 */
export function prepareNewKey(dataDir: string, current: Buffer): Buffer {
  const left = readNewKey(dataDir);
  if (left && !left.equals(current)) return left;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const fresh = randomBytes(KEY_BYTES);
  const unfinished = `${newKeyFile(dataDir)}.part`;
  rmSync(unfinished, { force: true });
  writeNew(unfinished, `${fresh.toString("hex")}\n`);
  renameSync(unfinished, newKeyFile(dataDir));
  syncFolder(dataDir);
  return fresh;
}

/**
 * The new key becomes the key. Answers where the old one lies now; null when it is not there. May
 * be done again after a kill at any moment.
 */
export function swapKeyFiles(dataDir: string): string | null {
  const kept = keepOldKey(dataDir);
  try {
    renameSync(newKeyFile(dataDir), keyFile(dataDir));
  } catch (error) {
    // of two starts at once the other one has done it
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  syncFolder(dataDir);
  return kept;
}

function keepOldKey(dataDir: string): string | null {
  if (!existsSync(keyFile(dataDir)) || !existsSync(newKeyFile(dataDir))) return null;
  const old = readFileSync(keyFile(dataDir), "utf8");
  for (let number = 1; ; number += 1) {
    const path = join(dataDir, number === 1 ? "master.key.old" : `master.key.old-${number}`);
    if (!existsSync(path)) {
      writeNew(path, old);
      syncFolder(dataDir);
      return path;
    }
    if (readFileSync(path, "utf8") === old) return path;
  }
}

function writeNew(path: string, text: string): void {
  writeFileSync(path, text, { flag: "wx", mode: 0o600, flush: true });
}

/** A rename is on the disk only with its folder. */
function syncFolder(dir: string): void {
  const folder = openSync(dir, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
