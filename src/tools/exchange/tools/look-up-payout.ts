import { messageOf } from "../../../domain/errors.ts";
import { orderByName } from "../../../store/orders.ts";
import type { LookUp, ToolCall } from "../../contract.ts";
import { judgePayout } from "../payout-answer.ts";
import type { ExchangeDeps } from "./exchange-deps.ts";
import { payoutActionSchema } from "./payout-action.ts";
import { acceptedWork, MISMATCH, refusedWork } from "./payout-work.ts";

/** Asks the gateway by key. An answer about something else tells nothing of this payout. */
export async function lookUpPayout(deps: ExchangeDeps, call: ToolCall): Promise<LookUp> {
  const action = payoutActionSchema.parse(call.action);
  const { idempotencyKey: key, tenantId } = call;
  if (!deps.payouts || key === null)
    return { kind: "unreachable", message: "no payout gateway is configured" };
  const found = await deps.payouts.lookUp(key, call.signal, call.outside);
  if (found.kind === "not_found") return { kind: "absent" };
  if (found.kind === "unreachable") return { kind: "unreachable", message: messageOf(found.cause) };
  const judged = judgePayout(found.answer, action);
  if (judged.kind === "mismatch") return { kind: "unreachable", message: MISMATCH };
  if (judged.kind === "refused") return { kind: "found", work: refusedWork(deps, call, judged) };
  const order = await call.read((tx) => orderByName(tx, tenantId, action.orderId));
  if (!order) return { kind: "unreachable", message: `there is no ${action.orderId}` };
  const paid = { call, orderId: order.id, amount: action.amount };
  return { kind: "found", work: acceptedWork(deps, paid, judged) };
}
