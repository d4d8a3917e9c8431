import type { AnsweredEvent } from "../domain/inbound.ts";
import type { Tx } from "../store/db.ts";
import { listDestinations } from "../store/destinations.ts";
import { findStaffByIdentity } from "../store/staff.ts";

/**
 * In a group that serves this desk for nothing, strangers are not answered. Telegram has no private
 * answer to a text: it would stand there for all to see; clicks, and Slack, answer in private.
 */
export async function staysSilent(
  tx: Tx,
  tenantId: string,
  event: AnsweredEvent,
): Promise<boolean> {
  const { messenger, person } = event;
  if (event.kind === "click" || !(await isReadByOthers(tx, tenantId, event))) return false;
  const who = { tenantId, messenger, teamId: person.teamId, userId: person.id };
  const staff = person.isBot ? null : await findStaffByIdentity(tx, who);
  return staff?.status !== "active";
}

/** Does the answer stand in a group that serves this desk for nothing, for everybody there to read? */
export async function isReadByOthers(
  tx: Tx,
  tenantId: string,
  { messenger, chatKind, chatId }: Pick<AnsweredEvent, "messenger" | "chatKind" | "chatId">,
): Promise<boolean> {
  if (messenger !== "telegram" || chatKind !== "group") return false;
  const known = await listDestinations(tx, tenantId);
  return !known.some((place) => place.messenger === messenger && place.chatId === chatId);
}
