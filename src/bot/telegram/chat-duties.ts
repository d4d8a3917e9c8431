import type { Api } from "grammy";
import type { ChatFacts } from "../../domain/chat-facts.ts";
import type { CallSignal } from "./call-signal.ts";
import { toChatId } from "./chat-id.ts";

/** A person waits for what comes of it. */
const CALL_LIMIT_MS = 3_000;

/** What Telegram says of a chat and of our rights in it. */
export async function chatFacts(api: Api, chatId: string): Promise<ChatFacts> {
  const signal = limit();
  try {
    const chat = await api.getChat(toChatId(chatId), signal);
    const { id } = await api.getMe(signal);
    const member = await api.getChatMember(toChatId(chatId), id, signal);
    const isAdmin = member.status === "administrator" || member.status === "creator";
    const rights = member.status === "administrator" ? member : undefined;
    const isOwner = member.status === "creator";
    return {
      kind: "known",
      isMember: mayWrite(member),
      isForum: chat.type === "supergroup" && chat.is_forum === true,
      isAdmin,
      mayManageTopics: isOwner || rights?.can_manage_topics === true,
      mayDeleteMessages: isOwner || rights?.can_delete_messages === true,
    };
  } catch {
    return { kind: "unreachable" };
  }
}

/** False: it stands there still, for want of the right or of an answer. */
export async function deleteMessage(
  api: Api,
  { chatId, messageId }: { chatId: string; messageId: string },
): Promise<boolean> {
  try {
    return await api.deleteMessage(toChatId(chatId), Number(messageId), limit());
  } catch (error) {
    return isGone(error);
  }
}

function mayWrite(member: { status: string; can_send_messages?: boolean }): boolean {
  if (member.status === "restricted") return member.can_send_messages === true;
  return ["member", "administrator", "creator"].includes(member.status);
}

/** Deleted by an earlier try, or by the person. */
function isGone(error: unknown): boolean {
  return error instanceof Error && /message to delete not found/i.test(error.message);
}

function limit(): CallSignal {
  return AbortSignal.timeout(CALL_LIMIT_MS) as unknown as CallSignal; // see CallSignal
}
