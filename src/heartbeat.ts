import { messageOf } from "./domain/errors.ts";
import type { Clock } from "./lib/clock.ts";
import type { Log } from "./lib/log.ts";
import type { Db } from "./store/db.ts";
import { beat, type Outage } from "./store/heartbeats.ts";
import { HEARTBEAT_MS, LEASE_MS } from "./store/lease.ts";

/** Keeps in the database when this product was last alive, to know what it has missed. */
export interface Heartbeat {
  /** The first one, before any work begins; answers how long nobody had lived until then. */
  begin(): Promise<Outage | null>;
  /** Beats from now on; `onOutage`: the machine slept meanwhile. */
  start(onOutage: (outage: Outage) => void): void;
  stop(): Promise<void>;
}

/** Nothing that waits for people ends so soon after a start, product time. */
export const START_GRACE_MS = 600_000;
/** A living process may be silent for so long when the machine is busy. */
const BUSY_MS = 60_000;

/** Writes every five seconds that this process lives: time without one counts for no limit. */
export function createHeartbeat(deps: {
  db: Db;
  clock: Clock;
  realNow(): number;
  log: Pick<Log, "info" | "warn">;
  bootId: string;
  role: string;
  /** On the embedded database no other process can live. */
  alone: boolean;
}): Heartbeat {
  const { db, clock, realNow, log, bootId, role } = deps;
  let timer: NodeJS.Timeout | undefined;
  let current: Promise<unknown> = Promise.resolve();

  async function once(first: boolean): Promise<Outage | null> {
    const silence = deps.alone ? 0 : LEASE_MS;
    const outage = await beat(db, {
      ...{ bootId, role, realNow: realNow() },
      longestSilenceMs: first ? silence : BUSY_MS,
      notBefore: first ? clock.now() + START_GRACE_MS : null,
    });
    if (outage) {
      const seconds = Math.round((outage.until - outage.from) / 1000);
      log.info({ seconds }, "nobody was there: what waits for people waits so much longer");
    }
    return outage;
  }

  return {
    begin: () => once(true),
    start(onOutage) {
      timer = setInterval(() => {
        current = current
          .then(() => once(false))
          .then((outage) => outage && onOutage(outage))
          .catch((error: unknown) => log.warn({ error: messageOf(error) }, "heartbeat failed"));
      }, HEARTBEAT_MS);
    },
    async stop() {
      clearInterval(timer);
      await current;
      await once(false).catch((error: unknown) =>
        log.warn({ error: messageOf(error) }, "the last heartbeat was not written"),
      );
    },
  };
}
