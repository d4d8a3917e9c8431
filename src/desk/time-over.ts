import type { ApprovalRow } from "../store/approvals.ts";
import type { Tx } from "../store/db.ts";
import { missedMs } from "../store/heartbeats.ts";
import type { DeskDeps } from "./deps.ts";

/** Can nobody decide it any more? Time that the machine slept through counts for no limit. */
export async function isTimeOver(
  tx: Tx,
  deps: Pick<DeskDeps, "clock" | "realNow">,
  { tenantId, expiresAt }: Pick<ApprovalRow, "tenantId" | "expiresAt">,
): Promise<boolean> {
  const now = deps.clock.now();
  const realNow = deps.realNow();
  if (expiresAt === null || expiresAt > now) return false;
  return expiresAt <= now - (await missedMs(tx, { tenantId, realNow }));
}
