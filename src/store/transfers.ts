import { and, eq, inArray } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import type { Tx } from "./db.ts";
import { exchangeOrders, exchangeTransfers } from "./schema/exchange.ts";

export interface ChainTransfer {
  logIndex: number;
  /** Decimal string. */
  amount: string;
  from: string;
}

export interface TransferClaim {
  tenantId: string;
  orderId: string;
  chain: string;
  txHash: string;
  now: number;
}

/** The tenant's order that a transaction was already counted for. */
export async function orderPaidBy(
  tx: Tx,
  which: { tenantId: string; chain: string; txHash: string },
): Promise<{ id: string; number: number } | null> {
  const rows = await tx
    .select({ id: exchangeOrders.id, number: exchangeOrders.number })
    .from(exchangeTransfers)
    .innerJoin(exchangeOrders, eq(exchangeOrders.id, exchangeTransfers.orderId))
    .where(
      and(
        eq(exchangeTransfers.tenantId, which.tenantId),
        eq(exchangeTransfers.chain, which.chain),
        eq(exchangeTransfers.txHash, which.txHash),
      ),
    )
    .limit(1);
  return rows[0] ?? null;
}

/**
 * Counts the transfers for one order: all of them or none. False: another order has one of
 * them, of this tenant or of another, also when both claims came at the same moment.
 */
export async function claimTransfers(
  tx: Tx,
  claim: TransferClaim,
  transfers: readonly ChainTransfer[],
): Promise<boolean> {
  const { orderId, now, ...place } = claim;
  const added = await tx
    .insert(exchangeTransfers)
    .values(
      transfers.map(({ logIndex, amount, from }) => ({
        id: newId(),
        ...place,
        orderId,
        logIndex,
        amount,
        fromAddress: from,
        createdAt: now,
      })),
    )
    .onConflictDoNothing()
    .returning({ id: exchangeTransfers.id });
  if (added.length === transfers.length) return true;
  const own = await orderPaidBy(tx, place);
  if (own?.id === orderId && added.length === 0) return true; // the same claim again
  const ids = added.map((row) => row.id);
  if (ids.length > 0) await tx.delete(exchangeTransfers).where(inArray(exchangeTransfers.id, ids));
  return false;
}
