import { writeAudit } from "../../store/audit.ts";
import type { Tx } from "../../store/db.ts";
import type { DeskDeps } from "../deps.ts";
import type { CommandCall } from "./command.ts";

/** A word of the staff's was used; what it changes is told by rows of its own. Never what follows it. */
export function noteUsed(tx: Tx, deps: DeskDeps, call: CommandCall): Promise<void> {
  const { tenantId, staff, command } = call;
  return writeAudit(tx, [
    {
      ...{ tenantId, userId: staff?.id ?? null, createdAt: deps.clock.now() },
      eventType: "command.used",
      summary: `/${command.name}`,
      refs: { via: command.messenger },
    },
  ]);
}

/** Somebody who is no staff tried a command; the word may be anything and is not kept. */
export function noteStranger(tx: Tx, deps: DeskDeps, call: CommandCall): Promise<void> {
  const { tenantId, command } = call;
  const { messenger, person } = command;
  return writeAudit(tx, [
    {
      ...{ tenantId, createdAt: deps.clock.now(), decision: "not_staff" },
      eventType: "command.refused",
      summary: "a command of somebody who is no staff was refused",
      refs: { via: messenger, person: person.id },
    },
  ]);
}
