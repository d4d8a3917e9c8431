import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { Bot, GrammyError } from "grammy";
import { messageOf, RetryableError, StartError } from "../../domain/errors.ts";
import type { ClickEvent, InboundEvent } from "../../domain/inbound.ts";
import type { EdgeOptions, MessengerEdge } from "../edge.ts";
import { takeIn } from "../take-in.ts";
import { pause, within } from "../wait.ts";
import { type AnswerOptions, answerEvent, askForm, toast } from "./answers.ts";
import type { Update } from "./api-types.ts";
import { createTelegramMessenger } from "./messenger.ts";
import { parseUpdate } from "./parse-update.ts";
import { Poller } from "./poller.ts";
import { createPromptCodec } from "./prompt.ts";

export interface TelegramOptions extends EdgeOptions {
  token: string;
  /** Without a slash at the end. */
  apiRoot: string;
}

/** Longer than a poll may take; a send that hangs so long has an unknown end. */
const CALL_LIMIT_S = 40;
/** Answers on their way when the process ends; what the desk did stands without them. */
const SETTLE_WITHIN_MS = 5_000;

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
  const poller = new Poller({
    api: bot.api,
    log: options.log,
    take: (update, signal) => intake.take(update, signal),
  });
  return {
    messenger: createTelegramMessenger({ api: bot.api, channelId: options.channelId }),
    check: () => checkToken(bot, options.apiRoot),
    start: () => poller.start(),
    async stop() {
      await poller.stop();
      await intake.settle();
    },
    status: () => poller.status(),
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

/** Takes updates in one after another; what the desk then does runs beside. */
class Intake {
  readonly #answers: AnswerOptions;
  readonly #bot: Bot;
  readonly #running = new Set<Promise<void>>();

  constructor(answers: AnswerOptions, bot: Bot) {
    this.#answers = answers;
    this.#bot = bot;
  }

  /** Resolves once the update is stored, or is known never to be. */
  async take(update: Update, signal: AbortSignal): Promise<void> {
    await this.#knowOurselves(signal);
    if (signal.aborted) return;
    try {
      await this.#take(update, signal);
    } catch (error) {
      const fields = { updateId: update.update_id, error: messageOf(error) };
      this.#answers.edge.log.error(fields, "an update could not be read and is passed over");
    }
  }

  async settle(): Promise<void> {
    await within(SETTLE_WITHIN_MS, Promise.all(this.#running));
  }

  async #take(update: Update, signal: AbortSignal): Promise<void> {
    const { edge, prompts } = this.#answers;
    const event = parseUpdate(update, {
      channelId: edge.channelId,
      bot: { id: this.#bot.botInfo.id, username: this.#bot.botInfo.username },
      isCommand: edge.isCommand,
      readPrompt: prompts.read,
      now: edge.clock.now(),
    });
    const callbackId = update.callback_query?.id ?? null;
    if (!event) {
      edge.log.info({ updateId: update.update_id, kind: kindOf(update) }, "an update is ignored");
      if (callbackId) this.#beside(toast(this.#answers, callbackId, null));
      return;
    }
    const form = event.kind === "click" ? await this.#formFor(event) : null;
    const received = await takeIn(edge, event, signal);
    if (!received || !isForDesk(event)) return;
    const messageId = update.message ? String(update.message.message_id) : null;
    if (received.kind === "duplicate" && received.answer) {
      if (callbackId) this.#beside(toast(this.#answers, callbackId, received.answer));
      return;
    }
    const ref = { tenantId: edge.tenantId, inboxId: received.inboxId };
    this.#beside(answerEvent(this.#answers, event, { ref, callbackId, messageId }));
    if (form && event.kind === "click" && received.kind === "desk")
      this.#beside(askForm(this.#answers, event, form));
  }

  async #formFor(click: ClickEvent) {
    const { edge } = this.#answers;
    try {
      return await edge.desk.formFor(edge.tenantId, click);
    } catch (error) {
      // the click counts without the form
      edge.log.warn({ error: messageOf(error) }, "a form could not be prepared");
      return null;
    }
  }

  /** The bot's own id and name are needed to read commands and prompts. */
  async #knowOurselves(signal: AbortSignal): Promise<void> {
    while (!this.#bot.isInited() && !signal.aborted) {
      try {
        this.#bot.botInfo = await this.#bot.api.getMe();
      } catch (error) {
        this.#answers.edge.log.warn(
          { error: messageOf(error) },
          "Telegram does not say who we are",
        );
        await pause(1_000, signal);
      }
    }
  }

  #beside(work: Promise<void>): void {
    const tracked = work
      .catch((error) =>
        this.#answers.edge.log.error({ error: messageOf(error) }, "an answer broke off"),
      )
      .finally(() => this.#running.delete(tracked));
    this.#running.add(tracked);
  }
}

function isForDesk(event: InboundEvent) {
  return event.kind === "click" || event.kind === "command" || event.kind === "submission";
}

function kindOf(update: Update): string {
  return Object.keys(update).find((key) => key !== "update_id") ?? "empty";
}
