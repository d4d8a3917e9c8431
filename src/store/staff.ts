import { and, desc, eq, inArray, or } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import type { MessengerName } from "../domain/inbound.ts";
import type { Tx } from "./db.ts";
import { staff, staffIdentities } from "./schema/tenancy.ts";

export type StaffRole = "operator" | "admin";
export type StaffStatus = "active" | "suspended";

export interface StaffMember {
  id: string;
  name: string;
  role: StaffRole;
  status: StaffStatus;
}

export interface StaffIdentity {
  messenger: MessengerName;
  /** Slack workspace; empty: any workspace that the tenant's bot serves, and always in Telegram. */
  teamId: string;
  userId: string;
}

export interface StaffWithIdentities extends StaffMember {
  createdAt: number;
  identities: StaffIdentity[];
}

const member = { id: staff.id, name: staff.name, role: staff.role, status: staff.status };

/** Suspended people are found too: the caller says why they may not. */
export async function findStaffByIdentity(
  tx: Tx,
  who: { tenantId: string; messenger: MessengerName; teamId: string; userId: string },
): Promise<StaffMember | null> {
  const rows = await tx
    .select(member)
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
    .orderBy(desc(staffIdentities.teamId)) // the named workspace before any workspace
    .limit(1);
  return rows[0] ?? null;
}

export async function staffById(
  tx: Tx,
  tenantId: string,
  staffId: string,
): Promise<StaffMember | null> {
  const rows = await tx.select(member).from(staff).where(isMember(tenantId, staffId));
  return rows[0] ?? null;
}

export async function listStaff(tx: Tx, tenantId: string): Promise<StaffWithIdentities[]> {
  const people = await tx
    .select()
    .from(staff)
    .where(eq(staff.tenantId, tenantId))
    .orderBy(staff.createdAt, staff.id);
  const accounts = await tx
    .select()
    .from(staffIdentities)
    .where(eq(staffIdentities.tenantId, tenantId))
    .orderBy(staffIdentities.createdAt, staffIdentities.id);
  return people.map(({ id, name, role, status, createdAt }) => ({
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
export function eligibleApprovers(
  tx: Tx,
  tenantId: string,
  role: StaffRole,
): Promise<StaffMember[]> {
  return tx
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
}

/** Throws the database's unique violation when an account belongs to somebody already. */
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
  const id = newId();
  await tx.insert(staff).values({ id, tenantId, name, role, status: "active", createdAt: now });
  if (person.identities.length === 0) return id;
  await tx.insert(staffIdentities).values(
    person.identities.map((identity) => ({
      id: newId(),
      tenantId,
      staffId: id,
      ...identity,
      createdAt: now,
    })),
  );
  return id;
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
  if (known) return;
  const identities = [{ messenger, teamId: "", userId }];
  await createStaff(tx, { tenantId, name: `${messenger} ${userId}`, role, identities, now });
}

/**
 * Changes what is given. People are suspended and not deleted: votes name them, and an id
 * in the environment must not bring them back.
 */
export async function updateStaff(
  tx: Tx,
  who: { tenantId: string; staffId: string },
  change: { name?: string; role?: StaffRole; status?: StaffStatus },
): Promise<boolean> {
  const changed = await tx
    .update(staff)
    .set(change)
    .where(isMember(who.tenantId, who.staffId))
    .returning({ id: staff.id });
  return changed.length > 0;
}

/** Locked: of two changes at once that each leave one admin, the second sees the first. */
export async function lockActiveAdmins(tx: Tx, tenantId: string): Promise<string[]> {
  const rows = await tx
    .select({ id: staff.id })
    .from(staff)
    .where(and(eq(staff.tenantId, tenantId), eq(staff.status, "active"), eq(staff.role, "admin")))
    .orderBy(staff.id)
    .for("update");
  return rows.map(({ id }) => id);
}

function isMember(tenantId: string, staffId: string) {
  return and(eq(staff.tenantId, tenantId), eq(staff.id, staffId));
}
