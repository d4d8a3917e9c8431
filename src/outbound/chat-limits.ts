import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import type { Messenger } from "../domain/messenger.ts";

/** What the messengers bear for long, with a small burst, so that a lone message waits for nothing. */
const LIMITS = {
  // about 1/s in a chat, 20/min in a group (edits count too), 30/s for the bot
  telegramPrivate: { points: 4, duration: 4 },
  telegramGroup: { points: 20, duration: 60 },
  telegramBot: { points: 28, duration: 1 },
  // about 1/s in a channel
  slackChannel: { points: 5, duration: 5 },
};

export interface ChatLimits {
  /** 0: send now, and it is counted. Else real milliseconds to wait. */
  take(messenger: Messenger, chatId: string): Promise<number>;
  /** One more part of the same delivery left. */
  count(messenger: Messenger, chatId: string): Promise<void>;
}

export function createChatLimits(): ChatLimits {
  const limiters = {
    telegramPrivate: new RateLimiterMemory({ ...LIMITS.telegramPrivate, keyPrefix: "tp" }),
    telegramGroup: new RateLimiterMemory({ ...LIMITS.telegramGroup, keyPrefix: "tg" }),
    telegramBot: new RateLimiterMemory({ ...LIMITS.telegramBot, keyPrefix: "tb" }),
    slackChannel: new RateLimiterMemory({ ...LIMITS.slackChannel, keyPrefix: "sc" }),
  };
  const chatLimiter = (messenger: Messenger, chatId: string) => {
    if (messenger.name === "slack") return limiters.slackChannel;
    // ids of groups and channels are negative
    return chatId.startsWith("-") ? limiters.telegramGroup : limiters.telegramPrivate;
  };
  return {
    async take(messenger, chatId) {
      const key = `${messenger.channelId}/${chatId}`;
      const waitMs = await consume(chatLimiter(messenger, chatId), key);
      if (waitMs > 0 || messenger.name === "slack") return waitMs;
      return consume(limiters.telegramBot, messenger.channelId);
    },
    async count(messenger, chatId) {
      await chatLimiter(messenger, chatId).penalty(`${messenger.channelId}/${chatId}`, 1);
    },
  };
}

async function consume(limiter: RateLimiterMemory, key: string): Promise<number> {
  try {
    await limiter.consume(key);
    return 0;
  } catch (refused) {
    if (refused instanceof RateLimiterRes) return Math.max(50, refused.msBeforeNext);
    throw refused;
  }
}
