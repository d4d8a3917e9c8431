import type { ChatFault, ChatOutcome, ModelJournal, Reasoning } from "../domain/chat-model.ts";
import type { FailureClass } from "../domain/failure.ts";
import { isRetryable } from "../domain/failure.ts";
import type { JsonObject } from "../domain/json.ts";
import { classifyError, readEndpointError } from "./endpoint-error.ts";
import type { KeyMask } from "./key-mask.ts";
import { readCalls } from "./read-calls.ts";
import { retryAfterMsOf } from "./retry-after.ts";
import { contentOf } from "./stream-answer.ts";
import { splitTextCalls, withoutThinking } from "./text-calls.ts";
import { cleanText, countOf, isObject, textOf } from "./untrusted.ts";

/** What was asked, as far as the answer's reading hangs on it. */
export interface Asked {
  /** Of the tools that were offered. */
  toolNames: ReadonlySet<string>;
  /** The most tokens that the answer could have; null: no limit was set. */
  tokenCap: number | null;
  /** The text is data of a form of its own, not words. */
  isData: boolean;
  /** Whose reasoning it is; left out: it is not kept. */
  origin?: { provider: string; model: string };
  /** Of the key that was sent: what is shortened must not keep a part of it. */
  mask: Pick<KeyMask, "records">;
  now: number;
}

const NOTHING_ASKED: Asked = {
  ...{ toolNames: new Set<string>(), tokenCap: null, isData: false, now: 0 },
  mask: { records: (value) => value },
};

/**
 * Reads what an endpoint answered with status 200. The endpoint is not trusted: it may be any of
 * a dozen servers, so every field is looked at before it is believed.
 */
export function readAnswer(
  body: unknown,
  journal: ModelJournal,
  asked: Asked = NOTHING_ASKED,
): ChatOutcome {
  if (holdsError(body)) return errorOutcome(body, journal, asked);
  if (!isObject(body)) return failed("unreadable", "the endpoint answered no JSON object", journal);
  noteUsage(journal, body, asked);
  const choice = Array.isArray(body.choices) ? body.choices[0] : undefined;
  if (!isObject(choice) || !isObject(choice.message))
    return failed("unreadable", "the answer has no choice", journal);
  const finish = typeof choice.finish_reason === "string" ? choice.finish_reason : null;
  journal.finishReason = finish === null ? null : cleanText(asked.mask.records(finish), 100);
  if (choice.error) return errorOutcome({ error: choice.error }, journal, asked);
  if (finish === "error") return failed("error_body", "the endpoint broke off the answer", journal);
  return readMessage(choice.message, { finish, journal, asked });
}

/** An outcome without an answer; a class that passes by itself unless another is given. */
export function failed(
  fault: ChatFault,
  error: string,
  journal: ModelJournal,
  more: { failure?: FailureClass; status?: number; retryAfterMs?: number | null } = {},
): Extract<ChatOutcome, { kind: "failed" }> {
  const { failure = "transient", retryAfterMs = null, status } = more;
  return {
    kind: "failed",
    retryable: isRetryable(failure),
    ...{ failure, fault, retryAfterMs },
    ...(status === undefined ? {} : { status }),
    error: cleanText(error, 500),
    journal,
  };
}

/** An error that came with status 200. */
export function errorOutcome(
  given: unknown,
  journal: ModelJournal,
  { mask, now }: Pick<Asked, "mask" | "now">,
): ChatOutcome {
  const body = mask.records(given);
  const error = readEndpointError(body);
  const { failure, fault } = classifyError(200, error);
  const retryAfterMs = retryAfterMsOf({ status: error.status, headers: null, body, now });
  const text = `the endpoint answered an error: ${error.message}`;
  return failed(fault, text, journal, { failure, retryAfterMs, status: error.status ?? 200 });
}

/** An answer holds choices, whatever stands beside them. */
function holdsError(body: unknown): boolean {
  const first = Array.isArray(body) ? body[0] : body;
  if (!isObject(first)) return false;
  if (first.error) return true;
  return first.choices === undefined && (first.object === "error" || first.detail !== undefined);
}

function noteUsage(journal: ModelJournal, body: Record<string, unknown>, { mask }: Asked): void {
  const usage = isObject(body.usage) ? body.usage : {};
  journal.inputTokens = countOf(usage.prompt_tokens);
  journal.outputTokens = countOf(usage.completion_tokens);
  const model = cleanText(mask.records(body.model), 200);
  if (model !== "") journal.modelId = model;
}

/** Broken off by something else than the model; its calls must not run. */
const CUTS: ReadonlySet<string> = new Set([
  "length",
  "max_tokens",
  "model_length",
  "model_context_window_exceeded",
  "content_filter",
  "network_error",
  "insufficient_system_resource",
]);

interface Reading {
  finish: string | null;
  journal: ModelJournal;
  asked: Asked;
}

function readMessage(message: Record<string, unknown>, reading: Reading): ChatOutcome {
  const { finish, journal, asked } = reading;
  const { calls, hasTooMany } = readCalls(message, asked.toolNames);
  const said = withoutThinking(cleanText(contentOf(message.content)));
  const plain = { text: said, calls: [], hasMarkup: false };
  const words = asked.isData ? plain : splitTextCalls(said, asked.toolNames);
  const refusal = textOf(message.refusal);
  if (refusal !== "" && (calls.length > 0 || said.trim() === ""))
    return failed("refused", `the model refused: ${asked.mask.records(refusal)}`, journal);
  const proposed = calls.length > 0 ? calls : words.calls;
  const isWritten = calls.length === 0 && words.hasMarkup;
  // what is left of the text promised something that will not happen
  if (proposed.length === 0 && (isWritten || words.text.trim() === ""))
    return nothing(isWritten, reading);
  const isAtCap = asked.tokenCap !== null && (journal.outputTokens ?? 0) >= asked.tokenCap;
  const cut = CUTS.has(finish ?? "") || isAtCap || hasTooMany || isWritten;
  const reasoning = reasoningOf(message, asked);
  return {
    ...{ kind: "answer", text: words.text, calls: proposed, cut },
    ...(reasoning ? { reasoning } : {}),
    journal,
  };
}

function nothing(isWritten: boolean, { finish, journal }: Reading): ChatOutcome {
  if (isWritten) return failed("text_call", "the answer wrote a tool call as text", journal);
  if (finish === "content_filter") return failed("refused", "a filter held it back", journal);
  return failed("empty", "the answer is empty", journal);
}

const REASONING = ["reasoning_content", "reasoning", "reasoning_details", "extra_content"];

function reasoningOf(message: Record<string, unknown>, { origin }: Asked): Reasoning | null {
  if (!origin) return null;
  const kept = REASONING.filter((name) => message[name] !== undefined && message[name] !== null);
  if (kept.length === 0) return null;
  const fields = Object.fromEntries(kept.map((name) => [name, message[name]])) as JsonObject; // parsed JSON
  return { ...origin, fields };
}
