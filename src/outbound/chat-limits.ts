import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from "rate-limiter-flexible";
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

/** Counts that all processes share. While Redis is away each process counts alone. */
export interface SharedCounts {
  /** A client that fails at once when Redis is away. */
  redis: unknown;
  /** Keeps installations on one Redis apart. */
  prefix: string;
}

export function createChatLimits(shared?: SharedCounts | null): ChatLimits {
  const limiter = (name: keyof typeof LIMITS): RateLimiterAbstract => {
    const alone = new RateLimiterMemory({ ...LIMITS[name], keyPrefix: name });
    if (!shared) return alone;
    return new RateLimiterRedis({
      ...LIMITS[name],
      storeClient: shared.redis,
      keyPrefix: `${shared.prefix}:${name}`,
      insuranceLimiter: alone,
    });
  };
  const limiters = {
    telegramPrivate: limiter("telegramPrivate"),
    telegramGroup: limiter("telegramGroup"),
    telegramBot: limiter("telegramBot"),
    slackChannel: limiter("slackChannel"),
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

async function consume(limiter: RateLimiterAbstract, key: string): Promise<number> {
  try {
    await limiter.consume(key);
    return 0;
  } catch (refused) {
    if (refused instanceof RateLimiterRes) return Math.max(50, refused.msBeforeNext);
    throw refused;
  }
}
