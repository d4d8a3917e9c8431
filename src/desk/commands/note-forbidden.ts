import { writeAudit } from "../../store/audit.ts";
import type { Tx } from "../../store/db.ts";
import type { DeskDeps } from "../deps.ts";
import type { StaffCall } from "./command.ts";

/** A member of the staff tried what is for admins: that stands in the trail, too. */
export function noteForbidden(
  tx: Tx,
  deps: DeskDeps,
  { tenantId, staff, command }: StaffCall,
): Promise<void> {
  return writeAudit(tx, [
    {
      ...{ tenantId, userId: staff.id, createdAt: deps.clock.now() },
      eventType: "command.refused",
      summary: `/${command.name} was refused`,
      decision: "forbidden",
      refs: { via: command.messenger },
    },
  ]);
}
