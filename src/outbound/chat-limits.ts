import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from "rate-limiter-flexible";
import type { Messenger } from "../domain/messenger.ts";

/**
 * What the messengers bear for long, with a small burst, so that a lone message waits for nothing.
 * `kept` of the points are not for mirrors: those wait rather than let others wait.
 */
const LIMITS = {
  // about 1/s in a chat, 20/min in a group (edits count too), 30/s for the bot
  telegramPrivate: { points: 4, duration: 4, kept: 1 },
  telegramGroup: { points: 20, duration: 60, kept: 5 },
  telegramBot: { points: 28, duration: 1, kept: 10 },
  // about 1/s in a channel; a mirror has a longer breath: when Slack minds, it waits, nobody else
  slackChannel: { points: 10, duration: 10, kept: 0 },
  slackMirror: { points: 60, duration: 60, kept: 0 },
};

type LimitName = keyof typeof LIMITS;

/** `mirror`: nobody waits for it. */
export type Sending = "first" | "mirror";

/** Keeps below what messengers allow; a limit that is reached makes a row wait and never fail. */
export interface ChatLimits {
  /** 0: send now, and it is counted. Else real milliseconds to wait. */
  take(messenger: Messenger, chatId: string, sending?: Sending): Promise<number>;
  /** One more part of the same delivery left. */
  count(messenger: Messenger, chatId: string, sending?: Sending): Promise<void>;
}

/** Counts that all processes share. While Redis is away each process counts alone. */
export interface SharedCounts {
  /** The client of ioredis; `rate-limiter-flexible` types it as `any`. */
  redis: unknown;
  /** Two installations on one Redis keep their counts apart. */
  prefix: string;
}

/**
 * `shared`: counts that several processes have in common; left out or null: this one counts alone.
 */
export function createChatLimits(shared?: SharedCounts | null): ChatLimits {
  const names = Object.keys(LIMITS) as LimitName[]; // keys of our own object
  const limiters = new Map(names.map((name) => [name, makeLimiter(name, shared)]));
  const consume = async (name: LimitName, key: string, sending: Sending): Promise<number> => {
    const limiter = limiters.get(name);
    if (!limiter) return 0;
    const { kept } = LIMITS[name];
    const state = sending === "mirror" && kept > 0 ? await limiter.get(key) : null;
    if (state && state.remainingPoints <= kept) return waitOf(state);
    return consumeOne(limiter, key);
  };
  return {
    async take(messenger, chatId, sending = "first") {
      const key = `${messenger.channelId}/${chatId}`;
      const waitMs = await consume(limitOf(messenger, chatId, sending), key, sending);
      if (waitMs > 0 || messenger.name === "slack") return waitMs;
      return consume("telegramBot", messenger.channelId, sending);
    },
    async count(messenger, chatId, sending = "first") {
      const limiter = limiters.get(limitOf(messenger, chatId, sending));
      await limiter?.penalty(`${messenger.channelId}/${chatId}`, 1);
    },
  };
}

function makeLimiter(name: LimitName, shared?: SharedCounts | null): RateLimiterAbstract {
  const { points, duration } = LIMITS[name];
  const alone = new RateLimiterMemory({ points, duration, keyPrefix: name });
  if (!shared) return alone;
  return new RateLimiterRedis({
    points,
    duration,
    storeClient: shared.redis,
    keyPrefix: `${shared.prefix}:${name}`,
    insuranceLimiter: alone,
  });
}

function limitOf(messenger: Messenger, chatId: string, sending: Sending): LimitName {
  if (messenger.name === "slack") return sending === "mirror" ? "slackMirror" : "slackChannel";
  // ids of groups and channels are negative
  return chatId.startsWith("-") ? "telegramGroup" : "telegramPrivate";
}

async function consumeOne(limiter: RateLimiterAbstract, key: string): Promise<number> {
  try {
    await limiter.consume(key);
    return 0;
  } catch (refused) {
    if (refused instanceof RateLimiterRes) return waitOf(refused);
    throw refused;
  }
}

function waitOf({ msBeforeNext }: RateLimiterRes): number {
  return Math.max(50, msBeforeNext);
}
