import { and, eq } from "drizzle-orm";
import type { MessengerName } from "../domain/inbound.ts";
import type { Language } from "../domain/language.ts";
import type { Tx } from "./db.ts";
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
  const added = await tx
    .insert(tenants)
    .values({ id, name, language, state: "setup", createdAt: now })
    .onConflictDoNothing()
    .returning({ id: tenants.id });
  return added.length > 0;
}

export async function tenantById(tx: Tx, tenantId: string): Promise<Tenant | null> {
  const [row] = await tx.select().from(tenants).where(eq(tenants.id, tenantId));
  return row ?? null;
}

export function listTenants(tx: Tx): Promise<Tenant[]> {
  return tx.select().from(tenants).orderBy(tenants.id);
}

/** Ends the set-up for good. False when it was open already. */
export async function markTenantOpen(tx: Tx, tenantId: string, now: number): Promise<boolean> {
  const opened = await tx
    .update(tenants)
    .set({ state: "open", openedAt: now })
    .where(and(eq(tenants.id, tenantId), eq(tenants.state, "setup")))
    .returning({ id: tenants.id });
  return opened.length > 0;
}

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

export function listChannels(tx: Tx, tenantId: string): Promise<Channel[]> {
  return tx
    .select()
    .from(channels)
    .where(eq(channels.tenantId, tenantId))
    .orderBy(channels.createdAt, channels.id);
}
