import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { StartError } from "../domain/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { dumpDatabase } from "../store/backup-dump.ts";
import type { Db } from "../store/db.ts";
import { productVersion } from "./product-version.ts";

/** Writes all rows of one moment to a file; the bot may go on. Progress, a line at a time. */
export async function backUp(
  parts: { db: Db; clock: Clock; keyPlace: string; write(line: string): void },
  request: { file: string; cwd: string; force: boolean },
): Promise<void> {
  const { db, clock, keyPlace, write } = parts;
  const path = resolve(request.cwd, request.file);
  if (existsSync(path) && !request.force)
    throw new StartError(`${path} exists already; name another file, or add --force to replace it`);
  const dump = { path, product: productVersion(), now: clock.now(), write };
  const { rows } = await dumpDatabase(db, dump);
  write(`${rows} rows are in ${path}`);
  write(
    `The master key is not in it: keep ${keyPlace} apart; without it the secrets cannot be read`,
  );
}
