import type { webApi } from "@slack/bolt";
import { z } from "zod";
import type { Messenger } from "../../domain/messenger.ts";

const EVENT_TYPE = "countersign";
/** Clocks differ, and the row is older than the message. */
const MARGIN_MS = 120_000;
const PAGES = 5;

const ours = z.looseObject({
  ts: z.string(),
  metadata: z.looseObject({
    event_type: z.literal(EVENT_TYPE),
    event_payload: z.looseObject({ outbox_id: z.string(), part: z.number().default(0) }),
  }),
});

/** Names the outbox row in the message itself, so that a lost answer can be made good. */
export function metadataOf(outboxId: string, part: number) {
  return { event_type: EVENT_TYPE, event_payload: { outbox_id: outboxId, part } };
}

/** The ts of the message that a row's part became, or null when Slack does not have it. */
export async function lookUpMessage(
  client: webApi.WebClient,
  query: Parameters<NonNullable<Messenger["lookUp"]>>[0],
): Promise<string | null | "unreachable"> {
  const { chatId, threadId, sinceMs } = query;
  const page = {
    channel: chatId,
    oldest: String(Math.floor((sinceMs - MARGIN_MS) / 1000)),
    limit: 200,
    include_all_metadata: true,
  };
  try {
    let cursor: string | undefined;
    for (let turn = 0; turn < PAGES; turn += 1) {
      const at = cursor ? { cursor } : {};
      const answer = threadId
        ? await client.conversations.replies({ ...page, ...at, ts: threadId })
        : await client.conversations.history({ ...page, ...at });
      const found = findPart(answer.messages ?? [], query);
      if (found) return found;
      cursor = answer.response_metadata?.next_cursor || undefined;
      if (!cursor) return null;
    }
    return null;
  } catch {
    return "unreachable";
  }
}

function findPart(messages: unknown[], query: { outboxId: string; part?: number }): string | null {
  for (const message of messages) {
    const parsed = ours.safeParse(message);
    if (!parsed.success) continue;
    const { outbox_id, part } = parsed.data.metadata.event_payload;
    if (outbox_id === query.outboxId && part === (query.part ?? 0)) return parsed.data.ts;
  }
  return null;
}
