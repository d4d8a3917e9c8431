import { GrammyError, HttpError } from "grammy";
import { messageOf } from "../../domain/errors.ts";
import type { DeliveryResult } from "../../domain/messenger.ts";
import { neverLeft } from "../network-error.ts";

/** A wrong token does not heal by itself, but the message must not be lost while it is changed. */
const TOKEN_REFUSED_MS = 60_000;
const SERVER_TROUBLE_MS = 1_000;

/**
 * `uncertain` whenever Telegram may have posted it, which nobody can look up there. `chatId` tells
 * a person who blocked the bot from a group that put it out.
 */
export function toDeliveryResult(error: unknown, chatId: string): DeliveryResult {
  if (error instanceof GrammyError) return fromAnswer(error, chatId);
  if (error instanceof HttpError && neverLeft(error))
    return { kind: "retry", afterMs: SERVER_TROUBLE_MS, error: messageOf(error) };
  // the request may have arrived: reset, time-out, an answer that is no JSON
  return { kind: "uncertain", error: messageOf(error) };
}

function fromAnswer(error: GrammyError, chatId: string): DeliveryResult {
  const said = `${error.method}: ${error.error_code} ${error.description}`;
  const { migrate_to_chat_id: movedTo, retry_after: retryAfter } = error.parameters;
  if (movedTo !== undefined) return { kind: "moved", chatId: String(movedTo) };
  if (error.error_code === 429)
    return { kind: "retry", afterMs: (retryAfter ?? 1) * 1000, error: said };
  if (error.error_code >= 500) return { kind: "retry", afterMs: SERVER_TROUBLE_MS, error: said };
  if (error.error_code === 401)
    return { kind: "retry", afterMs: TOKEN_REFUSED_MS, error: said, rightsLost: true };
  // only a person can block the bot; from a group it was removed
  if (error.error_code === 403 && !chatId.startsWith("-")) return { kind: "blocked", error: said };
  if (THREAD_GONE.test(error.description)) return { kind: "thread_gone", error: said };
  const isOut = error.error_code === 403 || CHAT_GONE.test(error.description);
  return { kind: "refused", error: said, ...(isOut ? { rightsLost: true } : {}) };
}

const CHAT_GONE = /^Bad Request: chat not found/i;
const THREAD_GONE = /^Bad Request: (message thread not found|TOPIC_DELETED)/i;

/** Whatever Telegram has against a topic in a chat that is there: it is no forum, a right is missing. */
export function isTopicRefused(error: unknown): boolean {
  return describes(error, /^Bad Request: (?!chat not found)/) && !isMoved(error);
}

function isMoved(error: unknown): boolean {
  return error instanceof GrammyError && error.parameters.migrate_to_chat_id !== undefined;
}

/** By Telegram's words, as it gives no code of its own; all three go with the text of the API. */
export function isFileTooBig(error: unknown): boolean {
  return describes(error, /^Bad Request: file is too big/);
}

/** The card shows already what it should: as good as done. */
export function isNotModified(error: unknown): boolean {
  return describes(error, /^Bad Request: message is not modified/);
}

/** Nothing was posted: the same is sent again as plain text. */
export function isMarkupRefused(error: unknown): boolean {
  return describes(error, /^Bad Request: can't parse entities/);
}

function describes(error: unknown, pattern: RegExp): boolean {
  return error instanceof GrammyError && pattern.test(error.description);
}
