import type { ToolResult } from "../../../domain/tool.ts";
import type { Tx } from "../../../store/db.ts";
import { type Order, orderByName } from "../../../store/orders.ts";
import { lockConversation } from "../../../store/runs.ts";
import type { FoundWork, ToolCall } from "../../contract.ts";
import { raiseHandoff } from "../../raise-handoff.ts";
import { refusal } from "../../results.ts";
import type { AcceptedPayout } from "../payout-answer.ts";
import type { ExchangeDeps } from "./exchange-deps.ts";
import { type PayoutAction, payoutActionSchema } from "./payout-action.ts";
import { takeBackPayout } from "./take-back-payout.ts";
import { type PaidOut, writePayout } from "./write-payout.ts";

/** The approved action beside the order as it is now; they have to agree still. */
export interface Paying {
  call: ToolCall;
  action: PayoutAction;
  order: Order;
}

/** Said of an unknown outcome: money may have gone somewhere, and a person has to look. */
export const MISMATCH = "the gateway tells of another order or sum than was asked";

/** The gateway has the payout; `pending`: it is still making it. */
export function acceptedWork(deps: ExchangeDeps, paid: PaidOut, payout: AcceptedPayout): FoundWork {
  return {
    kind: payout.status === "pending" ? "pending" : "write",
    apply: async (tx) => ({ result: await writePayout(tx, deps, paid, payout) }),
  };
}

/** `message`: the gateway's own words, cleaned; for people alone. */
interface GatewayRefusal {
  message: string;
  /** Of HTTP; left out where it came as a status of the payout. */
  status?: number;
}

/** The gateway said no for good: the order is paid, people are told, a new approval may follow. */
export function refusedWork(deps: ExchangeDeps, call: ToolCall, said: GatewayRefusal): FoundWork {
  return {
    kind: "write",
    apply: async (tx) => ({ result: await writeRefusal(tx, deps, call, said) }),
  };
}

async function writeRefusal(
  tx: Tx,
  deps: ExchangeDeps,
  call: ToolCall,
  { message, status }: GatewayRefusal,
): Promise<ToolResult> {
  const { tenantId, conversationId, contactId, now } = call;
  const { orderId } = payoutActionSchema.parse(call.action);
  await lockConversation(tx, tenantId, conversationId);
  await takeBackPayout(tx, call, orderId);
  const order = await orderByName(tx, tenantId, orderId);
  await raiseHandoff(tx, deps.jobs, {
    ...{ tenantId, conversationId, contactId, now, order },
    reason: "payout_review",
    summary: {
      en: `the payout gateway refused the approved payout: ${message}`,
      ru: `платёжный шлюз отклонил одобренную выплату: ${message}`,
    },
  });
  return refusal({
    type: "payout",
    id: orderId,
    reason: "payout_refused",
    needsOperator: true,
    summary: `the payout gateway refused it${status === undefined ? "" : ` (status ${status})`}; an operator was asked`,
    data: { orderId, status: order?.status },
    code: "PROVIDER_ERROR",
  });
}

/**
 * Somebody paid, cancelled or changed it between approval and start: certain that nothing was sent.
 */
export function orderChanged(action: PayoutAction): ToolResult {
  return refusal({
    type: "payout",
    id: action.orderId,
    reason: "order_changed",
    needsOperator: true,
    summary: `${action.orderId} is not waiting for a payout any more; nothing was sent`,
    data: { orderId: action.orderId },
  });
}

/** Who pays out is what somebody else than the product has written there last. */
export function nobodyPays(action: PayoutAction): ToolResult {
  return refusal({
    type: "payout",
    id: action.orderId,
    reason: "settings_forged",
    needsOperator: true,
    summary: "who pays out was changed behind our back; nothing was sent",
    data: { orderId: action.orderId },
  });
}
