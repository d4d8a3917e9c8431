import { randomUUID } from "node:crypto";
import { linkSync, rmSync, writeFileSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";

/** Whole or not at all: a reader, or a start after a kill, never sees half of the text. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const unfinished = unfinishedName(path);
  try {
    await writeFile(unfinished, text, { mode: 0o600, flush: true });
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** The same, only where no file is yet. Throws node's EEXIST where one is. */
export function createFile(path: string, text: string): void {
  const unfinished = unfinishedName(path);
  try {
    writeFileSync(unfinished, text, { flag: "wx", mode: 0o600, flush: true });
    linkSync(unfinished, path);
  } finally {
    rmSync(unfinished, { force: true });
  }
}

function unfinishedName(path: string): string {
  return `${path}.${randomUUID()}`;
}
