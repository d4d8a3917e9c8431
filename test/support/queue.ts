import { openQueue, type Queue } from "../../src/queue/queue.ts";
import type { Database } from "../../src/store/database.ts";
import { createSignals } from "../../src/store/signals.ts";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** A queue that hears its own process and the others, as the product's does. */
export async function openWokenQueue(
  database: Database,
  { onDelivery = () => {}, hearsOthers = false } = {},
): Promise<Queue> {
  const listen = hearsOthers ? database.listen : null;
  const signals = createSignals({ ...database, listen }, quiet);
  const queue = await openQueue({ database, log: quiet, signals });
  await signals.start({
    onSignal(signal) {
      if (signal.kind === "jobs") queue.wakeLane(signal.lane, signal.afterMs);
      if (signal.kind === "delivery") onDelivery();
    },
    onGap: () => queue.wake(),
  });
  return {
    ...queue,
    async stop(graceMs) {
      await signals.stop();
      await queue.stop(graceMs);
    },
  };
}
