import type { types, webApi } from "@slack/bolt";
import type { Delivery, DeliveryResult } from "../../domain/messenger.ts";
import { isThreadGone, toDeliveryResult } from "./delivery-error.ts";
import { metadataOf } from "./look-up.ts";

/** One message: texts are escaped already. */
export interface Part {
  text: string;
  blocks?: types.KnownBlock[];
  index: number;
}

/** The message's ts, or why there is none. */
export async function postPart(
  client: webApi.WebClient,
  { chatId, threadId, outboxId }: Delivery,
  { text, blocks, index }: Part,
): Promise<string | DeliveryResult> {
  try {
    const { ts, message } = await client.chat.postMessage({
      channel: chatId,
      text,
      ...(blocks ? { blocks } : {}),
      ...(threadId === null ? {} : { thread_ts: threadId }),
      mrkdwn: false,
      unfurl_links: false,
      unfurl_media: false,
      metadata: metadataOf(outboxId, index),
    });
    if (!ts) return { kind: "uncertain", error: "Slack answered without the message's ts" };
    if (threadId === null || message?.thread_ts === threadId) return ts;
    await client.chat.delete({ channel: chatId, ts }).catch(() => undefined);
    return { kind: "thread_gone", error: "the thread's first message was deleted" };
  } catch (error) {
    if (threadId !== null && isThreadGone(error))
      return { kind: "thread_gone", error: "the thread's first message was deleted" };
    return toDeliveryResult(error);
  }
}
