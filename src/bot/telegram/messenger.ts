import type { Api } from "grammy";
import type { Delivery, DeliveryResult, Messenger } from "../../domain/messenger.ts";
import { isVisible } from "../plain-line.ts";
import { splitText } from "../split-text.ts";
import { isMarkupRefused, isNotModified, toDeliveryResult } from "./delivery-error.ts";
import { type CardPart, MESSAGE_LIMIT, type RenderedCard, renderCard } from "./render-card.ts";

type SendOptions = NonNullable<Parameters<Api["sendMessage"]>[2]>;
type CallSignal = Parameters<Api["sendMessage"]>[3];

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
    async deliver(delivery, abort) {
      // the same standard object; grammY types it by a polyfill
      const signal = abort as unknown as CallSignal;
      try {
        if (delivery.content.kind === "card_edit")
          return await editCard(api, delivery, { ...delivery.content, signal });
        return await sendParts(api, delivery, signal);
      } catch (error) {
        // cannot be written in Telegram's format: nothing was sent
        if (error instanceof RangeError) return { kind: "refused", error: error.message };
        throw error;
      }
    },
    async showTyping(chatId) {
      await api.sendChatAction(toChatId(chatId), "typing").catch(() => undefined);
    },
  };
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
  if (content.kind === "card_edit" || !isVisible(content.text)) return [];
  const { link, text } = content;
  const whole = link && !text.includes(link) ? `${text}\n\n${link}` : text;
  const options: SendOptions = {
    link_preview_options: link ? { url: link } : { is_disabled: true },
    ...(content.protect ? { protect_content: true } : {}),
  };
  return splitText(whole, MESSAGE_LIMIT).map((part) => ({ text: part, options }));
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

function toChatId(chatId: string): number | string {
  const id = Number(chatId);
  return Number.isSafeInteger(id) ? id : chatId;
}
