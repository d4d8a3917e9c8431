import type { Bot } from "grammy";
import { messageOf } from "../../domain/errors.ts";
import {
  type ClickEvent,
  type InboundEvent,
  isAnswered,
  isDeskEvent,
} from "../../domain/inbound.ts";
import type { Received } from "../../store/receive.ts";
import { takeIn, takeInOnce } from "../take-in.ts";
import { pause, within } from "../wait.ts";
import { type AnswerOptions, answerEvent, askForm, runDesk, toast } from "./answers.ts";
import type { Update } from "./api-types.ts";
import { parseUpdate, whyIgnored } from "./parse-update.ts";

/** null: stored before, or never to be stored. */
type Store = (event: InboundEvent) => Promise<Received | null>;

/** Answers on their way when the process ends; what the desk did stands without them. */
const SETTLE_WITHIN_MS = 5_000;

/** Takes updates in; what the desk then does runs beside. */
export class Intake {
  readonly #answers: AnswerOptions;
  readonly #bot: Bot;
  readonly #running = new Set<Promise<void>>();

  constructor(answers: AnswerOptions, bot: Bot) {
    this.#answers = answers;
    this.#bot = bot;
  }

  /** Resolves once the update is stored, however long that takes, or is known never to be. */
  async take(update: Update, signal: AbortSignal): Promise<void> {
    await this.#knowOurselves(signal);
    if (signal.aborted) return;
    await this.#take(update, (event) => takeIn(this.#answers.edge, event, signal));
  }

  /** Throws when the update could not be stored now: Telegram delivers it again. */
  async takeOnce(update: Update): Promise<void> {
    if (!this.#bot.isInited()) this.#bot.botInfo = await this.#bot.api.getMe();
    await this.#take(update, (event) => takeInOnce(this.#answers.edge, event));
  }

  async settle(): Promise<void> {
    await within(SETTLE_WITHIN_MS, Promise.all(this.#running));
  }

  async #take(update: Update, store: Store): Promise<void> {
    const callbackId = callbackIdOf(update);
    const read = this.#read(update);
    if (!read) {
      if (callbackId) this.#beside(toast(this.#answers, callbackId, null));
      return;
    }
    const form = read.kind === "click" ? await this.#formFor(read) : null;
    const received = await store(read);
    if (!received) return;
    const event = meantBy(read, received);
    if (!isDeskEvent(event)) return;
    const { edge } = this.#answers;
    const ref = { tenantId: edge.tenantId, inboxId: received.inboxId };
    if (!isAnswered(event)) return this.#beside(runDesk(this.#answers, event, ref));
    if (received.kind === "duplicate" && received.answer) {
      if (callbackId) this.#beside(toast(this.#answers, callbackId, received.answer));
      return;
    }
    const messageId = update.message ? String(update.message.message_id) : null;
    this.#beside(answerEvent(this.#answers, event, { ref, callbackId, messageId }));
    if (form && event.kind === "click" && received.kind === "desk")
      this.#beside(askForm(this.#answers, event, form));
  }

  /** An update that makes no sense must not come again and again. */
  #read(update: Update): InboundEvent | null {
    const { edge, prompts } = this.#answers;
    const updateId = update.update_id;
    try {
      const event = parseUpdate(update, {
        channelId: edge.channelId,
        bot: { id: this.#bot.botInfo.id, username: this.#bot.botInfo.username },
        isCommand: edge.isCommand,
        readPrompt: prompts.read,
        now: edge.clock.now(),
      });
      if (!event) edge.log.info({ updateId, kind: kindOf(update) }, whyIgnored(update));
      return event;
    } catch (error) {
      const fields = { updateId, error: messageOf(error) };
      edge.log.error(fields, "an update could not be read and is passed over");
      return null;
    }
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

  #beside(work: Promise<unknown>): void {
    const tracked = work
      .then(() => undefined)
      .catch((error) =>
        this.#answers.edge.log.error({ error: messageOf(error) }, "an answer broke off"),
      )
      .finally(() => this.#running.delete(tracked));
    this.#running.add(tracked);
  }
}

/** Only the store knows whose slash word is a command. */
function meantBy(read: InboundEvent, received: Received): InboundEvent {
  return (received.kind === "desk" && received.command) || read;
}

function callbackIdOf(update: Update): string | null {
  const id: unknown = update.callback_query?.id;
  return typeof id === "string" ? id : null;
}

function kindOf(update: Update): string {
  return Object.keys(update).find((key) => key !== "update_id") ?? "empty";
}
