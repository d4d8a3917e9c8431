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

/** Looks once a minute for unpaid orders whose time is over; soon after a start none is closed. */
export function startOrderTimer(
  deps: Pick<EngineDeps, "db" | "clock" | "jobs" | "log">,
): OrderTimer {
  let current = Promise.resolve();
  const notBefore = deps.clock.now() + START_GRACE_MS;
  async function runOnce(): Promise<void> {
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
