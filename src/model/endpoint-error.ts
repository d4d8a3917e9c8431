import type { ChatFault } from "../domain/chat-model.ts";
import { type FailureClass, failureOfStatus } from "../domain/failure.ts";
import { isContextOverflow } from "./context-overflow.ts";
import { cleanText, isObject, jsonOf, textOf } from "./untrusted.ts";

/** What an endpoint said went wrong, in whatever form. */
export interface EndpointError {
  message: string;
  /** Code and type in one, lower case: endpoints swap them. */
  words: string;
  /** A numeric code that is an HTTP status. */
  status: number | null;
  /** A moderation says what it took offence at. */
  isFlagged: boolean;
}

/** Reads an error out of a body: an object, a list of one, a string, FastAPI's detail, or a page. */
export function readEndpointError(body: unknown): EndpointError {
  const first = Array.isArray(body) ? body[0] : body;
  const said = { words: "", status: null, isFlagged: false };
  if (typeof first === "string") return { ...said, message: plainText(first) };
  if (!isObject(first)) return { ...said, message: "it gave no reason" };
  if (typeof first.error === "string")
    return {
      ...{ message: cleanText(first.error, MOST), words: codesOf(first) },
      ...{ status: statusOf(first), isFlagged: false },
    };
  const listed = Array.isArray(first.errors) && isObject(first.errors[0]) ? first.errors[0] : first;
  const error = isObject(first.error) ? first.error : listed;
  return {
    ...{ message: messageIn(error), words: codesOf(error) },
    ...{ status: statusOf(error), isFlagged: isFlagged(error) },
  };
}

/** A body's text as JSON where it is some, else as it is. */
export function parsedBody(text: string): unknown {
  return jsonOf(text) ?? text;
}

/** What follows from an error; `status` is that of HTTP, below 400 where the error came in a 200. */
export function classifyError(
  status: number,
  error: EndpointError,
): { failure: FailureClass; fault: ChatFault } {
  const said = { ...error, status: status >= 400 ? status : error.status };
  const fault = status >= 300 ? "status" : "error_body";
  if (isContextOverflow(said)) return { failure: "schema_invalid", fault: "context_overflow" };
  if (isModeration(said)) return { failure: "policy_block", fault: "refused" };
  if (isTooDear(said)) return { failure: "schema_invalid", fault: "refused" };
  if (isQuota(said)) return { failure: "insufficient_funds", fault: "quota" };
  if (status >= 300 && status < 400) return { failure: "invalid_resource", fault };
  const failure = failureOfStatus(said.status ?? 0) ?? failureOfWords(said) ?? "transient";
  return { failure, fault };
}

const MOST = 2_000;

function messageIn(error: Record<string, unknown>): string {
  const said = error.message ?? error.msg ?? error.error_msg ?? error.detail ?? error.error;
  const text = typeof said === "string" ? said : shown(said);
  const raw = isObject(error.metadata) ? textOf(error.metadata.raw) : "";
  return cleanText([text, raw].filter((part) => part !== "").join(": "), MOST) || "no reason given";
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return "";
  return JSON.stringify(value) ?? "";
}

function codesOf(error: Record<string, unknown>): string {
  return [error.code, error.type, error.status, error.object]
    .filter((value) => typeof value === "string" || typeof value === "number")
    .join(" ")
    .slice(0, 300)
    .toLowerCase();
}

function statusOf(error: Record<string, unknown>): number | null {
  const code = [error.code, error.status, error.status_code]
    .map((value) => (typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value))
    .find((value) => typeof value === "number" && value >= 400 && value < 600);
  return typeof code === "number" ? code : null;
}

/** Of a page only its words. */
function plainText(text: string): string {
  const words = text
    .slice(0, 4_000)
    .replace(/<(script|style)\b[^>]*>[^<]*/gi, " ")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  return cleanText(words, 200) || "it gave no reason";
}

function isFlagged({ metadata }: Record<string, unknown>): boolean {
  if (!isObject(metadata)) return false;
  return typeof metadata.flagged_input === "string" || Array.isArray(metadata.reasons);
}

const MODERATION_WORDS =
  /content_?(filter|policy)|moderation|responsible_?ai|data_?inspection|sensitive_?content|prohibited_?content|invalid_prompt|safety/;

/** How OpenRouter, OpenAI, Azure, xAI, Mistral and Alibaba say that this text is not for them. */
const MODERATION_TEXTS = [
  /\b(input|prompt|request|messages?|content|text)\b.{0,30}\b(was|were|is|are|been|got) (flagged|moderated)\b/i,
  /\b(input|prompt|request|messages?|content|text)\b.{0,60}\bviolat\w+.{0,60}\b(polic\w+|guidelines?|terms)\b/i,
  /\bcontent (management|moderation|safety) (polic\w+|system|filter)/i,
  /\b(input|output|prompt|request)\b.{0,60}\binappropriate content\b/i,
  /\bblocked by (the |our )?(content|safety|moderation)\b/i,
];

/** Then it is about whoever holds the key, and not about this text. */
const ABOUT_HOLDER =
  /\b(account|organi[sz]ation|project|workspace|api key|access|subscription)\b.{0,80}\b(terminated|deactivated|suspended|disabled|banned|blocked|revoked|closed|restricted)\b/i;

/** The text of this request was refused; another one goes through, with the same key. */
function isModeration({ words, message, status, isFlagged: flagged }: EndpointError): boolean {
  if (status !== 429 && (flagged || MODERATION_WORDS.test(words))) return true;
  if (status === 429 || (status ?? 0) >= 500 || ABOUT_HOLDER.test(message)) return false;
  return MODERATION_TEXTS.some((text) => text.test(message));
}

/** With less than this no answer comes to its end: the account is as good as used up. */
const FEWEST_TOKENS = 100;

/** The account has something left: less than this request may cost, and enough for smaller ones. */
function isTooDear({ message, status }: EndpointError): boolean {
  if (status !== 402) return false;
  const afforded = /can only afford (\d+)/i.exec(message)?.[1];
  if (afforded !== undefined) return Number(afforded) >= FEWEST_TOKENS;
  return /\b(fewer|lower|reduce|decrease)\b.{0,20}\bmax_(completion_)?tokens\b|\bprompt tokens limit exceeded\b/i.test(
    message,
  );
}

const QUOTA_WORDS =
  /insufficient_(quota|balance|credits?|funds)|billing_(hard_limit|not_active)|exceeded_current_quota/;
const QUOTA_TEXT = /insufficient (balance|credits?|funds|quota)|credit balance is too low/i;

/** A used-up account does not come back by waiting. */
function isQuota({ words, message, status }: EndpointError): boolean {
  return status === 402 || QUOTA_WORDS.test(words) || QUOTA_TEXT.test(message);
}

const BY_WORDS: [RegExp, FailureClass][] = [
  [/rate.?limit|too.?many.?requests|resource.?exhausted|throttl/, "rate_limited"],
  [/overloaded|unavailable|over.?capacity|engine_busy/, "unavailable"],
  [/api.?key|authenticat|unauthori[sz]ed|permission|forbidden/, "access_denied"],
  [/model.?not.?found|not_found/, "invalid_resource"],
  [/time.?d?.?out|deadline/, "timeout"],
  [/invalid.?request|invalid.?argument|validation/, "schema_invalid"],
];

function failureOfWords({ words, message }: EndpointError): FailureClass | null {
  const match = (text: string) => BY_WORDS.find(([pattern]) => pattern.test(text))?.[1] ?? null;
  return match(words) ?? match(message.toLowerCase());
}
