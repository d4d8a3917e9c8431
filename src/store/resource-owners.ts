import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Tx } from "./db.ts";
import { approvalQueue } from "./schema/approvals.ts";
import { contacts, conversations, messages, tasks } from "./schema/chat.ts";
import { exchangeOrders, exchangeQuotes } from "./schema/exchange.ts";

/** Things that arguments may name and that belong to one client. */
export type ResourceKind =
  | "contact"
  | "conversation"
  | "email"
  | "message"
  | "order"
  | "quote"
  | "task"
  | "approval";

/** `foreign`: it is another contact's. What another tenant has cannot be seen: `missing`. */
export type Ownership = "own" | "foreign" | "missing";

/** Whose the named thing is, seen by a contact of a tenant. Nothing of the thing itself is told. */
export async function ownershipOf(
  tx: Tx,
  by: { tenantId: string; contactId: string },
  ref: { kind: ResourceKind; id: string },
): Promise<Ownership> {
  const owners = await ownersOf(tx, by.tenantId, ref);
  if (owners.length === 0) return "missing";
  return owners.includes(by.contactId) ? "own" : "foreign";
}

/** Contact ids; an internal id or the name that people say (`EX-20418`, `T-5`, `A-17`) finds them. */
async function ownersOf(
  tx: Tx,
  tenantId: string,
  { kind, id }: { kind: ResourceKind; id: string },
): Promise<string[]> {
  switch (kind) {
    case "contact":
      return contactsWhere(tx, tenantId, eq(contacts.id, id));
    case "email":
      return contactsWhere(tx, tenantId, eq(sql`lower(${contacts.email})`, id.toLowerCase()));
    case "conversation":
      return conversationsWhere(tx, tenantId, eq(conversations.id, id));
    case "message":
      return messageOwners(tx, tenantId, id);
    case "approval":
      return approvalOwners(tx, tenantId, id);
    case "order":
      return numberedOwners(tx, exchangeOrders, { tenantId, id, prefix: "EX" });
    case "quote":
      return numberedOwners(tx, exchangeQuotes, { tenantId, id, prefix: "Q" });
    case "task":
      return numberedOwners(tx, tasks, { tenantId, id, prefix: "T" });
    default:
      return kind satisfies never;
  }
}

async function contactsWhere(tx: Tx, tenantId: string, which: SQL): Promise<string[]> {
  const rows = await tx
    .select({ owner: contacts.id })
    .from(contacts)
    .where(and(eq(contacts.tenantId, tenantId), which));
  return rows.map(({ owner }) => owner);
}

async function conversationsWhere(tx: Tx, tenantId: string, which: SQL): Promise<string[]> {
  const rows = await tx
    .select({ owner: conversations.contactId })
    .from(conversations)
    .where(and(eq(conversations.tenantId, tenantId), which));
  return rows.map(({ owner }) => owner);
}

async function messageOwners(tx: Tx, tenantId: string, id: string): Promise<string[]> {
  const rows = await tx
    .select({ owner: conversations.contactId })
    .from(messages)
    .innerJoin(conversations, eq(conversations.id, messages.conversationId))
    .where(and(eq(messages.tenantId, tenantId), eq(messages.id, id)));
  return rows.map(({ owner }) => owner);
}

async function approvalOwners(tx: Tx, tenantId: string, id: string): Promise<string[]> {
  const rows = await tx
    .select({ owner: conversations.contactId })
    .from(approvalQueue)
    .innerJoin(conversations, eq(conversations.id, approvalQueue.conversationId))
    .where(and(eq(approvalQueue.tenantId, tenantId), numbered(approvalQueue, { id, prefix: "A" })));
  return rows.map(({ owner }) => owner);
}

async function numberedOwners(
  tx: Tx,
  table: typeof exchangeOrders | typeof exchangeQuotes | typeof tasks,
  ref: { tenantId: string; id: string; prefix: string },
): Promise<string[]> {
  const rows = await tx
    .select({ owner: table.contactId })
    .from(table)
    .where(and(eq(table.tenantId, ref.tenantId), numbered(table, ref)));
  return rows.map(({ owner }) => owner);
}

/** Nine digits: what is longer is no number of ours, and would not fit the column. */
function numbered(
  table: typeof exchangeOrders | typeof exchangeQuotes | typeof tasks | typeof approvalQueue,
  { id, prefix }: { id: string; prefix: string },
): SQL {
  const number = new RegExp(`^${prefix}-(\\d{1,9})$`, "i").exec(id)?.[1];
  return number === undefined ? eq(table.id, id) : eq(table.number, Number(number));
}
