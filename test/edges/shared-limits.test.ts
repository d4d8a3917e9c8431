import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Messenger } from "../../src/domain/messenger.ts";
import { createChatLimits } from "../../src/outbound/chat-limits.ts";
import { type OpenRedis, openRedis } from "../../src/queue/redis.ts";
import { answersRedis, REDIS } from "../support/redis.ts";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const isThere = await answersRedis();
const telegram = { name: "telegram", channelId: "bot" } as Messenger; // what limits look at
const GROUP = "-1001";

const NAME = "limits on Redis";
const WHY = `${NAME}: skipped, no server answers at TEST_REDIS_URL or 127.0.0.1:6379`;

(isThere ? describe : describe.skip)(isThere ? NAME : WHY, () => {
  const open: OpenRedis[] = [];
  const prefix = `test:${randomBytes(6).toString("hex")}`;
  const client = async () => {
    const redis = await openRedis(REDIS, quiet);
    open.push(redis);
    return redis;
  };
  beforeAll(async () => {
    expect((await client()).status()).toEqual({ ok: true, detail: "answers" });
  });
  afterAll(async () => {
    for (const redis of open) redis.close();
  });

  it("two processes together send no more to a group than one may", async () => {
    const limits = [];
    for (const _ of [1, 2])
      limits.push(createChatLimits({ redis: (await client()).client, prefix: `${prefix}:a` }));
    let sent = 0;
    for (let post = 0; post < 30; post += 1)
      if ((await limits[post % 2]?.take(telegram, GROUP)) === 0) sent += 1;
    expect(sent).toBe(20);
  });

  it("two installations on one Redis do not count for each other", async () => {
    const { client: redis } = await client();
    const [one, other] = ["b", "c"].map((name) =>
      createChatLimits({ redis, prefix: `${prefix}:${name}` }),
    );
    for (let post = 0; post < 20; post += 1) await one?.take(telegram, GROUP);
    expect(await one?.take(telegram, GROUP)).toBeGreaterThan(0);
    expect(await other?.take(telegram, GROUP)).toBe(0);
  });

  it("are counted in the process while Redis is away: nothing waits for it", async () => {
    const redis = await client();
    const limits = createChatLimits({ redis: redis.client, prefix: `${prefix}:d` });
    redis.close();
    let sent = 0;
    for (let post = 0; post < 25; post += 1)
      if ((await limits.take(telegram, GROUP)) === 0) sent += 1;
    expect(sent).toBe(20);
    await vi.waitFor(() => expect(redis.status().ok).toBe(false));
  });
});

describe("a start with Redis", () => {
  it("that does not answer is refused with the variable and the next step", async () => {
    const refused = openRedis("redis://:hidden-password@127.0.0.1:1", quiet);
    await expect(refused).rejects.toThrow(
      /^REDIS_URL: Redis at 127\.0\.0\.1:1 cannot be used.*unset/,
    );
    await expect(refused).rejects.not.toThrow(/hidden-password/);
  });
});
