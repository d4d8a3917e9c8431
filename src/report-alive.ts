import { messageOf } from "./domain/errors.ts";
import type { Log } from "./lib/log.ts";

const EVERY_MS = 60_000;
const ANSWER_LIMIT_MS = 10_000;

/** GETs an address (`HEARTBEAT_URL`) again and again, for a watcher that alarms when that ends. */
export interface AliveReports {
  stop(): Promise<void>;
}

/**
 * The first report leaves at once. `checkHealth` rejects when the bot cannot work: then none leaves.
 * A watcher that is away is warned of once, until it answers again. Never throws.
 */
export function startAliveReports(deps: {
  url: string;
  checkHealth(): Promise<void>;
  log: Pick<Log, "warn" | "info">;
  everyMs?: number;
}): AliveReports {
  const { url, checkHealth, log, everyMs = EVERY_MS } = deps;
  const host = new URL(url).host; // the rest of the address is often its secret
  let isMissed = false;
  let current: Promise<void> = Promise.resolve();

  async function report(): Promise<void> {
    try {
      await checkHealth();
      const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`${host} answered ${response.status}`);
      if (isMissed) log.info({ host }, "the watcher hears from this bot again");
      isMissed = false;
    } catch (error) {
      if (!isMissed) log.warn({ host, error: messageOf(error) }, "the watcher was not reached");
      isMissed = true;
    }
  }

  const next = () => {
    current = current.then(report);
  };
  next();
  const timer = setInterval(next, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await current;
    },
  };
}
