import type { Jobs } from "../domain/jobs.ts";
import type { Tx } from "../store/db.ts";
import { endPayoutStop, type PayoutStop, payoutStopOf } from "../store/payout-stop.ts";
import { type PayoutsToCheck, payoutsToCheck } from "../store/payouts-to-check.ts";
import { setWaitingPayouts, waitingPayouts } from "../store/waiting-payouts.ts";

/** As many as one answer in a chat holds. */
export const MOST_TO_CHECK = 20;

export type Resumed =
  | { kind: "not_stopped" }
  /** Nothing was changed: an admin goes through these, and says so. */
  | { kind: "look_through"; stop: PayoutStop; list: PayoutsToCheck }
  | { kind: "resumed"; stop: PayoutStop; sent: number };

/** Ends a stop of payouts, for buttons, commands and the API alike; what was held goes at once. */
export async function resumePayouts(
  tx: Tx,
  jobs: Jobs<Tx>,
  request: { tenantId: string; by: string; reason: string; confirmed: boolean; now: number },
): Promise<Resumed> {
  const { tenantId, confirmed, now } = request;
  const stop = await payoutStopOf(tx, tenantId);
  if (!stop) return { kind: "not_stopped" };
  if (!confirmed) {
    const list = await payoutsToCheck(tx, { tenantId, limit: MOST_TO_CHECK });
    return { kind: "look_through", stop, list };
  }
  await endPayoutStop(tx, request);
  const ids = await waitingPayouts(tx, tenantId);
  await setWaitingPayouts(tx, { tenantId, ids }, { runAfter: now });
  for (const id of ids) await jobs.enqueue(tx, "execution", { tenantId, id });
  return { kind: "resumed", stop, sent: ids.length };
}
