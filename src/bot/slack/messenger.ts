import type { types, webApi } from "@slack/bolt";
import type { Card, Delivery, DeliveryResult, Messenger } from "../../domain/messenger.ts";
import { isVisible } from "../plain-line.ts";
import { splitText } from "../split-text.ts";
import { toDeliveryResult } from "./delivery-error.ts";
import { escapedCost, escapeSlack } from "./escape.ts";
import { lookUpMessage, metadataOf } from "./look-up.ts";
import { renderCard, TEXT_LIMIT } from "./render-card.ts";

interface Part {
  text: string;
  blocks?: types.KnownBlock[];
}

/** The sending side of a Slack app. The client must not retry by itself. */
export function createSlackMessenger(options: {
  client: webApi.WebClient;
  channelId: string;
}): Messenger {
  const { client, channelId } = options;
  return {
    name: "slack",
    channelId,
    deliver(delivery, signal) {
      if (delivery.content.kind === "card_edit")
        return editCard(client, delivery, delivery.content);
      return sendParts(client, delivery, signal);
    },
    lookUp: (query) => lookUpMessage(client, query),
    async showTyping() {
      // Slack has no such sign for apps in ordinary conversations
    },
  };
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
    const sent = await sendOne(client, delivery, { ...part, index });
    if (typeof sent !== "string") return sent;
    await delivery.onPart(sent, index === parts.length - 1);
  }
  return { kind: "sent" };
}

/** The message's ts, or why there is none. */
async function sendOne(
  client: webApi.WebClient,
  { chatId, threadId, outboxId }: Delivery,
  part: Part & { index: number },
): Promise<string | DeliveryResult> {
  try {
    const { ts } = await client.chat.postMessage({
      channel: chatId,
      text: part.text,
      ...(part.blocks ? { blocks: part.blocks } : {}),
      ...(threadId === null ? {} : { thread_ts: threadId }),
      mrkdwn: false,
      unfurl_links: false,
      unfurl_media: false,
      metadata: metadataOf(outboxId, part.index),
    });
    return ts ?? { kind: "uncertain", error: "Slack answered without the message's ts" };
  } catch (error) {
    return toDeliveryResult(error);
  }
}

function partsOf({ content }: Delivery): Part[] {
  if (content.kind === "card") return [renderCard(content.card)];
  if (content.kind === "card_edit" || !isVisible(content.text)) return [];
  const { link, text } = content;
  const whole = link && !text.includes(link) ? `${text}\n\n${link}` : text;
  return splitText(whole, TEXT_LIMIT, escapedCost).map((part) => ({ text: escapeSlack(part) }));
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
