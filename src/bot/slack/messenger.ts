import type { webApi } from "@slack/bolt";
import type { Card, Delivery, DeliveryResult, Messenger } from "../../domain/messenger.ts";
import { isVisible, plainLine, plainText } from "../plain-line.ts";
import { splitText } from "../split-text.ts";
import { chatFacts } from "./chat-facts.ts";
import { toDeliveryResult } from "./delivery-error.ts";
import { downloadFile } from "./download.ts";
import { escapedCost, escapeSlack } from "./escape.ts";
import { lookUpMessage } from "./look-up.ts";
import { type Part, postPart } from "./post-part.ts";
import { renderCard, TEXT_LIMIT } from "./render-card.ts";
import { wordsBlock } from "./rich-text.ts";
import { sendUploads } from "./send-files.ts";

/** The sending side of a Slack app. The client must not retry by itself. */
export function createSlackMessenger(options: {
  client: webApi.WebClient;
  channelId: string;
}): Messenger {
  const { client, channelId } = options;
  return {
    name: "slack",
    channelId,
    deliver: (delivery, signal) => deliver(client, delivery, signal),
    lookUp: (query) => lookUpMessage(client, query),
    download: (media, signal) => downloadFile(client, media, signal),
    chatFacts: (chatId) => chatFacts(client, chatId),
    async showTyping() {
      // Slack has no such sign for apps in ordinary conversations
    },
  };
}

async function deliver(
  client: webApi.WebClient,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const { content } = delivery;
  switch (content.kind) {
    case "text":
    case "card":
    case "thread":
      return sendParts(client, delivery, signal);
    case "card_edit":
      return editCard(client, delivery, content);
    case "uploads":
      return sendUploads(client, delivery, content, signal);
    case "copies":
      return { kind: "refused", error: "Slack does not copy messages" };
    default:
      return content satisfies never;
  }
}

async function sendParts(
  client: webApi.WebClient,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const parts = partsOf(delivery);
  if (parts.length === 0) return { kind: "refused", error: "there is nothing visible to send" };
  for (const [index, part] of parts.entries()) {
    if (index < delivery.sentParts.length) continue;
    if (signal.aborted) return { kind: "retry", afterMs: 0, error: "the process stops" };
    const sent = await postPart(client, delivery, { ...part, index });
    if (typeof sent !== "string") return sent;
    await delivery.onPart(sent, index === parts.length - 1);
  }
  return { kind: "sent" };
}

function partsOf({ content }: Delivery): Omit<Part, "index">[] {
  if (content.kind === "card") return [renderCard(content.card)];
  // the first message of a thread is the thread
  if (content.kind === "thread") return [shown(plainLine(content.title) || "—", false)];
  if (content.kind !== "text" || !isVisible(content.text)) return [];
  const { link, quiet } = content;
  const text = quiet ? plainText(content.text) : content.text;
  const whole = link && !text.includes(link) ? `${text}\n\n${link}` : text;
  return splitText(whole, TEXT_LIMIT, escapedCost).map((part) => shown(part, !quiet));
}

/** The text is what notifications say. */
function shown(text: string, links: boolean): Omit<Part, "index"> {
  return { text: escapeSlack(text), blocks: [wordsBlock(text, { links })] };
}

/** An edit made twice is the same, so it may be repeated whatever happened to the answer. */
async function editCard(
  client: webApi.WebClient,
  { chatId }: Delivery,
  { card, externalId }: { card: Card; externalId: string },
): Promise<DeliveryResult> {
  const { blocks, text } = renderCard(card);
  try {
    await client.chat.update({ channel: chatId, ts: externalId, text, blocks });
    return { kind: "sent" };
  } catch (error) {
    const result = toDeliveryResult(error);
    return result.kind === "uncertain" ? { ...result, kind: "retry", afterMs: 1000 } : result;
  }
}
