import { z } from "zod";
import type { TelegramCore } from "./core.ts";
import type { QueuedUpdate, TelegramMessage } from "./events.ts";
import { injectUpdate } from "./update-queue.ts";

const updateSchema = z.looseObject({ update_id: z.int().optional() });
export const rawUpdatesSchema = z.union([z.array(updateSchema), updateSchema]);

/**
 * Updates as somebody made them up, delivered as they are. What they speak of is remembered, so
 * that the bot can answer the message or the click.
 */
export function injectUpdates(core: TelegramCore, input: z.infer<typeof rawUpdatesSchema>) {
  const raw = Array.isArray(input) ? input : [input];
  const update_ids = raw.map((entry) => {
    const update = { ...entry, update_id: entry.update_id ?? core.state.last.updateId + 1 };
    recordUpdate(core, injectUpdate(core, update));
    return update.update_id;
  });
  return { update_ids };
}

const messageSchema = z.looseObject({
  message_id: z.int(),
  date: z.int(),
  chat: z.looseObject({
    id: z.int(),
    type: z.enum(["private", "group", "supergroup", "channel"]),
  }),
  from: z.looseObject({ id: z.int(), is_bot: z.boolean(), first_name: z.string() }).optional(),
});

const callbackSchema = z.looseObject({
  id: z.string(),
  message: z.looseObject({ message_id: z.int(), chat: z.looseObject({ id: z.int() }) }),
});

function recordUpdate(core: TelegramCore, queued: QueuedUpdate): void {
  const updates = [queued];
  const message = messageSchema.safeParse(queued.update.message);
  const callback = callbackSchema.safeParse(queued.update.callback_query);
  if (message.success) {
    recordMessage(core, message.data as TelegramMessage, updates); // loose: other fields as they came
  } else if (callback.success) {
    const { id, message: pressed } = callback.data;
    const place = { chatId: pressed.chat.id, messageId: pressed.message_id };
    core.emit("callback", { id, ...place, realAt: core.realNow(), updates });
  } else {
    core.emit("updates", { updates });
  }
}

function recordMessage(core: TelegramCore, message: TelegramMessage, updates: QueuedUpdate[]) {
  const { chat, from, message_id } = message;
  if (from && !core.state.users.has(from.id)) core.emit("user", { user: from });
  if (!core.state.chats.has(chat.id)) core.emit("chat", { chat });
  const isKnown = core.state.chats.get(chat.id)?.messages.has(message_id) === true;
  if (isKnown) core.emit("updates", { updates });
  else core.emit("message", { message, updates });
}
