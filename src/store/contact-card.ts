import { and, desc, eq, inArray } from "drizzle-orm";
import type { Tx } from "./db.ts";
import type { ContactRef } from "./kyc.ts";
import { contactAttributes, contacts } from "./schema/chat.ts";
import { exchangeOrders } from "./schema/exchange.ts";

export interface CardField {
  name: string;
  value: string;
  /** Staff id of the approver, contact id, or `setup`. */
  updatedBy: string;
  updatedAt: number;
}

/** What is known of a contact. The e-mail address also stands among the fields, with who set it. */
export interface ContactCard {
  id: string;
  name: string;
  email: string | null;
  emailVerifiedAt: number | null;
  fields: CardField[];
}

/** null: there is no such contact. `lock`: what is decided on it holds until the transaction ends. */
export async function contactCard(
  tx: Tx,
  which: ContactRef,
  { lock = false } = {},
): Promise<ContactCard | null> {
  const query = tx
    .select({
      id: contacts.id,
      name: contacts.name,
      email: contacts.email,
      emailVerifiedAt: contacts.emailVerifiedAt,
    })
    .from(contacts)
    .where(ofContact(which));
  const [contact] = await (lock ? query.for("update") : query);
  if (!contact) return null;
  const fields = await tx
    .select({
      name: contactAttributes.name,
      value: contactAttributes.value,
      updatedBy: contactAttributes.updatedBy,
      updatedAt: contactAttributes.updatedAt,
    })
    .from(contactAttributes)
    .where(fieldsOf(which))
    .orderBy(contactAttributes.name);
  return { ...contact, fields };
}

export interface FieldChange extends ContactRef {
  name: string;
  /** null takes the field away. */
  value: string | null;
  by: string;
  now: number;
}

/** Writes one field of the card. The e-mail address has a function of its own. */
export async function setContactField(tx: Tx, change: FieldChange): Promise<void> {
  const { tenantId, contactId, name, value, by, now } = change;
  if (value === null) {
    await tx
      .delete(contactAttributes)
      .where(and(fieldsOf(change), eq(contactAttributes.name, name)));
    return;
  }
  const changed = { value, updatedBy: by, updatedAt: now };
  await tx
    .insert(contactAttributes)
    .values({ tenantId, contactId, name, ...changed })
    .onConflictDoUpdate({
      target: [contactAttributes.tenantId, contactAttributes.contactId, contactAttributes.name],
      set: changed,
    });
}

/** The address, and whether it is known to be the contact's own: mail to it may be proposed. */
export async function setContactEmail(
  tx: Tx,
  change: Omit<FieldChange, "name"> & { isVerified: boolean },
): Promise<void> {
  const { value, isVerified, now } = change;
  const emailVerifiedAt = value !== null && isVerified ? now : null;
  await tx.update(contacts).set({ email: value, emailVerifiedAt }).where(ofContact(change));
  await setContactField(tx, { ...change, name: "email" });
}

const OPEN = ["quote", "awaiting_payment", "paid", "payout"] as const;

/** The contact's deals that have not ended, newest first; without sums. */
export async function openOrdersOfContact(
  tx: Tx,
  which: ContactRef,
): Promise<{ number: number; status: string }[]> {
  return tx
    .select({ number: exchangeOrders.number, status: exchangeOrders.status })
    .from(exchangeOrders)
    .where(
      and(
        eq(exchangeOrders.tenantId, which.tenantId),
        eq(exchangeOrders.contactId, which.contactId),
        inArray(exchangeOrders.status, [...OPEN]),
      ),
    )
    .orderBy(desc(exchangeOrders.number))
    .limit(10);
}

function ofContact(which: ContactRef) {
  return and(eq(contacts.tenantId, which.tenantId), eq(contacts.id, which.contactId));
}

function fieldsOf(which: ContactRef) {
  return and(
    eq(contactAttributes.tenantId, which.tenantId),
    eq(contactAttributes.contactId, which.contactId),
  );
}
