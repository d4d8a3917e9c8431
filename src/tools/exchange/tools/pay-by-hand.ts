import type { ToolResult } from "../../../domain/tool.ts";
import type { Tx } from "../../../store/db.ts";
import { changeOrder, lockOrder } from "../../../store/orders.ts";
import { lockConversation } from "../../../store/runs.ts";
import type { ToolWork } from "../../contract.ts";
import { raiseHandoff } from "../../raise-handoff.ts";
import { success } from "../../results.ts";
import type { ExchangeDeps } from "./exchange-deps.ts";
import { moveStage } from "./move-stage.ts";
import { orderChanged, type Paying } from "./payout-work.ts";

/**
 * A method without a provider: an operator is asked to hand the money over. The order is in payout
 * from here on, so that a second approval cannot hand it over twice.
 */
export function payByHand(deps: ExchangeDeps, paying: Paying): ToolWork {
  return { kind: "write", apply: async (tx) => ({ result: await write(tx, deps, paying) }) };
}

async function write(tx: Tx, deps: ExchangeDeps, paying: Paying): Promise<ToolResult> {
  const { call, action } = paying;
  const { tenantId, conversationId, contactId, now } = call;
  await lockConversation(tx, tenantId, conversationId);
  const before = await lockOrder(tx, tenantId, paying.order.id);
  if (before?.status !== "paid") return orderChanged(action);
  const paidOut = { status: "payout" as const, amountPaidOut: action.amount };
  const order = await changeOrder(tx, { tenantId, id: before.id, now }, paidOut);
  await moveStage(tx, call, "payout_approved");
  const sum = `${action.amount} ${action.currency}`;
  const what = [sum, action.method, action.location].filter(Boolean).join(", ");
  const rest = action.stillOwed && `${action.stillOwed} ${action.currency}`;
  await raiseHandoff(tx, deps.jobs, {
    ...{ tenantId, conversationId, contactId, now, order },
    reason: "office_payout",
    place: action.location,
    summary: {
      en: `approved, pay out by hand: ${what}${rest ? `; ${rest} of the order are still owed` : ""}`,
      ru: `одобрено, выдайте вручную: ${what}${rest ? `; по заявке останется должны ${rest}` : ""}`,
    },
  });
  return success(
    {
      type: "payout",
      id: action.orderId,
      summary: `approved; an operator pays out ${action.orderId} by hand`,
    },
    {
      orderId: action.orderId,
      status: order.status,
      amount: action.amount,
      stillOwed: action.stillOwed,
      currency: action.currency,
      method: action.method,
      location: action.location,
      codeDelivered: false,
      reason: "manual_payout",
      needsOperator: true,
    },
  );
}
