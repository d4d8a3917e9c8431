import type { CandidateStatus } from "./candidate.ts";
import type { Media } from "./inbound.ts";
import type { Language } from "./language.ts";
import { isErrorCode, toolErrorText } from "./tool-error-texts.ts";

/** What staff read of one turn, in the thread of its conversation. */
export interface MirroredWords {
  lead: readonly { text: string; media: readonly Media[] }[];
  /** What the bot answered; `code`: a text that holds a payout code, which nobody here may read. */
  said: { kind: "text"; text: string } | { kind: "code" } | null;
  calls: readonly MirroredCall[];
}

/** Name and outcome alone: arguments and data are for the admin pages. */
export interface MirroredCall {
  toolName: string;
  status: CandidateStatus;
  /** As the model is shown it: why it failed. */
  reply?: { error?: { code: string } } | null;
}

/** Longer words are cut: the thread is for following a conversation, the admin pages for its record. */
const MESSAGE_CHARS = 1000;
const LEAD_CHARS = 2500;

/** Plain text; empty when there is nothing to show. Each line of the lead's begins with a mark. */
export function mirrorText(words: MirroredWords, language: Language): string {
  const texts = TEXTS[language];
  const lines = [
    ...leadLines(words.lead, texts),
    ...saidLines(words.said, texts),
    ...callLines(words.calls, language),
  ];
  return lines.join("\n");
}

type Texts = (typeof TEXTS)[Language];

/** No line of a lead can look like one of ours. */
const LEAD_MARK = "> ";

function leadLines(messages: MirroredWords["lead"], texts: Texts): string[] {
  const lines: string[] = [];
  let chars = 0;
  for (const [index, message] of messages.entries()) {
    const shown = cut(leadWords(message, texts));
    if (chars > 0 && chars + shown.length > LEAD_CHARS) {
      lines.push(`${LEAD_MARK}${texts.more} ${messages.length - index}`);
      break;
    }
    chars += shown.length;
    lines.push(...shown.split(/\r\n|[\r\n\u0085\u2028\u2029\v\f]/).map((line) => LEAD_MARK + line));
  }
  return lines;
}

function leadWords({ text, media }: MirroredWords["lead"][number], texts: Texts): string {
  const marks = media.map((one) => `[${mediaWords(one, texts)}]`);
  return [...marks, ...(text.trim() === "" ? [] : [text.trim()])].join(" ");
}

function mediaWords(media: Media, texts: Texts): string {
  if (media.kind === "forward") return forwardedWords(media, texts);
  const kind = texts.kinds[media.kind] ?? texts.kinds.other;
  const name = media.fileName ? `: ${media.fileName}` : "";
  return `${kind}${name}${media.forwarded ? `, ${forwardedWords(media, texts)}` : ""}`;
}

/** A name alone proves nothing, so that it never stands without what it is the name of. */
function forwardedWords({ forwardedFrom: origin }: Media, texts: Texts): string {
  if (!origin) return texts.forwarded;
  const name = origin.name.replace(/[\r\n[\]]/g, " ").slice(0, 80);
  return `${texts.forwarded}: ${texts.origins[origin.kind]} ${name}`;
}

function saidLines(said: MirroredWords["said"], texts: Texts): string[] {
  if (said === null) return [];
  return [said.kind === "code" ? texts.code : cut(said.text)];
}

function callLines(calls: MirroredWords["calls"], language: Language): string[] {
  if (calls.length === 0) return [];
  const shown = calls.map((call) => `${call.toolName}: ${outcomeOf(call, language)}`);
  return [`⚙ ${shown.join(" · ")}`];
}

function outcomeOf({ status, reply }: MirroredCall, language: Language): string {
  const texts = TEXTS[language];
  switch (status) {
    case "executed":
      return "ok";
    case "waiting_approval":
      return texts.asked;
    case "proposed":
    case "queued":
      return texts.underWay;
    case "schema_failed":
    case "blocked_by_policy":
    case "failed":
      return `${texts.refused}${whyOf(reply?.error?.code, language)}`;
    default:
      return status satisfies never;
  }
}

function whyOf(code: string | undefined, language: Language): string {
  return isErrorCode(code) ? ` (${toolErrorText(code, { reader: "staff", language })})` : "";
}

function cut(text: string): string {
  const chars = Array.from(text);
  return chars.length > MESSAGE_CHARS ? `${chars.slice(0, MESSAGE_CHARS - 1).join("")}…` : text;
}

const TEXTS = {
  en: {
    more: "… and more messages:",
    forwarded: "forwarded",
    origins: { user: "user", hidden_user: "hidden user", chat: "chat", channel: "channel" },
    code: "[code sent, ends in ••]",
    asked: "asked people",
    underWay: "under way",
    refused: "refused",
    kinds: {
      photo: "photo",
      document: "document",
      video: "video",
      video_note: "round video",
      voice: "voice message",
      audio: "audio",
      sticker: "sticker",
      other: "attachment",
    } as Record<string, string> & { other: string },
  },
  ru: {
    more: "… и ещё сообщений:",
    forwarded: "переслано",
    origins: {
      user: "пользователь",
      hidden_user: "скрытый пользователь",
      chat: "чат",
      channel: "канал",
    },
    code: "[код отправлен, оканчивается на ••]",
    asked: "спросили людей",
    underWay: "в работе",
    refused: "отказ",
    kinds: {
      photo: "фото",
      document: "документ",
      video: "видео",
      video_note: "кружок",
      voice: "голосовое",
      audio: "аудио",
      sticker: "стикер",
      other: "вложение",
    } as Record<string, string> & { other: string },
  },
} as const satisfies Record<Language, unknown>;
