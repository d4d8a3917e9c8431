import { tenantIds } from "./bootstrap.ts";
import { messageOf } from "./domain/errors.ts";
import type { EngineDeps } from "./engine/deps.ts";
import { sweepOrders } from "./engine/order-reminders.ts";
import { START_GRACE_MS } from "./heartbeat.ts";

/** Reminds of orders that nobody paid and ends them, by product time. */
export interface OrderTimer {
  runOnce(): Promise<void>;
  stop(): Promise<void>;
}

const EVERY_MS = 60_000;
/** A round that comes so late (real time): the machine slept. */
const SLEPT_MS = 2 * EVERY_MS;

/**
 * Looks once a minute for unpaid orders whose time is over; soon after a start, or when the machine
 * has slept, none is closed: its payment may be among what was held back.
 */
export function startOrderTimer(
  deps: Pick<EngineDeps, "db" | "clock" | "realNow" | "jobs" | "log">,
): OrderTimer {
  let current = Promise.resolve();
  let lookedAt = deps.realNow();
  let notBefore = deps.clock.now() + START_GRACE_MS;
  async function runOnce(): Promise<void> {
    const realNow = deps.realNow();
    if (realNow - lookedAt > SLEPT_MS) notBefore = deps.clock.now() + START_GRACE_MS;
    lookedAt = realNow;
    for (const tenantId of await tenantIds(deps.db)) await sweepOrders(deps, tenantId, notBefore);
  }
  const timer = setInterval(() => {
    current = current
      .then(runOnce)
      .catch((error: unknown) => deps.log.warn({ error: messageOf(error) }, "order sweep failed"));
  }, EVERY_MS);
  return {
    runOnce,
    async stop() {
      clearInterval(timer);
      await current;
    },
  };
}
