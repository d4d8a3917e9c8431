import type { Api } from "grammy";
import type { Delivery, DeliveryResult, Messenger } from "../../domain/messenger.ts";
import { isVisible, plainLine, plainText } from "../plain-line.ts";
import { splitText } from "../split-text.ts";
import type { CallSignal } from "./call-signal.ts";
import { chatFacts, deleteMessage } from "./chat-duties.ts";
import { toChatId } from "./chat-id.ts";
import {
  isMarkupRefused,
  isNotModified,
  isTopicRefused,
  toDeliveryResult,
} from "./delivery-error.ts";
import { downloadFile } from "./download.ts";
import { type CardPart, MESSAGE_LIMIT, type RenderedCard, renderCard } from "./render-card.ts";
import { sendCopies, sendUploads } from "./send-files.ts";

type SendOptions = NonNullable<Parameters<Api["sendMessage"]>[2]>;

interface Part {
  text: string;
  /** Sent without markup when Telegram refuses the markup. */
  plain?: string;
  options: SendOptions;
}

/** The sending side of a Telegram bot. The client must not retry by itself. */
export function createTelegramMessenger(options: { api: Api; channelId: string }): Messenger {
  const { api, channelId } = options;
  return {
    name: "telegram",
    channelId,
    canCopy: true,
    async deliver(delivery, abort) {
      try {
        return await deliver(api, delivery, abort);
      } catch (error) {
        // cannot be written in Telegram's format: nothing was sent
        if (error instanceof RangeError) return { kind: "refused", error: error.message };
        throw error;
      }
    },
    download: (media, signal) => downloadFile(api, media, signal),
    chatFacts: (chatId) => chatFacts(api, chatId),
    deleteMessage: (message) => deleteMessage(api, message),
    async showTyping(chatId) {
      await api.sendChatAction(toChatId(chatId), "typing").catch(() => undefined);
    },
  };
}

async function deliver(api: Api, delivery: Delivery, abort: AbortSignal): Promise<DeliveryResult> {
  const signal = abort as unknown as CallSignal; // see CallSignal
  const { content } = delivery;
  switch (content.kind) {
    case "text":
    case "card":
      return sendParts(api, delivery, signal);
    case "card_edit":
      return editCard(api, delivery, { ...content, signal });
    case "thread":
      return openTopic(api, delivery, { title: content.title, signal });
    case "copies":
      return sendCopies(api, delivery, content, signal);
    case "uploads":
      return sendUploads(api, delivery, content, abort);
    default:
      return content satisfies never;
  }
}

const TOPIC_NAME_LIMIT = 128;

/** Without a forum, or the right to open topics, what is meant for one goes to the group itself. */
async function openTopic(
  api: Api,
  delivery: Delivery,
  { title, signal }: { title: string; signal: CallSignal },
): Promise<DeliveryResult> {
  try {
    const name = plainLine(title, TOPIC_NAME_LIMIT) || "—";
    const topic = await api.createForumTopic(toChatId(delivery.chatId), name, {}, signal);
    await delivery.onPart(String(topic.message_thread_id), true);
    return { kind: "sent" };
  } catch (error) {
    if (isTopicRefused(error)) return { kind: "no_threads", error: "no topics in this chat" };
    return toDeliveryResult(error, delivery.chatId);
  }
}

async function sendParts(
  api: Api,
  delivery: Delivery,
  signal: CallSignal,
): Promise<DeliveryResult> {
  const parts = partsOf(delivery);
  if (parts.length === 0) return { kind: "refused", error: "there is nothing visible to send" };
  for (const [index, part] of parts.entries()) {
    if (index < delivery.sentParts.length) continue;
    const sent = await sendOne(api, delivery, { part, signal });
    if (typeof sent !== "string") return sent;
    await delivery.onPart(sent, index === parts.length - 1);
  }
  return { kind: "sent" };
}

/** The message's id, or why there is none. */
async function sendOne(
  api: Api,
  delivery: Delivery,
  { part, signal }: { part: Part; signal: CallSignal },
): Promise<string | DeliveryResult> {
  const chatId = toChatId(delivery.chatId);
  const options = { ...threadOption(delivery.threadId), ...part.options };
  try {
    const message = await api.sendMessage(chatId, part.text, options, signal);
    return String(message.message_id);
  } catch (error) {
    if (part.plain === undefined || !isMarkupRefused(error))
      return toDeliveryResult(error, delivery.chatId);
    const { parse_mode: _markup, ...bare } = options;
    return sendOne(api, delivery, { part: { text: part.plain, options: bare }, signal });
  }
}

function partsOf({ content }: Delivery): Part[] {
  if (content.kind === "card") return cardParts(renderCard(content.card));
  if (content.kind !== "text" || !isVisible(content.text)) return [];
  const { link, quiet } = content;
  const text = quiet ? quietText(content.text) : content.text;
  const whole = link && !text.includes(link) ? `${text}\n\n${link}` : text;
  const options: SendOptions = {
    link_preview_options: link ? { url: link } : { is_disabled: true },
    ...(content.protect ? { protect_content: true } : {}),
    ...(quiet ? { disable_notification: true } : {}),
  };
  return splitText(whole, MESSAGE_LIMIT).map((part) => ({ text: part, options }));
}

/** No mention, command or hashtag: Telegram makes them of plain text, and people get pinged. */
function quietText(text: string): string {
  const wordJoiner = "\u2060";
  return plainText(text).replace(
    /(?<![\p{L}\p{N}_/:.])[@/#](?=[\p{L}\p{N}_])/gu,
    `$&${wordJoiner}`,
  );
}

function cardParts({ parts, keyboard }: RenderedCard): Part[] {
  return parts.map((part, index) => ({
    text: part.html,
    plain: part.plain,
    options: {
      parse_mode: "HTML",
      link_preview_options: { is_disabled: true },
      ...(index === parts.length - 1 ? { reply_markup: keyboard } : {}),
    },
  }));
}

/** Edits the message with the buttons; an edit made twice is the same, so it may be repeated. */
async function editCard(
  api: Api,
  delivery: Delivery,
  edit: { card: Parameters<typeof renderCard>[0]; externalId: string; signal: CallSignal },
): Promise<DeliveryResult> {
  const { parts, keyboard } = renderCard(edit.card);
  const last = parts.at(-1) ?? { html: "", plain: "" };
  const call = (text: string, parse_mode?: "HTML") =>
    api.editMessageText(
      toChatId(delivery.chatId),
      Number(edit.externalId),
      text,
      {
        ...(parse_mode ? { parse_mode } : {}),
        link_preview_options: { is_disabled: true },
        reply_markup: keyboard,
      },
      edit.signal,
    );
  try {
    await editOnce(call, last);
    return { kind: "sent" };
  } catch (error) {
    if (isNotModified(error)) return { kind: "sent" };
    const result = toDeliveryResult(error, delivery.chatId);
    return result.kind === "uncertain" ? { ...result, kind: "retry", afterMs: 1000 } : result;
  }
}

async function editOnce(
  call: (text: string, mode?: "HTML") => Promise<unknown>,
  part: CardPart,
): Promise<void> {
  try {
    await call(part.html, "HTML");
  } catch (error) {
    if (!isMarkupRefused(error)) throw error;
    await call(part.plain);
  }
}

function threadOption(threadId: string | null): Pick<SendOptions, "message_thread_id"> {
  return threadId === null ? {} : { message_thread_id: Number(threadId) };
}
