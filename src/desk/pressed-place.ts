import type { ClickEvent, SubmissionEvent } from "../domain/inbound.ts";
import { operatorsChat, pressedOn, wasListedInAnswer } from "../store/card-places.ts";
import type { Tx } from "../store/db.ts";

/**
 * Where a decision was pressed. `messageId` left out: a form was sent, whose own button was looked
 * at when it was opened; null: the messenger tells none.
 */
export interface Place
  extends Pick<ClickEvent, "messenger" | "channelId" | "chatId" | "chatKind" | "person"> {
  messageId?: string | null;
}

/** The answer to a form is a message of the person's own, and no card. */
export function placeOfForm(submission: SubmissionEvent): Place {
  const { messenger, channelId, chatId, chatKind, person } = submission;
  return { messenger, channelId, chatId, chatKind, person };
}

/**
 * A button counts on a card or list of this request that we posted, and in a list that answered
 * somebody of the staff: in a chat of the operators or in the person's own chat with us. What a
 * button carries can be sent from anywhere by whoever has seen it once.
 */
export async function countsThere(
  tx: Tx,
  request: { tenantId: string; approvalId: string },
  place: Place,
): Promise<boolean> {
  const chat = await operatorsChat(tx, request.tenantId, place);
  const isOwn = place.chatKind === "private" && isOwnChat(place);
  const { messageId } = place;
  if (messageId === undefined) return chat !== "no" || isOwn || place.messenger === "slack";
  const on = await pressedOn(tx, request, { ...place, messageId });
  if (on === "card") return true;
  if (chat === "moved" || (chat === "yes" && (on === "unsure" || messageId === null))) return true;
  // Slack answers in private in any channel
  const mayBeAnswer = chat !== "no" || isOwn || place.messenger === "slack";
  return mayBeAnswer && (await wasListedInAnswer(tx, request));
}

/** In Telegram a private chat has its person's id; of others a client may claim anything. */
function isOwnChat({ messenger, chatId, person }: Place): boolean {
  return messenger === "slack" || chatId === person.id;
}
