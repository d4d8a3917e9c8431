import type { Update } from "./events.ts";
import { isRecord } from "./params.ts";
import { kindOf } from "./update-queue.ts";

const SAID = new Set(["message", "edited_message", "channel_post", "edited_channel_post"]);

/**
 * Order is kept within a queue only: what is said in a chat; the clicks of a person; reactions and
 * membership of a chat apart. So a click or a reaction may overtake a message of the same chat.
 */
export function queueOf(update: Update): string {
  const kind = kindOf(update);
  const body = update[kind];
  const idOf = (field: string) =>
    isRecord(body) && isRecord(body[field]) ? String(body[field].id) : "";
  if (SAID.has(kind)) return `chat ${idOf("chat")}`;
  if (kind === "callback_query") return `clicks ${idOf("from")}`;
  return `${kind} ${idOf("chat") || idOf("from")}`;
}
