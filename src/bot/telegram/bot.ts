import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { type Api, Bot, GrammyError } from "grammy";
import { messageOf, RetryableError, StartError } from "../../domain/errors.ts";
import type { EdgeLog, EdgeOptions, MessengerEdge } from "../edge.ts";
import { inspectTelegram } from "./inspect.ts";
import { Intake } from "./intake.ts";
import { createTelegramMessenger } from "./messenger.ts";
import { Poller } from "./poller.ts";
import { createPromptCodec } from "./prompt.ts";
import { Webhook, type WebhookOptions } from "./webhook.ts";

/** One bot account; its updates come by webhook, or are polled. */
export interface TelegramOptions extends EdgeOptions {
  token: string;
  /** Without a slash at the end. */
  apiRoot: string;
  /** Telegram delivers to us; absent: we poll. */
  webhook?: WebhookOptions;
}

/** Longer than a poll may take; a send that hangs so long has an unknown end. */
const CALL_LIMIT_S = 40;

/** Nothing is asked of Telegram before it is checked, inspected or started. */
export function createTelegramBot(options: TelegramOptions): MessengerEdge {
  const bot = new Bot(options.token, {
    client: {
      apiRoot: options.apiRoot,
      timeoutSeconds: CALL_LIMIT_S,
      baseFetchConfig: { agent: freshConnections(options.apiRoot), compress: true },
    },
  });
  const prompts = createPromptCodec(options.token);
  const intake = new Intake({ api: bot.api, edge: options, prompts }, bot);
  const way = createWay({ api: bot.api, log: options.log, intake }, options.webhook);
  return {
    messenger: createTelegramMessenger({ api: bot.api, channelId: options.channelId }),
    check: () => checkToken(bot, options.apiRoot),
    inspect: (chats) => inspectTelegram({ token: options.token, apiRoot: options.apiRoot }, chats),
    ...way,
    offerMenu: () => offerMenu(bot.api, options),
    start() {
      void offerMenu(bot.api, options);
      way.start();
    },
    async stop() {
      await way.stop();
      await intake.settle();
    },
  };
}

/** Descriptions take 256 characters. Without the menu the commands work all the same. */
async function offerMenu(api: Api, { commandMenu, log }: TelegramOptions): Promise<void> {
  const menu = (commandMenu?.() ?? []).map(({ command, description }) => ({
    command,
    description: description.slice(0, 256),
  }));
  if (menu.length === 0) return;
  try {
    await api.setMyCommands(menu, { scope: { type: "all_group_chats" } });
  } catch (error) {
    log.warn({ error: messageOf(error) }, "the menu of commands could not be set");
  }
}

type Way = Pick<MessengerEdge, "isExclusive" | "start" | "stop" | "status" | "takeRequest">;

/** How updates come in: to a webhook, or by long polling, which takes a webhook away. */
function createWay(
  { api, log, intake }: { api: Api; log: EdgeLog; intake: Intake },
  webhook: WebhookOptions | undefined,
): Way {
  if (!webhook) {
    const poller = new Poller({ api, log, take: (update, signal) => intake.take(update, signal) });
    return {
      isExclusive: true, // a second long poll would end the first
      start: () => poller.start(),
      stop: () => poller.stop(),
      status: () => poller.status(),
    };
  }
  const hook = new Webhook({ api, log, take: (update) => intake.takeOnce(update) }, webhook);
  return {
    isExclusive: false,
    start: () => hook.start(),
    stop: () => hook.stop(),
    status: () => hook.status(),
    takeRequest: (request) => hook.takeRequest(request),
  };
}

/**
 * A kept connection may be closed by the other side at the very moment it is used again: the send
 * fails, and Telegram cannot be asked whether it arrived. A new connection for each call avoids that.
 */
function freshConnections(apiRoot: string): HttpAgent {
  return apiRoot.startsWith("https:")
    ? new HttpsAgent({ keepAlive: false })
    : new HttpAgent({ keepAlive: false });
}

async function checkToken(bot: Bot, apiRoot: string): Promise<{ botUserId: string }> {
  try {
    bot.botInfo = await bot.api.getMe();
    return { botUserId: String(bot.botInfo.id) };
  } catch (error) {
    if (error instanceof GrammyError && [401, 404].includes(error.error_code))
      throw new StartError(
        "TELEGRAM_BOT_TOKEN: Telegram does not know this token; copy it again from @BotFather",
      );
    throw new RetryableError(
      `TELEGRAM_API_ROOT: Telegram at ${apiRoot} cannot be reached (${messageOf(error)})`,
      { cause: error },
    );
  }
}
