import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { Db } from "../store/db.ts";
import type { ApprovalDress } from "../tools/ask-approval.ts";

export interface DeskDeps {
  db: Db;
  clock: Clock;
  /** Language and look of cards, and the jobs. */
  dress: ApprovalDress;
  log: Log;
}
