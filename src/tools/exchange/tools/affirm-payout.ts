import type { JsonObject } from "../../../domain/json.ts";
import type { Tx } from "../../../store/db.ts";
import { changeOrder, lockOrder, orderByName } from "../../../store/orders.ts";
import type { CallScope } from "../../contract.ts";
import { askHandover } from "./ask-handover.ts";
import type { ExchangeDeps } from "./exchange-deps.ts";
import { moveStage } from "./move-stage.ts";
import { payoutActionSchema } from "./payout-action.ts";

/** The money left, says a person: the order goes on as after the gateway's yes, without a code. */
export async function affirmPayout(
  tx: Tx,
  deps: Pick<ExchangeDeps, "jobs">,
  scope: CallScope,
  action: JsonObject,
): Promise<void> {
  const { tenantId, now } = scope;
  const { orderId, amount } = payoutActionSchema.parse(action);
  const known = await orderByName(tx, tenantId, orderId);
  const order = known && (await lockOrder(tx, tenantId, known.id));
  if (order?.status !== "paid" && order?.status !== "payout") return;
  const paidOut = { status: "payout" as const, amountPaidOut: amount };
  const inPayout = await changeOrder(tx, { tenantId, id: order.id, now }, paidOut);
  await moveStage(tx, scope, "payout_approved");
  await askHandover(tx, deps, scope, { order: inPayout, amount });
}
