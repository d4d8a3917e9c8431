import { and, eq } from "drizzle-orm";
import type { CommandEvent } from "../domain/inbound.ts";
import type { Tx } from "./db.ts";
import { inbox } from "./schema/chat.ts";

/** A messenger says "edited" also when only a link's preview changed: the command is as it was. */
export async function isUnchangedCommand(
  tx: Tx,
  tenantId: string,
  { channelId, name, args, editOf }: CommandEvent,
): Promise<boolean> {
  if (editOf === undefined) return false;
  const [before] = await tx
    .select({ payload: inbox.payload })
    .from(inbox)
    .where(
      and(eq(inbox.tenantId, tenantId), eq(inbox.channelId, channelId), eq(inbox.eventKey, editOf)),
    );
  const event = before?.payload;
  return event?.kind === "command" && event.name === name && event.args === args;
}
