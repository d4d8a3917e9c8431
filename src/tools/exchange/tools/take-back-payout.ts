import type { Tx } from "../../../store/db.ts";
import { changeOrder, lockOrder, NO_PAYOUT_CODE, orderByName } from "../../../store/orders.ts";
import type { ToolCall } from "../../contract.ts";
import { moveStage } from "./move-stage.ts";

/** A payout that was accepted and failed in the end: the order is paid again, its code is dead. */
export async function takeBackPayout(tx: Tx, call: ToolCall, name: string): Promise<void> {
  const { tenantId, now } = call;
  const known = await orderByName(tx, tenantId, name);
  const order = known && (await lockOrder(tx, tenantId, known.id));
  if (order?.status !== "payout") return;
  await changeOrder(
    tx,
    { tenantId, id: order.id, now },
    { status: "paid", amountPaidOut: null, ...NO_PAYOUT_CODE },
  );
  await moveStage(tx, call, "payout_refused");
}
