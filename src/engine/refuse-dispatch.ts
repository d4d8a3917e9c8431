import { actionDigest } from "../policy/digest.ts";
import type { GateReason } from "../policy/permit.ts";
import type { Tx } from "../store/db.ts";
import type { PreparedAction } from "../tools/contract.ts";
import { isSentBefore } from "./become-unknown.ts";
import type { EngineDeps } from "./deps.ts";
import { holdPayout } from "./hold-payout.ts";
import type { Approved } from "./propose-next.ts";
import {
  type AskedNow,
  askAnew,
  isStillOwed,
  mayBeAskedAgain,
  reopenRequest,
} from "./reopen-request.ts";
import { type StopReason, stopExecution, type Taking } from "./stop-execution.ts";

type Nothing = { kind: "nothing" };

/** The action is not the one any more that people approved. */
export function outdatedBy(
  deps: EngineDeps,
  { execution }: Taking,
  prepared: PreparedAction | null,
): StopReason | null {
  if (!prepared || actionDigest(execution.toolName, prepared.action) !== execution.actionDigest)
    return "digest_mismatch";
  const { validUntil } = prepared;
  return validUntil && validUntil <= deps.clock.now() ? "QUOTE_EXPIRED" : null;
}

/** What an approved action is stopped with, before anything left. */
interface Stop {
  taking: Taking;
  dispatch: Approved;
  reason: StopReason;
}

export async function stopOutdated(tx: Tx, deps: EngineDeps, stop: Stop): Promise<Nothing> {
  const { taking, dispatch, reason } = stop;
  const isOwed = !isSentBefore(taking.execution) && (await isStillOwed(tx, taking));
  await stopExecution(tx, deps, taking, reason);
  if (isOwed) await askAnew(tx, deps, dispatch);
  return { kind: "nothing" };
}

/**
 * A stop of payouts is not the end of what was approved: it waits for its execution. Where votes count
 * no more, and for whatever reason while a client's money is owed, the request waits for people again.
 */
export async function refuse(
  tx: Tx,
  deps: EngineDeps,
  stop: Stop & { reason: GateReason; asks: AskedNow },
): Promise<Nothing> {
  const { taking, reason, asks } = stop;
  const isOver = reason === "schema_changed" || isSentBefore(taking.execution);
  if (reason === "payouts_stopped") await holdPayout(tx, deps, taking);
  else if (isOver) return stopOutdated(tx, deps, stop);
  else if (reason !== "approval_forged" && (await isAskedAgain(tx, deps, stop)))
    await reopenRequest(tx, deps, taking, { reason, ...asks });
  else await stopExecution(tx, deps, taking, reason);
  return { kind: "nothing" };
}

async function isAskedAgain(tx: Tx, deps: EngineDeps, { taking, reason }: Stop): Promise<boolean> {
  if (await isStillOwed(tx, taking)) return true;
  return reason === "not_approved" && mayBeAskedAgain(tx, taking, deps.clock.now());
}
