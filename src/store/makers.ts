import { and, eq, inArray } from "drizzle-orm";
import { UNKNOWN_CONTACT } from "./conversations.ts";
import type { Tx } from "./db.ts";
import { checkedList } from "./row-list.ts";
import { reportForged, verified } from "./row-mac.ts";
import { contactIdentities } from "./schema/chat.ts";
import { rowLists } from "./schema/tenancy.ts";
import { eligibleApprovers, type StaffMember, type StaffRole, staffById } from "./staff.ts";
import { accountName, isListedStaff, joinsIn } from "./staff-accounts.ts";

/** Is the request from this staff member, also when it came from the account as a client? */
export async function isOwnRequest(
  tx: Tx,
  query: { tenantId: string; staffId: string; maker: string },
): Promise<boolean> {
  const { tenantId, staffId, maker } = query;
  return (await ownersOf(tx, { tenantId, makers: [maker] })).has(staffId);
}

/** Staff ids. Everybody's, when nobody can tell whose accounts are whose: then nobody may decide. */
export type Owners = Pick<ReadonlySet<string>, "has">;

const EVERYBODYS: Owners = { has: () => true };

/**
 * Whose request it is. `makers` are contacts and staff members; a contact is whoever has the same
 * account, as the signed list of accounts tells: a row that somebody deleted there frees nobody.
 * Neither does a contact's own account that somebody deleted, moved or put in.
 */
export async function ownersOf(
  tx: Tx,
  { tenantId, makers }: { tenantId: string; makers: readonly string[] },
): Promise<Owners> {
  const named = [...new Set(makers.filter((maker) => maker !== ""))];
  if (named.length === 0) return new Set();
  if (named.includes(UNKNOWN_CONTACT)) return EVERYBODYS;
  const rows = await tx
    .select({ list: rowLists, account: contactIdentities })
    .from(rowLists)
    .leftJoin(
      contactIdentities,
      and(
        eq(contactIdentities.tenantId, rowLists.tenantId),
        inArray(contactIdentities.contactId, named),
      ),
    )
    .where(and(eq(rowLists.tenantId, tenantId), eq(rowLists.tableName, ACCOUNTS)));
  const list = checkedList(tx, { tenantId, tableName: ACCOUNTS }, rows[0]?.list);
  if (!list) return EVERYBODYS;
  const accounts = rows.flatMap(({ account }) => account ?? []);
  if (!accounts.every((account) => verified(tx, "contact_identities", account))) return EVERYBODYS;
  const contactIds = new Set(accounts.map(({ contactId }) => contactId));
  const others = named.filter(
    (maker) => !contactIds.has(maker) && !isListedStaff(list.rows, maker),
  );
  if (!(await areStaff(tx, tenantId, others))) return EVERYBODYS;
  const holders = accounts.flatMap((account) => holdersOf(account, list.rows));
  const joins = joinsIn(list.rows);
  return new Set([...named, ...named.map(joins.into), ...holders]);
}

const ACCOUNTS = "staff_identities";

type Account = typeof contactIdentities.$inferSelect;

/** Of exactly this workspace, and of any. */
function holdersOf(account: Account, staffByAccount: Readonly<Record<string, string>>): string[] {
  const names = [accountName(account), accountName({ ...account, teamId: "" })];
  return names.flatMap((name) => staffByAccount[name] ?? []);
}

/** Of the staff without an account; whoever is not is a contact whose account is gone. */
async function areStaff(tx: Tx, tenantId: string, makers: readonly string[]): Promise<boolean> {
  for (const maker of makers) {
    if (await staffById(tx, tenantId, maker)) continue;
    reportForged(tx, "contact_identities", { tenantId, id: maker });
    return false;
  }
  return true;
}

/** Active people who may decide about a request that these made: none of them. */
export async function eligibleFor(
  tx: Tx,
  query: { tenantId: string; role: StaffRole; makers: readonly string[] },
): Promise<StaffMember[]> {
  const { tenantId, role, makers } = query;
  const [owners, people] = await Promise.all([
    ownersOf(tx, { tenantId, makers }),
    eligibleApprovers(tx, tenantId, role),
  ]);
  return people.filter(({ id }) => !owners.has(id));
}
