import { z } from "zod";
import type { ToolResult } from "../../../domain/tool.ts";
import { writeAudit } from "../../../store/audit.ts";
import type { Tx } from "../../../store/db.ts";
import { cancelOrders, lastOrder, openOrders, orderName } from "../../../store/orders.ts";
import { supersedeQuotes } from "../../../store/quotes.ts";
import { lockConversation } from "../../../store/runs.ts";
import type { RagTool, ToolCall } from "../../contract.ts";
import { refusal, success } from "../../results.ts";
import { blockedByPayment, hasPayment } from "./blocked-by-payment.ts";
import { type ExchangeDeps, hasRates } from "./exchange-deps.ts";
import { moveStage } from "./move-stage.ts";

const parameters = z.strictObject({
  reason: z.string().max(300).optional().describe("in the client's words"),
});

/**
 * Ends unpaid orders and the open quote in one transaction. A draft: the lead's own doing, so that
 * nobody is asked; refused as soon as money or a proof of it may be there.
 */
export function cancelExchangeOrder(deps: ExchangeDeps): RagTool<z.infer<typeof parameters>> {
  return {
    name: "cancel_exchange_order",
    title: "Cancel the exchange",
    description: {
      does: "Ends the client's unpaid exchange.",
      when: "when the client clearly gives it up.",
      whenNot: "when only the sum changes: price it anew instead.",
      needs: "nothing; reason is optional.",
      limits:
        "after a payment or a proof of one it is refused with blockedByPayment and an operator decides; a new quote may follow.",
      returns: "the order and its status.",
    },
    risk: "draft_only",
    sideEffectType: "internal_rows",
    parameters,
    output: z.object({
      ok: z.literal(true),
      orderId: z.string().nullable(),
      status: z.literal("cancelled"),
    }),
    offered: true,
    staged: true,
    prose: ["reason"],
    isAvailable: hasRates,
    async run(call) {
      return {
        kind: "write",
        apply: async (tx) => ({ result: await cancel(tx, deps, call) }),
      };
    },
  };
}

async function cancel(tx: Tx, deps: ExchangeDeps, call: ToolCall): Promise<ToolResult> {
  const { tenantId, conversationId, now } = call;
  await lockConversation(tx, tenantId, conversationId);
  const last = await lastOrder(tx, call);
  const open = await openOrders(tx, call);
  const lateProof = last?.status === "expired" && hasPayment(last) ? last : undefined;
  const paid = open.find(hasPayment) ?? lateProof;
  if (paid) return blockedByPayment(tx, deps, { call, order: paid, type: "exchange_order" });
  if (last?.status === "completed" && open.length === 0)
    return refusal({
      type: "exchange_order",
      id: orderName(last),
      reason: "already_completed",
      summary: `${orderName(last)} is completed; there is nothing to cancel`,
      data: { orderId: orderName(last), status: last.status },
    });
  await cancelOrders(tx, { tenantId, ids: open.map((order) => order.id), now });
  await supersedeQuotes(tx, call);
  await moveStage(tx, call, "cancelled");
  const name = open[0] ? orderName(open[0]) : null;
  const summary = name ? `${name} is cancelled` : "the request is closed; there was no order";
  await writeAudit(tx, [
    { tenantId, conversationId, eventType: "order.cancelled", summary, createdAt: now },
  ]);
  return success(
    { type: "exchange_order", id: name, summary },
    { orderId: name, status: "cancelled" },
  );
}
