import { and, eq } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import type { MessengerName } from "../domain/inbound.ts";
import type { Tx } from "./db.ts";
import { macOf, verified } from "./row-mac.ts";
import { contactIdentities } from "./schema/chat.ts";

/** An account of a messenger by which a client writes. */
export interface ContactAccount {
  tenantId: string;
  messenger: MessengerName;
  /** Slack workspace; empty in Telegram. */
  teamId: string;
  userId: string;
}

/**
 * A statement, issued when it is awaited, so that it keeps its place among others of one packet.
 * Throws the database's unique violation when somebody has the account already.
 */
export function insertAccount(tx: Tx, account: ContactAccount & { contactId: string }) {
  const row = { id: newId(), ...account };
  return tx.insert(contactIdentities).values({ ...row, mac: macOf(tx, "contact_identities", row) });
}

/** null: nobody has it. `forged`: whose it is, nobody knows, and people are told. */
export async function accountHolder(
  tx: Tx,
  { tenantId, messenger, teamId, userId }: ContactAccount,
): Promise<{ contactId: string } | "forged" | null> {
  const [row] = await tx
    .select()
    .from(contactIdentities)
    .where(
      and(
        eq(contactIdentities.tenantId, tenantId),
        eq(contactIdentities.messenger, messenger),
        eq(contactIdentities.teamId, teamId),
        eq(contactIdentities.userId, userId),
      ),
    );
  if (!row) return null;
  return verified(tx, "contact_identities", row) ?? "forged";
}
