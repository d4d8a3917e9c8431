import { z } from "zod";
import { ControlError } from "../control-body.ts";
import type { TelegramCore } from "./core.ts";
import { readTelegramEvent, type TelegramEvent } from "./events.ts";
import { BOT_USER } from "./identity.ts";
import { type ListedMessage, listMessage } from "./listing.ts";
import { isBotInside, meetUser, requireKnownChat } from "./people.ts";
import type { ChatState, StoredMessage } from "./state.ts";
import { makeUpdates } from "./update-queue.ts";

/** Pressed by its label or its data, also a button of an earlier state of the message. */
export const pressSchema = z
  .strictObject({
    chat_id: z.int(),
    user_id: z.int().min(1),
    message_id: z.int(),
    label: z.string().optional(),
    data: z.string().optional(),
  })
  .refine((press) => press.label !== undefined || press.data !== undefined, {
    message: "give label or data",
    path: ["label"],
  });

/** What a person sees after a press. */
export interface PressResult {
  /** What answerCallbackQuery said; null when it did not come in time. */
  answer: { text: string; show_alert: boolean } | null;
  /** Messages and edits of the bot in this chat between the click and the answer. */
  responses: ListedMessage[];
}

/** A person presses a button, also one that is gone. Throws ControlError for one that never was. */
export async function pressButton(
  core: TelegramCore,
  press: z.infer<typeof pressSchema>,
  signal: AbortSignal,
): Promise<PressResult> {
  const chat = requireKnownChat(core, press.chat_id);
  const stored = chat.messages.get(press.message_id);
  const data = press.data ?? findData(stored, press.label ?? "");
  if (data === undefined) {
    if (isLink(stored, press.label)) return { answer: null, responses: [] };
    throw unknownButton(press.label ?? "");
  }
  const id = String(FIRST_CALLBACK_ID + BigInt(core.state.last.callback));
  const query = {
    id,
    from: meetUser(core, press.user_id),
    message: shownMessage(core, chat, press.message_id),
    chat_instance: chatInstance(press.chat_id),
    data,
  };
  const updates = isBotInside(chat) ? makeUpdates(core, [["callback_query", query]]) : [];
  const waiting = waitForAnswer(core, { id, chatId: press.chat_id, signal });
  const place = { chatId: press.chat_id, messageId: press.message_id };
  core.emit("callback", { id, ...place, realAt: core.realNow(), updates });
  // nobody will answer what the bot never hears
  if (updates.length === 0) waiting.giveUp();
  return waiting.result;
}

const FIRST_CALLBACK_ID = 4_295_000_000_000_000_001n;

/** The newest data under this label; a label without its emoji is understood too. */
function findData(stored: StoredMessage | undefined, label: string): string | undefined {
  const buttons = [...(stored?.buttonsEver ?? [])].reverse();
  const exact = buttons.find(([text]) => text === label);
  const words = wordsOf(label);
  const found = exact ?? buttons.find(([text]) => words !== "" && wordsOf(text) === words);
  return found?.[1];
}

function wordsOf(label: string): string {
  return label
    .replace(/[^\p{L}\p{N} ]/gu, "")
    .trim()
    .toLowerCase();
}

function isLink(stored: StoredMessage | undefined, label: string | undefined): boolean {
  const buttons = stored?.message.reply_markup?.inline_keyboard.flat() ?? [];
  return buttons.some(({ text, url }) => text === label && url !== undefined);
}

/** A message that is gone is shown without its content: an InaccessibleMessage. */
function shownMessage(core: TelegramCore, chat: ChatState, messageId: number) {
  const stored = core.state.chats.get(chat.chat.id)?.messages.get(messageId);
  if (stored && !stored.deleted) return stored.message;
  return { message_id: messageId, chat: chat.chat, date: 0 };
}

/** The same for all messages of a chat, and a string. */
function chatInstance(chatId: number): string {
  return String(BigInt.asIntN(64, BigInt(chatId) * 6_364_136_223_846_793_005n));
}

function waitForAnswer(
  core: TelegramCore,
  click: { id: string; chatId: number; signal: AbortSignal },
): { result: Promise<PressResult>; giveUp(): void } {
  const responses: ListedMessage[] = [];
  let finish: (answer: PressResult["answer"]) => void = () => {};
  const result = new Promise<PressResult>((resolve) => {
    finish = (answer) => resolve({ answer, responses });
  });
  const giveUp = () => finish(null);
  const timer = setTimeout(giveUp, core.options.buttonWaitMs);
  click.signal.addEventListener("abort", giveUp);
  const stopListening = core.world.journal.onAppend((entry) => {
    const event = readTelegramEvent(entry);
    if (!event) return;
    const response = readResponse(core, event, click.chatId);
    if (response) responses.push(response);
    if (event.kind === "callback_answered" && event.data.id === click.id) {
      finish({ text: event.data.text, show_alert: event.data.showAlert });
    }
  });
  const cleaned = result.finally(() => {
    clearTimeout(timer);
    stopListening();
    click.signal.removeEventListener("abort", giveUp);
  });
  return { result: cleaned, giveUp };
}

function readResponse(
  core: TelegramCore,
  event: TelegramEvent,
  chatId: number,
): ListedMessage | undefined {
  if (event.kind !== "message" && event.kind !== "message_edited") return undefined;
  const { message } = event.data;
  if (message.chat.id !== chatId || message.from?.id !== BOT_USER.id) return undefined;
  const stored = core.state.chats.get(chatId)?.messages.get(message.message_id);
  return stored && listMessage(stored);
}

function unknownButton(label: string): ControlError {
  return new ControlError({
    status: 404,
    code: "button_not_found",
    message: `The message never had a button "${label}".`,
    path: "label",
  });
}
