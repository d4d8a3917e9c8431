import { and, eq, sql } from "drizzle-orm";
import type { Tx } from "./db.ts";
import { contactIdentities } from "./schema/chat.ts";
import { staffIdentities } from "./schema/tenancy.ts";

/** Is the request from this staff member, also when it came from the account as a client? */
export async function isOwnRequest(
  tx: Tx,
  query: { tenantId: string; staffId: string; maker: string },
): Promise<boolean> {
  if (query.maker === query.staffId) return true;
  const rows = await tx
    .select({ id: contactIdentities.id })
    .from(contactIdentities)
    .innerJoin(
      staffIdentities,
      and(
        eq(staffIdentities.tenantId, contactIdentities.tenantId),
        eq(staffIdentities.messenger, contactIdentities.messenger),
        eq(staffIdentities.userId, contactIdentities.userId),
        sql`(${staffIdentities.teamId} = '' or ${staffIdentities.teamId} = ${contactIdentities.teamId})`,
      ),
    )
    .where(
      and(
        eq(contactIdentities.tenantId, query.tenantId),
        eq(contactIdentities.contactId, query.maker),
        eq(staffIdentities.staffId, query.staffId),
      ),
    )
    .limit(1);
  return rows.length > 0;
}
