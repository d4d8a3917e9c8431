import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";

const FAILURES = 10;
const WINDOW_S = 15 * 60;

/** Counts failed log-ins of an address. */
export interface LogInLimit {
  /** Takes one try; answers seconds to wait when there is none left. */
  take(address: string): Promise<number | null>;
  /** The try was no failure. */
  giveBack(address: string): Promise<void>;
}

/** In this process's memory: each web process counts for itself, and a restart forgets. */
export function createLogInLimit(): LogInLimit {
  const limiter = new RateLimiterMemory({ points: FAILURES, duration: WINDOW_S });
  return {
    async take(address) {
      try {
        await limiter.consume(address);
        return null;
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused;
        return Math.ceil(refused.msBeforeNext / 1000);
      }
    },
    async giveBack(address) {
      await limiter.reward(address, 1);
    },
  };
}
