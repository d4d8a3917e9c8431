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
  const { messenger, chatKind, chatId, person } = event;
  if (messenger !== "telegram" || chatKind !== "group" || event.kind === "click") return false;
  const known = await listDestinations(tx, tenantId);
  if (known.some((place) => place.messenger === messenger && place.chatId === chatId)) return false;
  const who = { tenantId, messenger, teamId: person.teamId, userId: person.id };
  const staff = person.isBot ? null : await findStaffByIdentity(tx, who);
  return staff?.status !== "active";
}
