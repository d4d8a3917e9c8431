import { compareAmounts, isDecimal } from "../domain/money.ts";
import type { ApprovalRow } from "../store/approvals.ts";
import { currentAction } from "./edit-action.ts";

/** Approval ids that one button grants together, each still with a vote of its own. */
export interface Bulk {
  ids: string[];
  /** Sums below it, with their currency: `50000 THB`. */
  limit: string;
}

interface Below {
  /** Decimal, in `quoteAsset`. */
  limit: string;
  quoteAsset: string;
}

/**
 * Requests that one press may grant: of one tool and risk class, each sum below the limit. Of several
 * such groups the largest; null: there are no two.
 */
export function bulkOf(rows: readonly ApprovalRow[], below: Below): Bulk | null {
  const groups = new Map<string, ApprovalRow[]>();
  for (const row of rows.filter((one) => isBelow(one, below))) {
    const kind = JSON.stringify([row.toolName, row.riskLevel]);
    groups.set(kind, [...(groups.get(kind) ?? []), row]);
  }
  const [largest = []] = [...groups.values()].sort((one, other) => other.length - one.length);
  if (largest.length < 2) return null;
  return { ids: largest.map(({ id }) => id), limit: `${below.limit} ${below.quoteAsset}` };
}

/** What names no sum in this currency is decided by itself. */
export function isBelow(row: ApprovalRow, { limit, quoteAsset }: Below): boolean {
  const { amount, currency } = currentAction(row);
  if (typeof amount !== "string" || !isDecimal(amount) || currency !== quoteAsset) return false;
  return compareAmounts(amount, limit) < 0;
}
