import type { Jobs } from "../domain/jobs.ts";
import type { AskedModel } from "../domain/model-attempt.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { Db, Tx } from "../store/db.ts";
import type { ProposeDeps } from "../tools/proposing.ts";
import type { Registry } from "../tools/registry.ts";
import type { Runner } from "../tools/runner.ts";
import type { Prices } from "./prices.ts";
import type { ReplyStrategy } from "./strategy.ts";

/** What the engine is made with; one object for all its handlers. */
export interface EngineDeps {
  db: Db;
  clock: Clock;
  /** Real time, milliseconds: leases and limits of outside calls. */
  realNow(): number;
  /** Names this process in leases. */
  bootId: string;
  jobs: Jobs<Tx>;
  registry: Registry;
  runner: Runner;
  proposing: ProposeDeps;
  /** Whoever answers the tenant's clients. */
  modelFor(tenantId: string): AskedModel;
  strategy: ReplyStrategy;
  log: Log;
  /** Active time of one run, milliseconds. */
  deadlineMs: number;
  prices: Prices;
  /** Real time between two attempts of a call; rejects when the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Shown while a model works; never throws. */
  showTyping(channelId: string, chatId: string): Promise<void>;
}
