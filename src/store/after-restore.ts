import { and, eq } from "drizzle-orm";
import type { Language } from "../domain/language.ts";
import { writeAudit } from "./audit.ts";
import type { Tx } from "./db.ts";
import { actAsOwner, enterTenant } from "./enter-tenant.ts";
import { dropForeignExecutionLeases } from "./executions.ts";
import { stopPayouts } from "./payout-stop.ts";
import { dropForeignLeases } from "./runs.ts";
import { outbox } from "./schema/chat.ts";
import { listTenants, type Tenant } from "./tenants.ts";
import { setWaitingPayouts, waitingPayouts } from "./waiting-payouts.ts";

/** No process is called that: all leases in a restored database are somebody else's. */
const OWNER = "restore";

interface Settling {
  /** Milliseconds, like `now`: product time of the two databases. */
  backupAt: number;
  now: number;
  realNow: number;
}

/**
 * What a restored database must not believe: that its workers still live, that what it was about to
 * pay was not paid since, that payouts may go on. In the owner's transaction, for every tenant.
 */
export async function settleRestored(tx: Tx, settling: Settling): Promise<void> {
  for (const tenant of await listTenants(tx)) {
    await enterTenant(tx, tenant.id);
    await dropLeases(tx, tenant.id, settling.realNow);
    await doubtPayouts(tx, tenant.id, settling.now);
    await stopAndNote(tx, tenant, settling);
    await actAsOwner(tx);
  }
}

async function dropLeases(tx: Tx, tenantId: string, realNow: number): Promise<void> {
  await dropForeignLeases(tx, { tenantId, owner: OWNER, realNow });
  await dropForeignExecutionLeases(tx, { tenantId, owner: OWNER, realNow });
  await tx
    .update(outbox)
    .set({ leaseToken: null, leaseUntil: null })
    .where(and(eq(outbox.tenantId, tenantId), eq(outbox.status, "sending")));
}

/** An approved payout that waited was perhaps sent after the backup: it is looked up by key first. */
async function doubtPayouts(tx: Tx, tenantId: string, now: number): Promise<void> {
  const ids = await waitingPayouts(tx, tenantId);
  await setWaitingPayouts(tx, { tenantId, ids }, { status: "unknown", lookUps: 0, runAfter: now });
}

async function stopAndNote(tx: Tx, tenant: Tenant, { backupAt, now }: Settling): Promise<void> {
  const tenantId = tenant.id;
  const at = `${new Date(backupAt).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  await writeAudit(tx, [
    {
      ...{ tenantId, userId: OWNER, createdAt: now },
      eventType: "backup.restored",
      summary: `restored from a backup of ${at}`,
    },
  ]);
  const reason = REASONS[tenant.language].replace("{at}", at);
  await stopPayouts(tx, { tenantId, by: OWNER, reason, now });
}

const REASONS: Record<Language, string> = {
  en: "restored from a backup of {at}; what happened since is not in it",
  ru: "восстановлено из копии от {at}; того, что было позже, в ней нет",
};
