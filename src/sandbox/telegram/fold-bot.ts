import type { QueuedUpdate, TelegramEvents } from "./events.ts";
import type { TelegramState } from "./state.ts";

/** Remembers the update for good, so that it can be delivered once more. */
export function enqueue(state: TelegramState, queued: QueuedUpdate): void {
  const { update_id } = queued.update;
  state.queue.push({ ...queued, attempts: 0 });
  state.pastUpdates.set(update_id, queued);
  state.last.updateId = Math.max(state.last.updateId, update_id);
}

/** The same id may be queued twice: a listed id means its first copy. */
export function countAttempts(state: TelegramState, updateIds: readonly number[]): void {
  for (const id of updateIds) {
    const pending = state.queue.find(({ update }) => update.update_id === id);
    if (pending) pending.attempts += 1;
  }
}

/** Each id takes one entry: an update may wait twice when it was delivered again by hand. */
export function removeUpdates(state: TelegramState, updateIds: readonly number[]): void {
  const left = [...updateIds];
  state.queue = state.queue.filter(({ update }) => {
    const index = left.indexOf(update.update_id);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
}

/** The same press again stays one. */
export function openCallback(state: TelegramState, data: TelegramEvents["callback"]): void {
  const { id, chatId, messageId, realAt } = data;
  state.last.callback += 1;
  if (!state.callbacks.has(id)) {
    state.callbacks.set(id, { chatId, messageId, realAt, answer: undefined });
  }
}

/** The first answer counts. */
export function answerCallback(
  state: TelegramState,
  data: TelegramEvents["callback_answered"],
): void {
  const callback = state.callbacks.get(data.id);
  if (callback) callback.answer ??= { text: data.text, showAlert: data.showAlert };
}

export function setCommands(
  state: TelegramState,
  { key, commands }: TelegramEvents["commands"],
): void {
  if (commands) state.commands.set(key, commands);
  else state.commands.delete(key);
}
