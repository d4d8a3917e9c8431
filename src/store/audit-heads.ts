import { readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { StartError } from "../domain/errors.ts";
import { replaceFile } from "../lib/whole-file.ts";
import type { Head } from "./audit-seal.ts";

/** By tenant. */
export type Heads = ReadonlyMap<string, Head>;

const NAME = "audit.heads";
const LINE = /^([^\t]+)\t(\d+)\t(\d+)\t([0-9a-f]{64})$/;

/** Outside the database: who can change rows there does not reach it. */
export function headsFile(dataDir: string): string {
  return join(dataDir, NAME);
}

/**
 * The newest heads that this place has seen, one line a tenant: name, seal, index, head. Who cuts the
 * trail in the database does not reach them. Throws StartError for a file that nobody here wrote.
 */
export async function readHeads(dataDir: string): Promise<Heads> {
  const heads = new Map<string, Head>();
  for (const line of (await textOf(headsFile(dataDir))).split("\n").filter(Boolean)) {
    const [, tenantId = "", sealNumber, index, mac = ""] = LINE.exec(line) ?? [];
    if (tenantId === "")
      throw new StartError(
        `${headsFile(dataDir)}: a line is not "tenant, seal, index, head"; put the right file back, or remove it when you have no other`,
      );
    heads.set(tenantId, { sealNumber: Number(sealNumber), index: Number(index), mac });
  }
  return heads;
}

/** Whole or not at all: a reader never sees half a file. */
export async function writeHeads(dataDir: string, heads: Heads): Promise<void> {
  const lines = [...heads].map(
    ([tenantId, { sealNumber, index, mac }]) => `${tenantId}\t${sealNumber}\t${index}\t${mac}\n`,
  );
  await replaceFile(headsFile(dataDir), lines.join(""));
}

/** The heads of a restored database are those of its backup; what stood there is kept beside it. */
export async function replaceHeads(
  dataDir: string,
  { heads, now }: { heads: Heads; now: number },
): Promise<string | null> {
  const file = headsFile(dataDir);
  const kept = `${file}.${new Date(now).toISOString().replaceAll(/[:.]/g, "-")}`;
  const had = (await textOf(file)) !== "";
  if (had) await rename(file, kept);
  await writeHeads(dataDir, heads);
  return had ? kept : null;
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return ""; // node's file errors
    throw error;
  }
}
