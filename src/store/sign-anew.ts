import { and, asc, eq, gt, or, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { InboundEvent, SubmissionEvent } from "../domain/inbound.ts";
import type { RowKey } from "../domain/verified.ts";
import { queryRows, type Tx } from "./db.ts";
import type { ForgedRow } from "./row-mac.ts";
import {
  type Meaning,
  meaningOf,
  placeOf,
  type SignedRows,
  type SignedTable,
} from "./row-meaning.ts";
import { approvalQueue, approvalVotes } from "./schema/approvals.ts";
import { contactIdentities, conversations, inbox } from "./schema/chat.ts";
import { exchangeOrders, exchangeSettings } from "./schema/exchange.ts";
import {
  apiTokens,
  destinations,
  rowLists,
  staff,
  staffIdentities,
  tenants,
} from "./schema/tenancy.ts";

export interface RowKeys {
  from: RowKey;
  to: RowKey;
}

/** What became of rows: a row that the old key does not vouch for is left as it is. */
export interface SignedAnew {
  done: number;
  unbelieved: ForgedRow[];
}

/** null: what the form holds does not open with the old key. */
export type SealForm = (tenantId: string, event: SubmissionEvent) => SubmissionEvent | null;

const ROWS_AT_ONCE = 500;

/** Signed tables whose rows have an id; those of all tenants first. */
const OF_ALL = { tenants, api_tokens: apiTokens };
const OF_TENANT = {
  staff,
  staff_identities: staffIdentities,
  destinations,
  contact_identities: contactIdentities,
  conversations,
  approval_queue: approvalQueue,
  approval_votes: approvalVotes,
  exchange_orders: exchangeOrders,
};
const WITH_ID = { ...OF_ALL, ...OF_TENANT };
type TableWithId = keyof typeof WITH_ID;

/** In the owner's role. */
export function signSharedAnew(tx: Tx, keys: RowKeys): Promise<SignedAnew> {
  return signTables(tx, Object.keys(OF_ALL) as (keyof typeof OF_ALL)[], keys);
}

/** In the tenant's role. Rows that carry no hash because they are over keep none. */
export async function signTenantAnew(
  tx: Tx,
  tenantId: string,
  keys: RowKeys,
  sealForm: SealForm,
): Promise<SignedAnew & { unopened: string[] }> {
  const forms = await signInbox(tx, { tenantId, keys, sealForm });
  const parts = [
    await signTables(tx, Object.keys(OF_TENANT) as (keyof typeof OF_TENANT)[], keys),
    await signRules(tx, tenantId, keys),
    await signLists(tx, keys),
    await signSettings(tx, keys),
    forms,
  ];
  return { ...sum(parts), unopened: forms.unopened };
}

export function sum(parts: readonly SignedAnew[]): SignedAnew {
  return {
    done: parts.reduce((total, { done }) => total + done, 0),
    unbelieved: parts.flatMap(({ unbelieved }) => unbelieved),
  };
}

/** Does the key vouch for the row? */
export function isBelieved<T extends SignedTable>(
  key: RowKey,
  table: T,
  row: Meaning<T> & { mac: string },
): boolean {
  // a copy: the row itself may be signed anew
  return key.verify({ ...row }, { content: meaningOf(table, row), mac: row.mac }) !== null;
}

/** The hash under the new key; null, and noted, when the old one does not vouch for the row. */
function macAnew<T extends SignedTable>(
  { from, to }: RowKeys,
  signed: SignedAnew,
  table: T,
  row: Meaning<T> & { mac: string },
): string | null {
  if (isBelieved(from, table, row)) {
    signed.done += 1;
    return to.mac(meaningOf(table, row));
  }
  const place = placeOf(row);
  const tenantId = table === "tenants" ? place.id : place.tenantId;
  signed.unbelieved.push({ table, tenantId, id: place.id ?? tenantId ?? "" });
  return null;
}

async function signTables(
  tx: Tx,
  tables: readonly TableWithId[],
  keys: RowKeys,
): Promise<SignedAnew> {
  const signed: SignedAnew = { done: 0, unbelieved: [] };
  for (const table of tables)
    for await (const rows of inBatches<SignedRows[typeof table]>(tx, WITH_ID[table]))
      await putMacs(
        tx,
        table,
        macsOf(rows, (row) => macAnew(keys, signed, table, row)),
      );
  return signed;
}

function macsOf<Row extends { id: string }>(
  rows: readonly Row[],
  mac: (row: Row) => string | null,
) {
  return rows.flatMap((row) => {
    const value = mac(row);
    return value === null ? [] : [{ id: row.id, mac: value }];
  });
}

/** Row security keeps it to the tenant. */
async function* inBatches<Row extends { id: string }>(
  tx: Tx,
  table: PgTable,
  which?: SQL,
): AsyncGenerator<Row[]> {
  const { id } = table as unknown as typeof staff; // all that come here have it
  for (let after = ""; ; ) {
    const rows = (await tx
      .select()
      .from(table)
      .where(and(gt(id, after), which))
      .orderBy(asc(id))
      .limit(ROWS_AT_ONCE)) as Row[]; // the caller names the table's rows
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_AT_ONCE) return;
    after = last.id;
  }
}

async function putMacs(
  tx: Tx,
  table: SignedTable,
  macs: readonly { id: string; mac: string }[],
): Promise<void> {
  await tx.execute(
    sql`update ${sql.identifier(table)} t set mac = v.mac
      from jsonb_to_recordset(${JSON.stringify(macs)}::jsonb) as v(id text, mac text)
      where t.id = v.id`,
  );
}

async function signRules(tx: Tx, tenantId: string, keys: RowKeys): Promise<SignedAnew> {
  const signed: SignedAnew = { done: 0, unbelieved: [] };
  const stored = await queryRows<{ row: SignedRows["tool_policy"] }>(
    tx,
    sql`select to_jsonb(p) as row from tool_policy p`,
  );
  const rows = stored.map(({ row }) => ({ ...row, tenantId }));
  const macs = macsOf(rows, (row) => macAnew(keys, signed, "tool_policy", row));
  await putMacs(tx, "tool_policy", macs);
  return signed;
}

async function signLists(tx: Tx, keys: RowKeys): Promise<SignedAnew> {
  const signed: SignedAnew = { done: 0, unbelieved: [] };
  for (const row of await tx.select().from(rowLists)) {
    const mac = macAnew(keys, signed, "row_lists", row);
    const isRow = and(eq(rowLists.tenantId, row.tenantId), eq(rowLists.tableName, row.tableName));
    if (mac !== null) await tx.update(rowLists).set({ mac }).where(isRow);
  }
  return signed;
}

async function signSettings(tx: Tx, keys: RowKeys): Promise<SignedAnew> {
  const signed: SignedAnew = { done: 0, unbelieved: [] };
  for (const row of await tx.select().from(exchangeSettings)) {
    const mac = macAnew(keys, signed, "exchange_settings", row);
    const isRow = eq(exchangeSettings.tenantId, row.tenantId);
    if (mac !== null) await tx.update(exchangeSettings).set({ mac }).where(isRow);
  }
  return signed;
}

interface InboxSigning {
  tenantId: string;
  keys: RowKeys;
  sealForm: SealForm;
}

/** What is over carries no hash; what was typed into its form is sealed anew all the same. */
async function signInbox(
  tx: Tx,
  signing: InboxSigning,
): Promise<SignedAnew & { unopened: string[] }> {
  const signed = { done: 0, unbelieved: [], unopened: [] };
  const which = or(eq(inbox.status, "new"), sql`${inbox.payload}->'values'->>'sealed' is not null`);
  for await (const rows of inBatches<SignedRows["inbox"]>(tx, inbox, which))
    for (const row of rows) await signEvent(tx, row, { ...signing, signed });
  return signed;
}

async function signEvent(
  tx: Tx,
  row: SignedRows["inbox"],
  {
    tenantId,
    keys,
    sealForm,
    signed,
  }: InboxSigning & {
    signed: SignedAnew & { unopened: string[] };
  },
): Promise<void> {
  const isNew = row.status === "new";
  const known = isNew ? macAnew(keys, signed, "inbox", row) : row.mac;
  if (known === null) return;
  const form = sealedFormOf(row.payload);
  const anew = form && sealForm(tenantId, form);
  if (form && !anew) signed.unopened.push(row.id);
  const payload = anew ?? row.payload;
  const mac = isNew ? keys.to.mac(meaningOf("inbox", { ...row, payload })) : known;
  await tx
    .update(inbox)
    .set({ payload, mac })
    .where(and(eq(inbox.tenantId, tenantId), eq(inbox.id, row.id)));
}

function sealedFormOf(payload: InboundEvent): SubmissionEvent | null {
  return payload.kind === "submission" && payload.values.sealed !== undefined ? payload : null;
}
