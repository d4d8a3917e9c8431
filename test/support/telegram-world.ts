import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Bot } from "grammy";
import { startStandalone } from "../../src/sandbox/standalone.ts";
import type { TelegramOptions } from "../../src/sandbox/telegram/core.ts";
import { createTelegramPart } from "../../src/sandbox/telegram/part.ts";

export type Json = Record<string, unknown>;

export interface Answer {
  status: number;
  body: Json;
}

export interface TelegramWorld {
  origin: string;
  env: Record<string, string>;
  get(path: string): Promise<Answer>;
  /** POST to the control API below `/sandbox/api`. */
  play(path: string, body?: unknown): Promise<Answer>;
  /** A raw call of the Bot API. */
  call(method: string, body?: unknown): Promise<Answer>;
  chat(chatId: number): Promise<Json[]>;
  makeBot(): Bot;
  /** Stops the server and starts another one on the same journal, at another port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** The played Telegram alone, on a free port, in a folder of its own. */
export async function openTelegramWorld(
  options: Partial<TelegramOptions> = {},
): Promise<TelegramWorld> {
  const dataDir = mkdtempSync(join(tmpdir(), "telegram-world-"));
  const start = () =>
    startStandalone({ port: 0, dataDir, parts: (world) => [createTelegramPart(world, options)] });
  let server = await start();
  const send = async (path: string, init?: RequestInit): Promise<Answer> => {
    const response = await fetch(server.origin + path, init);
    return { status: response.status, body: (await response.json()) as Json };
  };
  const post = (path: string, body: unknown) =>
    send(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body ?? {}),
    });
  return {
    get origin() {
      return server.origin;
    },
    get env() {
      return server.env;
    },
    get: (path) => send(path),
    play: (path, body) => post(`/sandbox/api/${path}`, body),
    call: (method, body) =>
      post(`/sandbox/telegram/bot${server.env.TELEGRAM_BOT_TOKEN}/${method}`, body),
    async chat(chatId) {
      const { body } = await send(`/sandbox/api/telegram/chats/${chatId}/messages`);
      return body as unknown as Json[];
    },
    makeBot: () =>
      new Bot(server.env.TELEGRAM_BOT_TOKEN ?? "", {
        client: { apiRoot: server.env.TELEGRAM_API_ROOT ?? "" },
      }),
    async restart() {
      await server.stop();
      server = await start();
    },
    async stop() {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Runs the bot by long polling until the returned function is called. */
export async function runBot(
  bot: Bot,
  allowed: readonly string[] = [],
): Promise<() => Promise<void>> {
  let running: Promise<void> | undefined;
  await new Promise<void>((resolve, reject) => {
    running = bot.start({
      allowed_updates: allowed as ("message" | "callback_query")[],
      onStart: () => resolve(),
    });
    running.catch(reject);
  });
  return async () => {
    await bot.stop();
    await running;
  };
}

/** The next value that a handler hands over, in order. */
export function createInbox<T>() {
  const values: T[] = [];
  let wake: (() => void) | undefined;
  return {
    values,
    push(value: T) {
      values.push(value);
      wake?.();
    },
    async reach(count: number): Promise<T[]> {
      while (values.length < count) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return values;
    },
  };
}
