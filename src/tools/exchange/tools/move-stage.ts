import type { Tx } from "../../../store/db.ts";
import { type ConversationRef, lastOrder } from "../../../store/orders.ts";
import { changeStage } from "../../../store/stage.ts";
import { isStage, nextStage, readStage, type StageEvent } from "../stages.ts";

/**
 * Moves the deal along its one way. A deal that is over is read as its beginning, so that an
 * event which changes nothing there leaves the old stage standing.
 */
export async function moveStage(
  tx: Tx,
  scope: ConversationRef & { now: number },
  event: StageEvent,
): Promise<void> {
  const order = await lastOrder(tx, scope);
  await changeStage(tx, scope, (stage) => {
    const current = event === "payout_refused" ? stage : readStage(stage, order?.status ?? null);
    if (!isStage(current)) return stage;
    const next = nextStage(current, event);
    return next === current ? stage : next;
  });
}
