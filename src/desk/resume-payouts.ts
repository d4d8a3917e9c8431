import type { Jobs } from "../domain/jobs.ts";
import type { Tx } from "../store/db.ts";
import {
  endPayoutStop,
  noteListed,
  type PayoutStop,
  payoutStopOf,
  wasListed,
} from "../store/payout-stop.ts";
import { type PayoutsToCheck, payoutsToCheck } from "../store/payouts-to-check.ts";
import { setWaitingPayouts, waitingPayouts } from "../store/waiting-payouts.ts";

/** As many as one answer in a chat holds. */
export const MOST_TO_CHECK = 20;

/** How long a list counts as looked through, product time: what is open changes. */
const LIST_COUNTS_MS = 10 * 60_000;

/** `sent`: approved payouts that were held and go on now. */
export type Resumed =
  | { kind: "not_stopped" }
  /** Nothing was changed: an admin goes through these, and says so. */
  | { kind: "look_through"; stop: PayoutStop; list: PayoutsToCheck }
  | { kind: "resumed"; stop: PayoutStop; sent: number };

/**
 * Ends a stop of payouts, for commands and the API alike; what was held goes at once. It takes two
 * calls: a confirmation of what the person was not shown shows it, and changes nothing.
 */
export async function resumePayouts(
  tx: Tx,
  jobs: Jobs<Tx>,
  request: { tenantId: string; by: string; reason: string; confirmed: boolean; now: number },
): Promise<Resumed> {
  const { tenantId, confirmed, now } = request;
  const stop = await payoutStopOf(tx, tenantId);
  if (!stop) return { kind: "not_stopped" };
  const since = Math.max(stop.stoppedAt, now - LIST_COUNTS_MS);
  if (!confirmed || !(await wasListed(tx, { ...request, since }))) {
    await noteListed(tx, request);
    const list = await payoutsToCheck(tx, { tenantId, limit: MOST_TO_CHECK });
    return { kind: "look_through", stop, list };
  }
  await endPayoutStop(tx, request);
  const ids = await waitingPayouts(tx, tenantId);
  await setWaitingPayouts(tx, { tenantId, ids }, { runAfter: now });
  for (const id of ids) await jobs.enqueue(tx, "execution", { tenantId, id });
  return { kind: "resumed", stop, sent: ids.length };
}
