import type { ReactionEvent } from "../../domain/inbound.ts";
import type { MessageReactionUpdated, ReactionType } from "./api-types.ts";
import { originOf } from "./origin.ts";

/**
 * What a person added and took away: an update carries the whole lists of before and after. null
 * for an anonymous administrator, who has no name, and for emoji that only some people can set.
 */
export function parseReaction(
  change: MessageReactionUpdated,
  updateId: number,
  channelId: string,
): ReactionEvent | null {
  const { chat, user, message_id: messageId, date } = change;
  if (!chat || !user) return null;
  const before = emojiOf(change.old_reaction);
  const after = emojiOf(change.new_reaction);
  const added = after.filter((emoji) => !before.includes(emoji));
  const removed = before.filter((emoji) => !after.includes(emoji));
  if (added.length === 0 && removed.length === 0) return null;
  return {
    ...originOf(chat, user, channelId),
    kind: "reaction",
    eventKey: `reaction:${chat.id}:${messageId}:${updateId}`,
    threadId: null,
    sentAt: date * 1000,
    messageId: String(messageId),
    added,
    removed,
  };
}

function emojiOf(reactions: readonly ReactionType[]): string[] {
  return reactions.flatMap((reaction) => (reaction.type === "emoji" ? [reaction.emoji] : []));
}
