import { eq, sql } from "drizzle-orm";
import type { PolicyRow } from "../domain/policy-row.ts";
import { queryRows, type Tx } from "./db.ts";
import { actAsOwner, enterTenant } from "./enter-tenant.ts";
import { CLIENTS_SIGNED, lockRowList, putRowList } from "./row-list.ts";
import { macOf } from "./row-mac.ts";
import type { Meaning, SignedTable } from "./row-meaning.ts";
import { approvalQueue, approvalVotes } from "./schema/approvals.ts";
import { contactIdentities, conversations, inbox } from "./schema/chat.ts";
import { exchangeOrders, exchangeSettings } from "./schema/exchange.ts";
import { apiTokens, destinations, staff, staffIdentities, tenants } from "./schema/tenancy.ts";
import { accountName } from "./staff-accounts.ts";
import { listTenantIds } from "./tenants.ts";

const ROWS_AT_ONCE = 500;

/**
 * Signs what older versions have written, as it stands. Only the transaction that brings the columns
 * calls it: at any later time a row without a hash was written by somebody else.
 */
export async function signOlderRows(tx: Tx): Promise<void> {
  const [found] = await queryRows<{ any: boolean }>(
    tx,
    sql`select exists(select 1 from tenants) or exists(select 1 from api_tokens) as any`,
  );
  if (!found?.any) return; // a new database; its columns may be older than this code, too
  const offices = await tx.select().from(tenants);
  await sign(tx, "tenants", offices);
  await sign(tx, "api_tokens", await tx.select().from(apiTokens));
  for (const { id } of offices) {
    await enterTenant(tx, id);
    await signPeople(tx, id);
    await signRules(tx, id);
    await signMoney(tx, id);
    await actAsOwner(tx);
  }
}

/** The same for the accounts of clients, whose hashes came later. Once a tenant: the list tells. */
export async function signOlderAccounts(tx: Tx): Promise<void> {
  for (const tenantId of await listTenantIds(tx)) {
    await enterTenant(tx, tenantId);
    const ref = { tenantId, tableName: "staff_identities" } as const;
    const list = await lockRowList(tx, ref);
    const isFirst = list && !Object.keys(CLIENTS_SIGNED).some((name) => name in list.rows);
    if (isFirst) {
      await sign(tx, "contact_identities", await tx.select().from(contactIdentities));
      await putRowList(tx, ref, { ...list.rows, ...CLIENTS_SIGNED });
    }
    await actAsOwner(tx);
  }
}

async function signPeople(tx: Tx, tenantId: string): Promise<void> {
  await sign(tx, "staff", await tx.select().from(staff));
  const accounts = await tx.select().from(staffIdentities);
  await sign(tx, "staff_identities", accounts);
  const holders = accounts.map((account) => [accountName(account), account.staffId]);
  await putRowList(tx, { tenantId, tableName: "staff_identities" }, Object.fromEntries(holders));
  await sign(tx, "destinations", await tx.select().from(destinations));
  await sign(tx, "conversations", await tx.select().from(conversations));
  // what is over stays as it is: nothing can make it happen again
  await sign(tx, "inbox", await tx.select().from(inbox).where(eq(inbox.status, "new")));
}

async function signRules(tx: Tx, tenantId: string): Promise<void> {
  const stored = await queryRows<{ row: PolicyRow }>(
    tx,
    sql`select to_jsonb(p) as row from tool_policy p`,
  );
  const rules = stored.map(({ row }) => ({ ...row, tenantId }));
  await sign(tx, "tool_policy", rules);
  const tools = rules.map((rule) => [rule.id, rule.tool_name]);
  await putRowList(tx, { tenantId, tableName: "tool_policy" }, Object.fromEntries(tools));
}

async function signMoney(tx: Tx, tenantId: string): Promise<void> {
  await sign(tx, "approval_queue", await tx.select().from(approvalQueue));
  await sign(tx, "approval_votes", await tx.select().from(approvalVotes));
  await sign(tx, "exchange_orders", await tx.select().from(exchangeOrders));
  const [settings] = await tx.select().from(exchangeSettings);
  const named = settings ? { [tenantId]: "set" } : {};
  await putRowList(tx, { tenantId, tableName: "exchange_settings" }, named);
  if (!settings) return;
  const mac = macOf(tx, "exchange_settings", settings);
  await tx.update(exchangeSettings).set({ mac }).where(eq(exchangeSettings.tenantId, tenantId));
}

/** Row security keeps it to the tenant. */
async function sign<T extends SignedTable>(
  tx: Tx,
  table: T,
  rows: readonly (Meaning<T> & { id: string })[],
): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const part = rows.slice(at, at + ROWS_AT_ONCE);
    const macs = part.map((row) => ({ id: row.id, mac: macOf(tx, table, row) }));
    await tx.execute(
      sql`update ${sql.identifier(table)} t set mac = v.mac
        from jsonb_to_recordset(${JSON.stringify(macs)}::jsonb) as v(id text, mac text)
        where t.id = v.id`,
    );
  }
}
