import { eq, sql } from "drizzle-orm";
import type { MessengerName } from "../domain/inbound.ts";
import type { Language } from "../domain/language.ts";
import { queryRows, type Tx } from "./db.ts";
import { actAsOwner, enterTenant } from "./enter-tenant.ts";
import { startRowLists } from "./row-list.ts";
import { macOf, reportForged, verified } from "./row-mac.ts";
import { channels, tenants } from "./schema/tenancy.ts";

/** Transactions of this file are the owner's (`withOwner`); reading works in a tenant's too. */
export type Tenant = typeof tenants.$inferSelect;
export type Channel = typeof channels.$inferSelect;

/** False when the tenant exists already; it is left as it is. */
export async function ensureTenant(
  tx: Tx,
  tenant: { id: string; name: string; language?: Language; now: number },
): Promise<boolean> {
  const { id, name, language = "en", now } = tenant;
  const row = { id, state: "setup", agentRole: "support" } as const;
  const added = await tx
    .insert(tenants)
    .values({ ...row, name, language, mac: macOf(tx, "tenants", row), createdAt: now })
    .onConflictDoNothing()
    .returning({ id: tenants.id });
  if (added.length === 0) return false;
  await enterTenant(tx, id);
  const isLost = await hasRows(tx, id);
  if (!isLost) await startRowLists(tx, id);
  await actAsOwner(tx);
  if (isLost) await closeLost(tx, { id, language, now });
  return true;
}

/** Does something stand there of a tenant that is only now made? */
async function hasRows(tx: Tx, id: string): Promise<boolean> {
  const tables = ["row_lists", "staff", "tool_policy", "approval_queue", "exchange_orders"];
  const found = [...tables, "audit_log"].map(
    (table) => sql`exists(select 1 from ${sql.identifier(table)} where tenant_id = ${id})`,
  );
  const [row] = await queryRows<{ any: boolean }>(
    tx,
    sql`select ${sql.join(found, sql` or `)} as any`,
  );
  return row?.any === true;
}

/** Somebody has deleted its row: it does not begin anew with the looser rules of a set-up. */
async function closeLost(
  tx: Tx,
  { id, language, now }: { id: string; language: Language; now: number },
): Promise<void> {
  reportForged(tx, "tenants", { id });
  const stop = { payoutsStoppedAt: now, ordersStoppedAt: now };
  const reasons = { payoutsStoppedReason: FORGED[language], ordersStoppedReason: FORGED[language] };
  await changeTenant(tx, id, { state: "open", openedAt: now, ...stop, ...reasons });
}

/** null: there is none. One that was tampered with comes back at its strictest. */
export async function tenantById(tx: Tx, tenantId: string): Promise<Tenant | null> {
  const [row] = await tx.select().from(tenants).where(eq(tenants.id, tenantId));
  return row ? believed(tx, row) : null;
}

/** Whoever wrote them. */
export async function listTenantIds(tx: Tx): Promise<string[]> {
  const rows = await tx.select({ id: tenants.id }).from(tenants).orderBy(tenants.id);
  return rows.map(({ id }) => id);
}

/** By id; those that were tampered with at their strictest. */
export async function listTenants(tx: Tx): Promise<Tenant[]> {
  const rows = await tx.select().from(tenants).orderBy(tenants.id);
  return rows.map((row) => believed(tx, row));
}

/**
 * The row itself; one that something else than the product wrote is taken at its strictest: open,
 * so that a personal token is wanted, with payouts and orders stopped, and a role of nobody.
 */
export function believed(tx: Tx, row: Tenant): Tenant {
  if (verified(tx, "tenants", row)) return row;
  const stop = { at: row.createdAt, reason: FORGED[row.language] ?? FORGED.en };
  return {
    ...row,
    state: "open",
    agentRole: "",
    payoutsStoppedAt: row.payoutsStoppedAt ?? stop.at,
    payoutsStoppedReason: stop.reason,
    ordersStoppedAt: row.ordersStoppedAt ?? stop.at,
    ordersStoppedReason: stop.reason,
  };
}

const FORGED: Record<Language, string> = {
  en: "something other than Countersign has changed the office's own row in the database; put it back as it was, or restore a backup",
  ru: "собственную строку офиса в базе изменил не Countersign; верните её как была или восстановите копию",
};

/**
 * Changes the tenant's own row. False, and nothing is changed, when it is not what the product
 * wrote: a change would vouch for the rest of it.
 */
export async function changeTenant(
  tx: Tx,
  tenantId: string,
  set: Partial<Omit<Tenant, "id" | "mac">>,
): Promise<boolean> {
  const [row] = await tx.select().from(tenants).where(eq(tenants.id, tenantId)).for("update");
  if (!row || !verified(tx, "tenants", row)) return false;
  const mac = macOf(tx, "tenants", { ...row, ...set });
  await tx
    .update(tenants)
    .set({ ...set, mac })
    .where(eq(tenants.id, tenantId));
  return true;
}

/** Ends the set-up for good. False when it was open already. */
export async function markTenantOpen(tx: Tx, tenantId: string, now: number): Promise<boolean> {
  const [row] = await tx
    .select({ state: tenants.state })
    .from(tenants)
    .where(eq(tenants.id, tenantId))
    .for("update");
  if (row?.state !== "setup") return false;
  return changeTenant(tx, tenantId, { state: "open", openedAt: now });
}

/** A known channel takes the bot's new id; tenant and messenger stay. */
export async function upsertChannel(
  tx: Tx,
  channel: {
    id: string;
    tenantId: string;
    messenger: MessengerName;
    botUserId: string | null;
    now: number;
  },
): Promise<void> {
  const { now, ...row } = channel;
  await tx
    .insert(channels)
    .values({ ...row, createdAt: now })
    .onConflictDoUpdate({ target: channels.id, set: { botUserId: row.botUserId } });
}

/** Oldest first. */
export function listChannels(tx: Tx, tenantId: string): Promise<Channel[]> {
  return tx
    .select()
    .from(channels)
    .where(eq(channels.tenantId, tenantId))
    .orderBy(channels.createdAt, channels.id);
}
