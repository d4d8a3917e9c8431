import type { Config } from "./config.ts";
import type { ShiftableClock } from "./lib/clock.ts";
import type { Log } from "./lib/log.ts";
import type { OpenRedis } from "./queue/redis.ts";
import type { StaffLanguage } from "./staff-language.ts";
import type { Database } from "./store/database.ts";
import type { Secrets } from "./store/secrets.ts";

/** What exists before any part of the product is made. */
export interface ProductBase {
  config: Config;
  log: Log;
  clock: ShiftableClock;
  database: Database;
  redis: OpenRedis | null;
  secrets: Secrets;
  language: StaffLanguage;
}
