import { and, desc, eq, inArray, ne, or } from "drizzle-orm";
import { EXISTS_ALREADY, UserError } from "../domain/errors.ts";
import { newId } from "../domain/ids.ts";
import type { MessengerName } from "../domain/inbound.ts";
import type { Verified } from "../domain/verified.ts";
import { writeAudit } from "./audit.ts";
import type { Tx } from "./db.ts";
import { macOf, verified, verifiedRows } from "./row-mac.ts";
import { staff, staffIdentities } from "./schema/tenancy.ts";
import { accountName, claimAccounts, holdAccounts, joinsOf, wasAccount } from "./staff-accounts.ts";

/** Admins may all that operators may. */
export type StaffRole = "operator" | "admin";
export type StaffStatus = "active" | "suspended";

interface Person {
  id: string;
  name: string;
  role: StaffRole;
  status: StaffStatus;
}

/** Read by this file: whoever something else than the product has put there is nobody. */
export type StaffMember = Verified<Person>;

/** An account of a messenger by which a person is known. */
export interface StaffIdentity {
  messenger: MessengerName;
  /** Slack workspace; empty: any workspace that the tenant's bot serves, and always in Telegram. */
  teamId: string;
  userId: string;
}

/** Accounts that the product did not write are left out. */
export interface StaffWithIdentities extends Person {
  createdAt: number;
  identities: StaffIdentity[];
}

const member = {
  id: staff.id,
  tenantId: staff.tenantId,
  name: staff.name,
  role: staff.role,
  status: staff.status,
  suspendedAt: staff.suspendedAt,
  suspendedBy: staff.suspendedBy,
  mac: staff.mac,
};

/** Suspended people are found too: the caller says why they may not. */
export async function findStaffByIdentity(
  tx: Tx,
  who: { tenantId: string; messenger: MessengerName; teamId: string; userId: string },
): Promise<StaffMember | null> {
  const rows = await tx
    .select({ person: member, account: staffIdentities })
    .from(staffIdentities)
    .innerJoin(staff, and(eq(staff.tenantId, who.tenantId), eq(staff.id, staffIdentities.staffId)))
    .where(
      and(
        eq(staffIdentities.tenantId, who.tenantId),
        eq(staffIdentities.messenger, who.messenger),
        eq(staffIdentities.userId, who.userId),
        inArray(staffIdentities.teamId, ["", who.teamId]),
      ),
    )
    .orderBy(desc(staffIdentities.teamId)); // the named workspace before any workspace
  return holderOf(tx, rows);
}

type Held = { person: Row; account: typeof staffIdentities.$inferSelect };
type Row = Pick<typeof staff.$inferSelect, keyof typeof member>;

/** Both rows count: the person's, and the one that says whose account it is. */
function holderOf(tx: Tx, rows: readonly Held[]): StaffMember | null {
  const row = rows.find(({ account }) => verified(tx, "staff_identities", account));
  return row ? verified(tx, "staff", row.person) : null;
}

/** Suspended people, too. null: nobody, or somebody that the product did not put there. */
export async function staffById(
  tx: Tx,
  tenantId: string,
  staffId: string,
): Promise<StaffMember | null> {
  const [row] = await tx.select(member).from(staff).where(isMember(tenantId, staffId));
  return row ? verified(tx, "staff", row) : null;
}

/** Oldest first, suspended people among them; whoever became part of another person is not. */
export async function listStaff(tx: Tx, tenantId: string): Promise<StaffWithIdentities[]> {
  const people = await tx
    .select()
    .from(staff)
    .where(eq(staff.tenantId, tenantId))
    .orderBy(staff.createdAt, staff.id);
  const stored = await tx
    .select()
    .from(staffIdentities)
    .where(eq(staffIdentities.tenantId, tenantId))
    .orderBy(staffIdentities.createdAt, staffIdentities.id);
  const accounts = verifiedRows(tx, "staff_identities", stored);
  const joins = await joinsOf(tx, tenantId);
  const standing = verifiedRows(tx, "staff", people).filter(({ id }) => joins.into(id) === id);
  return standing.map(({ id, name, role, status, createdAt }) => ({
    id,
    name,
    role,
    status,
    createdAt,
    identities: accounts
      .filter((account) => account.staffId === id)
      .map(({ messenger, teamId, userId }) => ({ messenger, teamId, userId })),
  }));
}

/** Active people who may decide; admins may whatever the role asked for. */
export async function eligibleApprovers(
  tx: Tx,
  tenantId: string,
  role: StaffRole,
): Promise<StaffMember[]> {
  const rows = await tx
    .select(member)
    .from(staff)
    .where(
      and(
        eq(staff.tenantId, tenantId),
        eq(staff.status, "active"),
        or(eq(staff.role, "admin"), eq(staff.role, role)),
      ),
    )
    .orderBy(staff.createdAt, staff.id);
  return verifiedRows(tx, "staff", rows);
}

/** Throws UserError when an account belongs to somebody else. */
export async function createStaff(
  tx: Tx,
  person: {
    tenantId: string;
    name: string;
    role: StaffRole;
    identities: readonly StaffIdentity[];
    now: number;
  },
): Promise<string> {
  const { tenantId, name, role, now } = person;
  const row = { id: newId(), tenantId, name, role, status: "active" as const };
  const { id } = row;
  await tx.insert(staff).values({ ...row, mac: macOf(tx, "staff", row), createdAt: now });
  await addStaffIdentities(tx, { tenantId, staffId: id, identities: person.identities, now });
  return id;
}

/** Whose account it is, in whichever workspace; null: nobody's. */
export async function identityHolder(
  tx: Tx,
  who: Pick<StaffIdentity, "messenger" | "userId"> & { tenantId: string },
): Promise<StaffMember | null> {
  const rows = await tx
    .select({ person: member, account: staffIdentities })
    .from(staffIdentities)
    .innerJoin(staff, and(eq(staff.tenantId, who.tenantId), eq(staff.id, staffIdentities.staffId)))
    .where(
      and(
        eq(staffIdentities.tenantId, who.tenantId),
        eq(staffIdentities.messenger, who.messenger),
        eq(staffIdentities.userId, who.userId),
      ),
    )
    .orderBy(desc(staffIdentities.teamId));
  return holderOf(tx, rows);
}

/**
 * Throws UserError when an account belongs to somebody else, in whichever workspace: one account is
 * one person. Throws the database's unique violation when the person has it already.
 */
export async function addStaffIdentities(
  tx: Tx,
  added: {
    tenantId: string;
    staffId: string;
    identities: readonly StaffIdentity[];
    now: number;
  },
): Promise<void> {
  const { tenantId, staffId, identities, now } = added;
  if (identities.length === 0) return;
  await holdAccounts(tx, tenantId);
  await refuseTaken(tx, added);
  const rows = identities.map((identity) => ({ id: newId(), tenantId, staffId, ...identity }));
  await tx
    .insert(staffIdentities)
    .values(
      rows.map((row) => ({ ...row, mac: macOf(tx, "staff_identities", row), createdAt: now })),
    );
  await claimAccounts(tx, { tenantId, staffId, accounts: identities.map(accountName) });
}

/** Also by a row that something else has written: nobody can tell whose the account is then. */
async function refuseTaken(
  tx: Tx,
  added: { tenantId: string; staffId: string; identities: readonly StaffIdentity[] },
): Promise<void> {
  const accounts = added.identities.map(({ messenger, userId }) =>
    and(eq(staffIdentities.messenger, messenger), eq(staffIdentities.userId, userId)),
  );
  const [taken] = await tx
    .select({ id: staffIdentities.id })
    .from(staffIdentities)
    .where(
      and(
        eq(staffIdentities.tenantId, added.tenantId),
        ne(staffIdentities.staffId, added.staffId),
        or(...accounts),
      ),
    )
    .limit(1);
  if (taken) throw new UserError("conflict", EXISTS_ALREADY);
}

/** All accounts of one person are another's from now on. */
export async function moveIdentities(
  tx: Tx,
  { tenantId, from, into }: { tenantId: string; from: string; into: string },
): Promise<void> {
  await holdAccounts(tx, tenantId);
  const rows = await tx
    .select()
    .from(staffIdentities)
    .where(and(eq(staffIdentities.tenantId, tenantId), eq(staffIdentities.staffId, from)));
  for (const row of verifiedRows(tx, "staff_identities", rows))
    await tx
      .update(staffIdentities)
      .set({ staffId: into, mac: macOf(tx, "staff_identities", { ...row, staffId: into }) })
      .where(and(eq(staffIdentities.tenantId, tenantId), eq(staffIdentities.id, row.id)));
}

/** Ids from the environment: never restores, raises or un-suspends anybody the tenant has had. */
export async function ensureStaffIdentity(
  tx: Tx,
  person: {
    tenantId: string;
    messenger: MessengerName;
    userId: string;
    role: StaffRole;
    now: number;
  },
): Promise<void> {
  const { tenantId, messenger, userId, role, now } = person;
  const [known] = await tx
    .select({ id: staffIdentities.id })
    .from(staffIdentities)
    .where(
      and(
        eq(staffIdentities.tenantId, tenantId),
        eq(staffIdentities.messenger, messenger),
        eq(staffIdentities.userId, userId),
      ),
    )
    .limit(1);
  const identity = { messenger, teamId: "", userId };
  if (known || (await wasAccount(tx, tenantId, accountName(identity)))) return;
  const identities = [identity];
  const name = `${messenger} ${userId}`;
  const staffId = await createStaff(tx, { tenantId, name, role, identities, now });
  await writeAudit(tx, [
    {
      ...{ tenantId, userId: "environment", createdAt: now, refs: { staffId } },
      eventType: "staff.created",
      summary: `${role} with 1 accounts`,
    },
  ]);
}

/**
 * Changes what is given. People are suspended and not deleted: votes name them, and an id
 * in the environment must not bring them back.
 */
export async function updateStaff(
  tx: Tx,
  who: { tenantId: string; staffId: string },
  change: {
    name?: string;
    role?: StaffRole;
    status?: StaffStatus;
    suspendedAt?: number | null;
    suspendedBy?: string | null;
  },
): Promise<boolean> {
  const [row] = await tx
    .select()
    .from(staff)
    .where(isMember(who.tenantId, who.staffId))
    .for("update");
  if (!row || !verified(tx, "staff", row)) return false;
  const mac = macOf(tx, "staff", { ...row, ...change });
  await tx
    .update(staff)
    .set({ ...change, mac })
    .where(isMember(who.tenantId, who.staffId));
  return true;
}

/** Locked: of two changes at once that each leave one admin, the second sees the first. */
export async function lockActiveAdmins(tx: Tx, tenantId: string): Promise<string[]> {
  const rows = await tx
    .select(member)
    .from(staff)
    .where(and(eq(staff.tenantId, tenantId), eq(staff.status, "active"), eq(staff.role, "admin")))
    .orderBy(staff.id)
    .for("update");
  return verifiedRows(tx, "staff", rows).map(({ id }) => id);
}

function isMember(tenantId: string, staffId: string) {
  return and(eq(staff.tenantId, tenantId), eq(staff.id, staffId));
}
