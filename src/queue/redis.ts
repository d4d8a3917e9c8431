import { Redis } from "ioredis";
import { messageOf, StartError } from "../domain/errors.ts";
import type { Log } from "../lib/log.ts";

/** Only counters of limits are kept in it. */
export interface OpenRedis {
  client: Redis;
  /** For /readyz. Without Redis the limits are counted in each process alone. */
  status(): { ok: boolean; detail: string };
  close(): void;
}

const CONNECT_MS = 5_000;
const LONGEST_PAUSE_MS = 5_000;

/** Commands fail at once while Redis is away: nothing may wait for it. StartError at the start. */
export async function openRedis(url: string, log: Log): Promise<OpenRedis> {
  const client = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    connectTimeout: CONNECT_MS,
    commandTimeout: 2_000,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(LONGEST_PAUSE_MS, 100 * 2 ** Math.min(times, 6)),
  });
  let trouble: string | null = null;
  let wasReady = false; // before, the refused start tells it
  client.on("error", (error: unknown) => {
    const said = messageOf(error) || "no answer"; // refused connections come without words
    if (wasReady && said !== trouble)
      log.warn({ error: said }, "Redis fails; limits are counted alone");
    trouble = said;
  });
  client.on("ready", () => {
    wasReady = true;
    trouble = null;
  });
  try {
    await client.connect();
    await client.ping();
  } catch (error) {
    client.disconnect();
    throw new StartError(
      `REDIS_URL: Redis at ${hostOf(url)} cannot be used (${trouble ?? messageOf(error)}); check that it runs, or unset REDIS_URL for one process`,
    );
  }
  return {
    client,
    status: () =>
      client.status === "ready"
        ? { ok: true, detail: "answers" }
        : { ok: false, detail: "away; limits are counted in each process alone" },
    close: () => client.disconnect(),
  };
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "an unreadable address";
}
