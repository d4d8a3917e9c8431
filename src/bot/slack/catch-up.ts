import { webApi } from "@slack/bolt";
import { messageOf } from "../../domain/errors.ts";
import type { Missed } from "../edge.ts";
import { pause } from "../wait.ts";
import { type IntakeOptions, takeEnvelope } from "./intake.ts";

/** Clocks differ, and a message may have been on its way when the process ended. */
const MARGIN_MS = 120_000;
const MESSAGES_A_PAGE = 200;
const MOST_PAGES = 5;
const MOST_CHATS = 200;
const MOST_TRIES = 5;

/**
 * Slack forgets what nobody took in for long: after an outage the direct messages themselves tell.
 * They go the way of any event; one that was seen before has the same key. Answers how many came.
 */
export async function catchUp(options: IntakeOptions, missed: Missed): Promise<number> {
  const { client, log } = options;
  const { team_id: teamId } = await patiently(missed, () => client.auth.test());
  const chats = await directChats(options, missed);
  let taken = 0;
  for (const channel of chats) {
    if (missed.signal.aborted) break;
    try {
      for (const message of await writtenSince(client, missed, channel)) {
        const event = { ...message, type: "message", channel, channel_type: "im" };
        const event_id = `history:${channel}:${message.ts}`;
        const body = { type: "event_callback", event_id, team_id: teamId, event };
        await takeEnvelope(options, { body, ack: async () => {} });
        taken += 1;
      }
    } catch (error) {
      log.warn({ chat: channel, error: messageOf(error) }, "a chat's history was not read");
    }
  }
  return taken;
}

/** The chats that are known, and those of people who wrote for the first time, if we may see them. */
async function directChats(
  { client, log }: IntakeOptions,
  missed: Missed,
): Promise<readonly string[]> {
  const known = new Set(missed.chatIds);
  try {
    const page = { types: "im", exclude_archived: true, limit: MOST_CHATS };
    const { channels } = await patiently(missed, () => client.conversations.list(page));
    for (const { id } of channels ?? []) if (id) known.add(id);
  } catch (error) {
    log.info(
      { error: messageOf(error) },
      "direct chats cannot be listed: only known ones are read",
    );
  }
  return [...known].slice(0, MOST_CHATS);
}

type Listed = NonNullable<webApi.ConversationsHistoryResponse["messages"]>[number];

/** What people wrote, oldest first, as it would have come. */
async function writtenSince(
  client: webApi.WebClient,
  missed: Missed,
  channel: string,
): Promise<Listed[]> {
  const oldest = ((missed.sinceMs - MARGIN_MS) / 1000).toFixed(6);
  const page = { channel, oldest, limit: MESSAGES_A_PAGE };
  const found: Listed[] = [];
  let cursor: string | undefined;
  for (let turn = 0; turn < MOST_PAGES; turn += 1) {
    const at = cursor ? { cursor } : {};
    const answer = await patiently(missed, () => client.conversations.history({ ...page, ...at }));
    found.push(...(answer.messages ?? []));
    cursor = answer.response_metadata?.next_cursor || undefined;
    if (!cursor) break;
  }
  return found.filter(({ bot_id: botId }) => !botId).reverse();
}

/** Slack says how long to wait; nobody is in a hurry here. */
async function patiently<T>({ signal }: Missed, ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      const isLimit = error instanceof webApi.WebAPIRateLimitedError;
      if (!isLimit || attempt === MOST_TRIES || signal.aborted) throw error;
      await pause(error.retryAfter * 1000, signal);
    }
  }
}
