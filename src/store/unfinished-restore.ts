import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { StartError } from "../domain/errors.ts";
import { replaceFile } from "../lib/whole-file.ts";

function markerFile(dataDir: string): string {
  return join(dataDir, "restore.unfinished");
}

/** Before the first row is written: from here on the database is no desk of its own. */
export async function markRestore(dataDir: string, backup: string): Promise<void> {
  await replaceFile(markerFile(dataDir), `${backup}\n`);
}

/** After the last thing that a restore writes. */
export async function unmarkRestore(dataDir: string): Promise<void> {
  await rm(markerFile(dataDir), { force: true });
}

/** The backup whose restore was cut off; null: none was. */
export async function unfinishedRestore(dataDir: string): Promise<string | null> {
  try {
    return (await readFile(markerFile(dataDir), "utf8")).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null; // node's file errors
    throw error;
  }
}

/** What was cut off, and the next step. */
export function unfinishedLine(dataDir: string, backup: string): string {
  return `DATA_DIR: a restore of ${backup} was cut off; run it again: npm run restore -- ${backup}. To give it up instead, remove ${markerFile(dataDir)}`;
}

/** Else an empty database would come up as a new desk. Throws StartError, one line. */
export async function refuseUnfinishedRestore(dataDir: string): Promise<void> {
  const backup = await unfinishedRestore(dataDir);
  if (backup !== null) throw new StartError(unfinishedLine(dataDir, backup));
}
