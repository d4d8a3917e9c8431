import { z } from "zod";
import type { ToolResult } from "../../../domain/tool.ts";
import type { Tx } from "../../../store/db.ts";
import { closeOrderHandoffs } from "../../../store/handoffs.ts";
import { leadFiles, leadMediaMessages } from "../../../store/lead-messages.ts";
import { changeOrder, lockOrder, type Order, orderByName } from "../../../store/orders.ts";
import { lockConversation } from "../../../store/runs.ts";
import type { LookUp, PreparedAction, PrepareRefusal, RagTool, ToolCall } from "../../contract.ts";
import { decimalText, refusal } from "../../results.ts";
import { CONFIRM_TOOL, MOST_RECEIPTS } from "./fiat-receipt.ts";
import { moveStage } from "./move-stage.ts";
import { paidResult } from "./payment-outcomes.ts";
import { receiptMaterial } from "./receipt-material.ts";

const parameters = z.strictObject({
  orderId: z.string().max(20),
  reportedAt: z.iso.datetime(),
  receipts: z.array(z.string().min(1).max(64)).max(MOST_RECEIPTS).describe("message ids"),
  stated: z.record(z.string().max(40), z.string().max(200)),
});
type Args = z.infer<typeof parameters>;

const actionSchema = parameters.extend({ amount: decimalText, currency: z.string() });

/** Proposed by the system when a receipt comes; one person's approval is the confirmation. */
export function confirmFiatPayment(): RagTool<Args> {
  return {
    name: CONFIRM_TOOL,
    title: "Payment confirmation",
    description: {
      does: "Records that a person found a client's bank transfer on the account.",
      when: "the system proposes it when a receipt or a stated transfer comes.",
      whenNot: "never by a model.",
      needs: "the order and what the client sent.",
      limits: "sum and currency are the order's own; it sets the order paid at its price.",
      returns: "the order's new status.",
    },
    risk: "payment",
    sideEffectType: "internal_rows",
    parameters,
    output: z.object({
      ok: z.literal(true),
      orderId: z.string(),
      status: z.string(),
      asset: z.string(),
      amountReceived: decimalText.optional(),
      needsOperator: z.literal(false),
    }),
    offered: false,
    staged: false,
    prose: ["stated"],
    idempotentByKey: true,
    isAvailable: () => true,
    resources: ({ orderId }) => [{ path: "orderId", kind: "order", id: orderId }],
    prepare,
    async run(call) {
      return { kind: "write", apply: async (tx) => ({ result: await confirm(tx, call) }) };
    },
    lookUp,
  };
}

/** Sum and currency come from the order's row; more files or words are another action. */
async function prepare(
  tx: Tx,
  args: Args,
  scope: Pick<ToolCall, "tenantId" | "conversationId" | "contactId">,
): Promise<PreparedAction | PrepareRefusal> {
  const order = await orderByName(tx, scope.tenantId, args.orderId);
  if (!order || order.conversationId !== scope.conversationId)
    return refused(args.orderId, "NOT_FOUND", "the conversation has no such order");
  if (order.status !== "awaiting_payment")
    return refused(args.orderId, "NOT_FOUND", `the order is ${order.status}, not awaiting payment`);
  const receipts = await leadMediaMessages(tx, scope, args.receipts);
  if (receipts.length !== new Set(args.receipts).size)
    return refused(args.orderId, "NOT_FOUND", "not all of these messages are the client's files");
  const ids = receipts.map(({ id }) => id);
  return {
    kind: "action",
    action: { ...args, receipts: ids, amount: order.amountFrom, currency: order.asset },
    businessKey: `fiat:${args.orderId}`,
    material: await receiptMaterial(tx, {
      ...{ order, contactId: scope.contactId, reportedAt: Date.parse(args.reportedAt) },
      ...{ media: receipts.flatMap(({ media }) => media), stated: args.stated },
    }),
    files: await leadFiles(tx, scope, ids),
  };
}

async function confirm(tx: Tx, call: ToolCall): Promise<ToolResult> {
  const { tenantId, conversationId, now } = call;
  const { orderId, amount } = actionSchema.parse(call.action);
  await lockConversation(tx, tenantId, conversationId);
  const named = await orderByName(tx, tenantId, orderId);
  const order = named && (await lockOrder(tx, tenantId, named.id));
  if (order?.status !== "awaiting_payment" || order.amountFrom !== amount)
    return changed(orderId, order);
  const which = { tenantId, id: order.id, now };
  const paid = await changeOrder(tx, which, {
    status: "paid",
    paidAt: now,
    amountReceived: order.amountFrom,
    quoteLockedAt: now,
    proofReceivedAt: order.proofReceivedAt ?? now,
  });
  await moveStage(tx, call, "payment_verified");
  await closeOrderHandoffs(tx, { tenantId, orderId: order.id, reason: "payment_review", now });
  return paidResult(paid);
}

/** Order and result are written together: an order that still waits was not confirmed. */
async function lookUp(call: ToolCall): Promise<LookUp> {
  const { orderId } = actionSchema.parse(call.action);
  const order = await call.read((tx) => orderByName(tx, call.tenantId, orderId));
  if (!order) return { kind: "unreachable", message: `there is no ${orderId}` };
  if (order.quoteLockedAt === null) return { kind: "absent" };
  return { kind: "found", work: { kind: "result", result: paidResult(order) } };
}

function changed(orderId: string, order: Order | null): ToolResult {
  return refusal({
    type: "payment",
    id: orderId,
    reason: "order_changed",
    needsOperator: true,
    summary: `${orderId} is ${order?.status ?? "gone"}, not what was confirmed; an operator has to look`,
    data: { orderId, status: order?.status },
  });
}

function refused(id: string, code: "NOT_FOUND", summary: string): PrepareRefusal {
  return {
    kind: "refused",
    result: refusal({ type: "payment", id, reason: "not_prepared", summary, code }),
  };
}
