import type { ToolResult } from "../../../domain/tool.ts";
import type { Tx } from "../../../store/db.ts";
import { changeOrder, type Order, otherFittingOrders } from "../../../store/orders.ts";
import { claimTransfers, orderPaidBy } from "../../../store/transfers.ts";
import type { Receipt, TransferCheck } from "../tron-check.ts";
import type { ExchangeDeps } from "./exchange-deps.ts";
import { moveStage } from "./move-stage.ts";
import {
  dropProof,
  keepProof,
  paidResult,
  reused,
  type Settling,
  toOperator,
  unpaid,
} from "./payment-outcomes.ts";
import { CHAIN } from "./payment-verdict.ts";

/** A transfer that the chain has shown, and the order it is said to pay. */
export interface CheckedTransfer {
  order: Order;
  hash: string;
  transfer: TransferCheck;
  /** The wallet that the order was given. */
  address: string;
}

/** Writes what the chain said about a transaction. */
export async function settleTransfer(
  tx: Tx,
  deps: ExchangeDeps,
  settling: Settling,
  checked: CheckedTransfer,
): Promise<ToolResult> {
  const { order, hash, transfer } = checked;
  switch (transfer.kind) {
    case "unconfirmed":
      // money seems to be on its way: until it is settled nothing may end the order
      if (order.proofReceivedAt === null)
        await keepProof(tx, settling, order, { reason: "unconfirmed" });
      return unpaid(order, { reason: "unconfirmed" });
    case "failed":
    case "wrong_token":
    case "wrong_recipient":
      await dropProof(tx, settling, order, hash);
      return unpaid(order, { reason: transfer.kind });
    case "unknown_time":
      return toOperator(tx, deps, settling, { order, reason: transfer.kind });
    case "ok":
      return takePayment(tx, deps, settling, { ...checked, receipt: transfer });
    case "late":
    case "underpaid":
    case "overpaid":
      return holdReceipt(tx, deps, settling, { ...checked, receipt: transfer });
    case "too_old":
    case "before_order":
      return misfit(tx, deps, settling, { ...checked, receipt: transfer });
    default:
      return transfer satisfies never;
  }
}

interface Received extends CheckedTransfer {
  receipt: Receipt & { kind: string };
}

async function takePayment(
  tx: Tx,
  deps: ExchangeDeps,
  settling: Settling,
  received: Received,
): Promise<ToolResult> {
  const { order, hash, receipt } = received;
  if (await fitsAnother(tx, received))
    return misfit(tx, deps, settling, {
      ...received,
      receipt: { ...receipt, kind: "ambiguous_payment" },
    });
  if (!(await claim(tx, settling, received)))
    return reused(tx, deps, settling, { order, by: await ownerOf(tx, order, hash) });
  const { call } = settling;
  const which = { tenantId: order.tenantId, id: order.id, now: call.now };
  const paid = await changeOrder(tx, which, {
    status: "paid",
    paidAt: call.now,
    amountReceived: receipt.amountReceived,
    quoteLockedAt: call.now,
    proofReceivedAt: order.proofReceivedAt ?? call.now,
    proofJson: { hash, ...factsOf(receipt) },
  });
  await moveStage(tx, call, "payment_verified");
  return paidResult(paid, hash);
}

/** Another open order waits for exactly this sum at this wallet. */
async function fitsAnother(tx: Tx, { order, address, receipt }: Received): Promise<boolean> {
  const { blockTimeStamp: at, amountReceived: amount } = receipt;
  return (await otherFittingOrders(tx, order, { address, at, amount })) > 0;
}

/**
 * Money that came for this order but does not fit it: nobody else may be paid with it, unless
 * it is just what another order waits for.
 */
async function holdReceipt(
  tx: Tx,
  deps: ExchangeDeps,
  settling: Settling,
  received: Received,
): Promise<ToolResult> {
  const { order, hash } = received;
  if (await fitsAnother(tx, received)) return misfit(tx, deps, settling, received);
  if (!(await claim(tx, settling, received)))
    return reused(tx, deps, settling, { order, by: await ownerOf(tx, order, hash) });
  return misfit(tx, deps, settling, received);
}

function misfit(
  tx: Tx,
  deps: ExchangeDeps,
  settling: Settling,
  { order, receipt }: Received,
): Promise<ToolResult> {
  const { amountReceived } = receipt;
  return toOperator(tx, deps, settling, {
    order,
    reason: receipt.kind,
    data: { amountReceived, amountExpected: order.amountFrom },
    facts: factsOf(receipt),
  });
}

function claim(tx: Tx, { call }: Settling, { order, hash, receipt }: Received): Promise<boolean> {
  const { tenantId, id: orderId } = order;
  const claimed = { tenantId, orderId, chain: CHAIN, txHash: hash, now: call.now };
  return claimTransfers(tx, claimed, receipt.transfers);
}

async function ownerOf(tx: Tx, order: Order, txHash: string) {
  const owner = await orderPaidBy(tx, { tenantId: order.tenantId, chain: CHAIN, txHash });
  return owner?.id === order.id ? null : owner;
}

function factsOf(receipt: Receipt) {
  return {
    amountReceived: receipt.amountReceived,
    blockTime: new Date(receipt.blockTimeStamp).toISOString(),
    from: [...new Set(receipt.transfers.map((transfer) => transfer.from))].join(", "),
  };
}
