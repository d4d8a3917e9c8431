import { approvalById } from "../store/approvals.ts";
import type { Tx } from "../store/db.ts";
import type { Turn } from "./turn.ts";

/**
 * A rejection waits for its reason before the lead is told. When none came and the lead has had an
 * answer meanwhile, that answer knew of the rejection: nothing is left to say.
 */
export async function isToldAlready(tx: Tx, turn: Turn): Promise<boolean> {
  const { approvalId } = turn.run;
  if (turn.run.kind !== "continuation" || approvalId === null) return false;
  const approval = await approvalById(tx, turn.tenantId, approvalId);
  if (approval?.status !== "rejected" || approval.rejectedReason !== null) return false;
  const decidedAt = approval.decidedAt ?? 0;
  return turn.view.transcript.messages.some(
    (said) =>
      said.author === "bot" &&
      said.kind === "text" &&
      said.runId !== null &&
      said.createdAt > decidedAt,
  );
}
