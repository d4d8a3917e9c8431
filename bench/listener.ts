import { newId } from "../src/domain/ids.ts";
import type { Messenger } from "../src/domain/messenger.ts";

export interface Listener {
  messenger: Messenger;
  /** The next message that is delivered in the chat. */
  hears(chatId: string): Promise<void>;
}

const LIMIT_MS = 60_000;

/** The messenger's side: takes what is delivered at once, and tells whoever waits for it. */
export function createListener(channelId: string): Listener {
  const waiting = new Map<string, () => void>();
  return {
    messenger: {
      name: "slack",
      channelId,
      async deliver({ chatId, onPart }) {
        await onPart(newId(), true);
        waiting.get(chatId)?.();
        return { kind: "sent" };
      },
      showTyping: async () => {},
    },
    hears(chatId) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`nothing was answered in ${LIMIT_MS / 1000} s`)),
          LIMIT_MS,
        );
        waiting.set(chatId, () => {
          clearTimeout(timer);
          waiting.delete(chatId);
          resolve();
        });
      });
    },
  };
}
