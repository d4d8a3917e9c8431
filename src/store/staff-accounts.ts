import type { MessengerName } from "../domain/inbound.ts";
import type { Tx } from "./db.ts";
import { lockRowList, putRowList, rowListOf } from "./row-list.ts";

const TABLE = "staff_identities";

/** As the signed list of accounts names one. */
export function accountName(account: {
  messenger: MessengerName;
  teamId: string;
  userId: string;
}): string {
  return [account.messenger, account.teamId, account.userId].join("/");
}

/** Accounts are never unlisted: the list remembers those whose row somebody deletes. */
export async function claimAccounts(
  tx: Tx,
  claim: { tenantId: string; staffId: string; accounts: readonly string[] },
): Promise<void> {
  const ref = { tenantId: claim.tenantId, tableName: TABLE } as const;
  const list = await lockRowList(tx, ref);
  if (!list) throw new Error(CHANGED);
  const claimed = claim.accounts.map((account) => [account, claim.staffId]);
  await putRowList(tx, ref, { ...list.rows, ...Object.fromEntries(claimed) });
}

/** Holds the accounts of a tenant until the transaction ends: claims come one after another. */
export async function holdAccounts(tx: Tx, tenantId: string): Promise<void> {
  await lockRowList(tx, { tenantId, tableName: TABLE });
}

/** Who became whom, by staff ids. Somebody who was joined with nobody is only himself. */
export interface Joins {
  into(staffId: string): string;
  /** The person's own id first. */
  of(staffId: string): string[];
}

/** Stands in the same signed list; no messenger is called so. */
const JOINED = "joined//";

export function joinsIn(rows: Readonly<Record<string, string>>): Joins {
  const joins = Object.entries(rows).filter(([name]) => name.startsWith(JOINED));
  return {
    into: (staffId) => rows[JOINED + staffId] ?? staffId,
    of: (staffId) => [
      staffId,
      ...joins.flatMap(([name, into]) => (into === staffId ? name.slice(JOINED.length) : [])),
    ],
  };
}

/** Had the person an account at any time? Whoever was joined into another is named, too. */
export function isListedStaff(rows: Readonly<Record<string, string>>, staffId: string): boolean {
  return Object.hasOwn(rows, JOINED + staffId) || Object.values(rows).includes(staffId);
}

/** Of a list that the product did not write nothing is believed. */
export async function joinsOf(tx: Tx, tenantId: string): Promise<Joins> {
  const list = await rowListOf(tx, { tenantId, tableName: TABLE });
  return joinsIn(list?.rows ?? {});
}

/** Whoever was joined into the one before is joined into the other now. */
export async function noteJoin(
  tx: Tx,
  { tenantId, from, into }: { tenantId: string; from: string; into: string },
): Promise<void> {
  const ref = { tenantId, tableName: TABLE } as const;
  const list = await lockRowList(tx, ref);
  if (!list) throw new Error(CHANGED);
  const moved = Object.entries(list.rows).map(([name, id]) => [name, id === from ? into : id]);
  await putRowList(tx, ref, { ...Object.fromEntries(moved), [JOINED + from]: into });
}

const CHANGED = "the list of the staff's accounts was changed behind our back";

/** Had the tenant somebody with the account? Yes as well when nobody can tell. */
export async function wasAccount(tx: Tx, tenantId: string, account: string): Promise<boolean> {
  const list = await rowListOf(tx, { tenantId, tableName: TABLE });
  return list === null || Object.hasOwn(list.rows, account);
}
