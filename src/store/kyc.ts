import { and, eq } from "drizzle-orm";
import { type KycStatus, kycOf } from "../domain/kyc.ts";
import type { Tx } from "./db.ts";
import { contacts } from "./schema/chat.ts";
import { statement, type ValueAt } from "./statement.ts";

export interface ContactRef {
  tenantId: string;
  contactId: string;
}

export interface ContactKyc {
  name: string;
  status: KycStatus;
  verificationId: string | null;
}

/** null: there is no such contact. */
export async function contactKyc(tx: Tx, which: ContactRef): Promise<ContactKyc | null> {
  const { tenantId, contactId } = which;
  const rows = await nameAndAttributes(tx, { tenantId, contactId });
  const row = rows[0];
  return row ? { name: row.name, ...kycOf(row.attributes) } : null;
}

const nameAndAttributes = statement((on, value: ValueAt<{ tenantId: string; contactId: string }>) =>
  on
    .select({ name: contacts.name, attributes: contacts.attributes })
    .from(contacts)
    .where(and(eq(contacts.tenantId, value("tenantId")), eq(contacts.id, value("contactId")))),
);

/** Documents came and wait for a person. A contact who is verified stays so. */
export async function markKycPending(tx: Tx, which: ContactRef): Promise<void> {
  await changeKyc(tx, which, (status) => (status === "verified" ? null : { status: "pending" }));
}

/** A person said no to what was handed in. An earlier approval is not taken back by it. */
export async function markKycRejected(tx: Tx, which: ContactRef): Promise<void> {
  await changeKyc(tx, which, (status) => (status === "verified" ? null : { status: "rejected" }));
}

/** Whatever stood there before. Locks the contact; throws when there is none. */
export async function setKyc(
  tx: Tx,
  which: ContactRef,
  kyc: { status: "verified" | "rejected"; verificationId: string },
): Promise<void> {
  await changeKyc(tx, which, () => kyc);
}

async function changeKyc(
  tx: Tx,
  which: ContactRef,
  next: (status: KycStatus) => Record<string, string> | null,
): Promise<void> {
  const rows = await tx
    .select({ attributes: contacts.attributes })
    .from(contacts)
    .where(ofContact(which))
    .for("update");
  const row = rows[0];
  if (!row) throw new Error(`contact ${which.contactId} does not exist`);
  const exchangeKyc = next(kycOf(row.attributes).status);
  if (!exchangeKyc) return;
  await tx
    .update(contacts)
    .set({ attributes: { ...row.attributes, exchangeKyc } })
    .where(ofContact(which));
}

function ofContact(which: ContactRef) {
  return and(eq(contacts.tenantId, which.tenantId), eq(contacts.id, which.contactId));
}
