import { lockPerson } from "../store/approvals.ts";
import type { Tx } from "../store/db.ts";
import { type StaffMember, staffById } from "../store/staff.ts";

/**
 * The person as they are now, until the transaction ends: a suspension waits for it, or was before it
 * and is seen. Comes before the lock of any request. null: nobody that we know.
 */
export async function freshStaff(
  tx: Tx,
  tenantId: string,
  staff: StaffMember | null,
): Promise<StaffMember | null> {
  if (!staff) return null;
  await lockPerson(tx, tenantId, staff.id);
  return staffById(tx, tenantId, staff.id);
}
