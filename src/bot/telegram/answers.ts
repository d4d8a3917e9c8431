import type { Api } from "grammy";
import type { DeskAnswer, FormRequest, InboxRef } from "../../domain/desk.ts";
import { messageOf } from "../../domain/errors.ts";
import {
  type AnsweredEvent,
  type ClickEvent,
  type DeskEvent,
  isAnswered,
} from "../../domain/inbound.ts";
import type { EdgeOptions } from "../edge.ts";
import { failureAnswer, promptField } from "../edge-words.ts";
import { plainLine } from "../plain-line.ts";
import { splitText } from "../split-text.ts";
import { within } from "../wait.ts";
import type { PromptCodec } from "./prompt.ts";
import { inlineKeyboard, MESSAGE_LIMIT } from "./render-card.ts";

/** The person sees a spinner until the click is answered, and Telegram forgets it after seconds. */
const TOAST_WITHIN_MS = 1_800;
const TOAST_LIMIT = 200;

/** `prompts` signs what a forced reply is about, as Telegram keeps no state for us. */
export interface AnswerOptions {
  api: Api;
  edge: EdgeOptions;
  prompts: PromptCodec;
}

/** Runs the desk for one stored event and tells the person, and nobody else, what came of it. */
export async function answerEvent(
  options: AnswerOptions,
  event: AnsweredEvent,
  work: { ref: InboxRef; callbackId: string | null; messageId: string | null },
): Promise<void> {
  const handled = runDesk(options, event, work.ref);
  if (event.kind !== "click") {
    const answer = await handled;
    if (answer) await say(options, event, { answer, messageId: work.messageId });
    return;
  }
  const inTime = await within(TOAST_WITHIN_MS, handled);
  await toast(options, work.callbackId, inTime ?? null);
  const answer = await handled;
  if (answer?.replaces) await replace(options, event, answer);
  else if (answer && inTime === undefined)
    await say(options, event, { answer, messageId: event.messageId });
}

/** The message with the button says what came of it, and has no buttons any more. */
async function replace(
  { api, edge }: AnswerOptions,
  { chatId, messageId }: ClickEvent,
  { text }: DeskAnswer,
): Promise<void> {
  if (messageId === null) return;
  try {
    await api.editMessageText(Number(chatId), Number(messageId), text);
  } catch (error) {
    edge.log.warn({ error: messageOf(error) }, "an answer could not take its message's place");
  }
}

/** What the person is to be told; nothing for a reaction, also when it fails. */
export async function runDesk(
  { edge }: AnswerOptions,
  event: DeskEvent,
  ref: InboxRef,
): Promise<DeskAnswer | null> {
  try {
    return await edge.desk.handle(ref);
  } catch (error) {
    edge.log.error({ inboxId: ref.inboxId, error: messageOf(error) }, "the desk failed");
    return isAnswered(event) ? failureAnswer(event.person) : null;
  }
}

/** A late or repeated answer is refused by Telegram; what was decided stands. */
export async function toast(
  { api, edge }: AnswerOptions,
  callbackId: string | null,
  answer: DeskAnswer | null,
): Promise<void> {
  if (callbackId === null) return;
  const text = plainLine(answer?.privately ?? answer?.text ?? "", TOAST_LIMIT);
  try {
    await api.answerCallbackQuery(callbackId, {
      ...(text === "" ? {} : { text }),
      ...(answer?.alert ? { show_alert: true } : {}),
    });
  } catch (error) {
    edge.log.info({ error: messageOf(error) }, "a click could not be answered");
  }
}

/** Telegram has no private answer to a text: it stands below the message it answers. */
async function say(
  { api, edge }: AnswerOptions,
  event: AnsweredEvent,
  { answer, messageId }: { answer: DeskAnswer; messageId: string | null },
): Promise<void> {
  const reply = messageId === null ? {} : { reply_parameters: replyTo(messageId) };
  try {
    const parts = splitText(answer.text, MESSAGE_LIMIT);
    for (const [index, text] of parts.entries())
      await api.sendMessage(Number(event.chatId), text, {
        ...threadOf(event),
        ...(index === 0 ? reply : {}),
        link_preview_options: { is_disabled: true },
        ...(answer.buttons && index === parts.length - 1
          ? { reply_markup: inlineKeyboard(answer.buttons) }
          : {}),
      });
  } catch (error) {
    edge.log.warn({ error: messageOf(error) }, "an answer to a staff member could not be sent");
  }
}

/** Telegram has no modals: the bot asks, and the answer comes as a reply to the question. */
export async function askForm(
  { api, edge, prompts }: AnswerOptions,
  click: ClickEvent,
  form: FormRequest,
): Promise<void> {
  const { person, chatId, messageId } = click;
  const html = prompts.write(form, { id: person.id, name: plainLine(person.name, 64), chatId });
  if (html === null) return;
  const placeholder = plainLine(promptField(form)?.label ?? "", 64);
  try {
    await api.sendMessage(Number(chatId), html, {
      parse_mode: "HTML",
      ...threadOf(click),
      ...(messageId === null ? {} : { reply_parameters: replyTo(messageId) }),
      reply_markup: {
        force_reply: true,
        selective: true,
        ...(placeholder === "" ? {} : { input_field_placeholder: placeholder }),
      },
    });
  } catch (error) {
    edge.log.warn({ error: messageOf(error) }, "a question to a staff member could not be sent");
  }
}

function replyTo(messageId: string) {
  return { message_id: Number(messageId), allow_sending_without_reply: true };
}

function threadOf(event: AnsweredEvent) {
  return event.threadId === null ? {} : { message_thread_id: Number(event.threadId) };
}
