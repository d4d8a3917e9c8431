import type { Tx } from "../store/db.ts";
import { setExecution } from "../store/executions.ts";
import { isSentBefore } from "./become-unknown.ts";
import type { EngineDeps } from "./deps.ts";
import { stopExecution, type Taking } from "./stop-execution.ts";

/** Product time; whoever lifts it makes it due at once. */
const LOOK_AGAIN_MS = 3_600_000;

/**
 * Approved once and not any more: what the client objected to keeps its place until somebody of the
 * staff has decided on it again. What was sent before is no more theirs to hold: it is asked for.
 */
export async function holdFrozen(
  tx: Tx,
  deps: EngineDeps,
  taking: Taking,
): Promise<{ kind: "nothing" }> {
  const { execution, approval } = taking;
  if (approval.status !== "frozen" || isSentBefore(execution))
    return stopExecution(tx, deps, taking, "not_approved");
  const { tenantId, id } = execution;
  await setExecution(tx, { tenantId, id, runAfter: deps.clock.now() + LOOK_AGAIN_MS });
  return { kind: "nothing" };
}
