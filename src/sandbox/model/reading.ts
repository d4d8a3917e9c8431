import { readMedia, withoutMarks } from "./media.ts";
import { normalise } from "./phrase.ts";
import { type ChatMessage, type ChatRequest, messageText } from "./wire.ts";

/** Of the lead's last words; the stand-in answers in it. */
export type Language = "ru" | "en";

/** A tool's answer as the tool message has it; `data` also holds what stood beside it. */
export interface ToolResult {
  ok: boolean;
  status: string;
  code: string;
  approval?: string;
  data: Record<string, unknown>;
}

/** A call with its result, however many rounds ago. */
export interface ToolRun {
  name: string;
  args: Record<string, unknown>;
  result: ToolResult;
}

/** A system line about an approval: "A-17 (issue_exchange_payout) is now completed; …". */
export interface Outcome {
  approval: string;
  tool: string;
  status: string;
  text: string;
}

/** `id` as it is cited: `E1`. */
export interface Passage {
  id: string;
  title: string;
  text: string;
}

/** Everything the rules look at, read from the messages of one request. */
export interface Reading {
  language: Language;
  /** What the lead wrote before this turn, oldest first. */
  earlierTexts: string[];
  /** What the lead wrote since the last reply, in one text without media marks. */
  text: string;
  /** Files of this turn that people can look at: `photo`, `video_note`, `document` … */
  media: string[];
  /** What came without words and is no such file: `sticker`, `voice`, `location`, `empty` … */
  wordless: string[];
  /** A file came that nobody can open. */
  hasTooLarge: boolean;
  /** Set when the request goes on after an approval, without a word of the lead. */
  trigger?: Outcome;
  /** Outcomes that joined a turn of the lead. */
  notices: Outcome[];
  /** Calls and outcomes of the whole conversation, in their order. */
  timeline: (ToolRun | Outcome)[];
  turnRuns: ToolRun[];
  /** The runs of this turn after the last word of the lead or the system. */
  freshRuns: ToolRun[];
  /** The backend says in this turn that it has called a person itself. */
  personCalled: boolean;
  evidence: Passage[];
  tools: Map<string, Record<string, unknown>>;
  isFirstReply: boolean;
}

const OUTCOME =
  /\b(A-\d+)\b\s*(?:\(([a-z_]+)\))?[^.;\n]{0,20}?\b(completed|declined|rejected|expired|failed|cancelled|superseded|frozen|unknown|waiting_approval)\b/;

const PERSON_CALLED = /^\s*An operator was asked to step in\b/;

/** All that the stand-in knows stands in the request, as with a real model. */
export function readRequest(request: ChatRequest): Reading {
  const { messages } = request;
  const turnAt = turnStart(messages);
  const lastWord = messages.findLastIndex((m) => m.role === "user" || outcomeOf(m) !== undefined);
  const turn = messages.slice(turnAt);
  const users = turn.filter((message) => message.role === "user").map(leadText);
  const notices = turn.flatMap((message) => outcomeOf(message) ?? []);
  const earlierTexts = messages
    .slice(0, turnAt)
    .filter((message) => message.role === "user")
    .map(leadText);
  const whole = users.join("\n");
  return {
    language:
      languageOf([...earlierTexts, ...users], messages.filter(isReply).map(messageText)) ??
      askedLanguage(messages),
    earlierTexts,
    text: withoutMarks(whole),
    ...readMedia(whole),
    trigger: users.length === 0 ? notices.at(-1) : undefined,
    notices,
    timeline: messages.flatMap((m, at): (ToolRun | Outcome)[] => {
      const outcome = outcomeOf(m);
      return outcome ? [outcome] : runsOf(messages, at);
    }),
    turnRuns: toolRuns(turn),
    freshRuns: toolRuns(messages.slice(Math.max(lastWord, 0))),
    personCalled: turn.some((m) => isSystem(m) && PERSON_CALLED.test(messageText(m))),
    evidence: messages.flatMap((m) => (isSystem(m) ? passages(messageText(m)) : [])),
    tools: offeredTools(request),
    isFirstReply: !messages.some(isReply),
  };
}

/** Did the backend itself call a person with this refusal? A call that was denied called nobody. */
export function asksPerson(result: ToolResult): boolean {
  const wasRun = result.status !== "denied" && !/stage|no_order/.test(result.code);
  return wasRun && result.data.needsOperator === true;
}

/** Messengers end at 4096 characters; the wish stands in the first of them. */
function leadText(message: ChatMessage): string {
  return messageText(message).slice(0, 2000);
}

/** Where the words begin that no reply of ours has answered yet. */
function turnStart(messages: ChatMessage[]): number {
  const lastReply = messages.findLastIndex(isReply);
  if (lastReply >= 0) return lastReply + 1;
  const firstUser = messages.findIndex((message) => message.role === "user");
  return Math.max(firstUser, 0);
}

function isReply(message: ChatMessage): boolean {
  return message.role === "assistant" && !message.tool_calls && messageText(message) !== "";
}

function isSystem(message: ChatMessage): boolean {
  return message.role === "system" || message.role === "developer";
}

/** The instructions at the head may explain such lines; those are no outcome, they begin no line. */
function outcomeOf(message: ChatMessage): Outcome | undefined {
  if (!isSystem(message)) return undefined;
  const text = messageText(message).trim();
  const match = OUTCOME.exec(text);
  if (match?.index !== 0) return undefined;
  const [, approval = "", tool = "", status = ""] = match;
  return { approval, tool, status, text };
}

function toolRuns(messages: ChatMessage[]): ToolRun[] {
  return messages.flatMap((_, at) => runsOf(messages, at));
}

function runsOf(messages: ChatMessage[], at: number): ToolRun[] {
  const message = messages[at];
  if (message?.role !== "assistant" || !message.tool_calls) return [];
  return message.tool_calls.flatMap((call) => {
    const answer = messages
      .slice(at + 1)
      .find((each) => each.role === "tool" && each.tool_call_id === call.id);
    if (!answer) return [];
    const args = jsonObject(call.function.arguments) ?? {};
    return [{ name: call.function.name, args, result: toolResult(messageText(answer)) }];
  });
}

function toolResult(text: string): ToolResult {
  const top = jsonObject(text) ?? {};
  const error = asObject(top.error);
  const data = { ...top, ...asObject(error.data), ...asObject(top.data) };
  const status = String(top.status ?? "");
  const failed = top.ok === false || asObject(top.data).ok === false || top.error != null;
  return {
    ok: !failed && !["denied", "failed", "frozen", "waiting_approval"].includes(status),
    status,
    code: String(data.reason ?? error.code ?? ""),
    approval: /A-\d+/.exec(String(data.approval ?? ""))?.[0],
    data,
  };
}

/** The JSON object of a text, also when a fence or a note stands around it. */
function jsonObject(text: string): Record<string, unknown> | undefined {
  const start = text.indexOf("{");
  const end = text.lastIndexOf("}");
  if (start < 0 || end < start) return undefined;
  try {
    return asObject(JSON.parse(text.slice(start, end + 1)));
  } catch {
    return undefined;
  }
}

function asObject(value: unknown): Record<string, unknown> {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : {}; // checked on the line above
}

function passages(text: string): Passage[] {
  const blocks = text.matchAll(/<evidence\b([^>]*)>([\s\S]*?)<\/evidence>/g);
  return [...blocks].map(([, attributes = "", body = ""]) => ({
    id: attribute(attributes, "id"),
    title: attribute(attributes, "title"),
    text: body.trim(),
  }));
}

function attribute(attributes: string, name: string): string {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? "";
}

function offeredTools(request: ChatRequest): Map<string, Record<string, unknown>> {
  if (request.tool_choice === "none") return new Map();
  return new Map(
    request.tools?.map((tool) => [tool.function.name, tool.function.parameters ?? {}]) ?? [],
  );
}

/** Tickers, hashes, links, commands and the names of networks and banks are no words of a language. */
const NO_WORDS =
  /\[[^\]]*\]|https?:\/\/\S+|\S+@\S+|(?<!\S)\/[a-z]\S*|\b[0-9a-z]*\d[0-9a-z]*\b|\b(?:usdt|usdc|btc|eth|ltc|trx|ton|rub|eur|usd|thb|php|ok|trc|erc|bep|bsc|sol|tron|sbp|qr|atm|kyc|aml|scb|kbank|tx|txid|hash)\b/g;

/** The language of the lead's last message that has words, else of the replies so far; null: no words. */
function languageOf(texts: string[], replies: string[]): Language | null {
  for (const text of [...replies, ...texts].toReversed()) {
    const words = normalise(text).replace(NO_WORDS, " ");
    if (/\p{Script=Cyrillic}/u.test(words)) return "ru";
    if (/[a-z]{2}/.test(words)) return "en";
  }
  return null;
}

/** What the instructions at the head say to write in. */
function askedLanguage([head]: ChatMessage[]): Language {
  const asksRussian = head && isSystem(head) && /\bWrite in Russian\b/.test(messageText(head));
  return asksRussian ? "ru" : "en";
}
