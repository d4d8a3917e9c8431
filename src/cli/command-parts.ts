import type { Clock } from "../lib/clock.ts";
import type { Db } from "../store/db.ts";
import type { KeySource } from "../store/master-key.ts";

/** What a command that works on the database is given. */
export interface CommandParts {
  db: Db;
  clock: Clock;
  /** Where the master key is kept, for people. */
  keyPlace: string;
  /** Where the master key comes from, and the folder that holds what is kept beside the database. */
  keySource: KeySource;
  write(line: string): void;
}
