import type { FormRequest } from "../../domain/desk.ts";
import type { MessengerName } from "../../domain/inbound.ts";
import type { Language } from "../../domain/language.ts";
import { PAYOUT_CODE_FORM } from "../secret-forms.ts";

/** A toast of 200 characters must hold the code and the words around it. */
export const MOST_CODE_CHARS = 64;
const MOST_UNTIL_CHARS = 40;

/** In the clear, and only on its way: it is sealed before it is stored. */
export interface TypedCode {
  code: string;
  /** Milliseconds; null: none was named. */
  until: number | null;
}

/** What was typed, or why it cannot be used, for the person who typed it. */
export type ReadCode =
  | ({ kind: "ok" } & TypedCode)
  /** What is wrong, by the field that it stands in. */
  | { kind: "wrong"; field: "code" | "until"; text: string };

/** Asks for a code. A forced reply has one field: the time may stand on a second line. */
export function payoutCodeForm(given: {
  handoffId: string;
  orderName: string;
  messenger: MessengerName;
  language: Language;
}): FormRequest {
  const { handoffId, orderName, messenger, language } = given;
  const texts = TEXTS[language];
  const code = {
    ...{ name: "code", multiline: false, optional: false, maxLength: MOST_CODE_CHARS },
    label: messenger === "slack" ? texts.code : texts.codeAndUntil,
  };
  const until = {
    ...{ name: "until", multiline: false, optional: true, maxLength: MOST_UNTIL_CHARS },
    label: texts.until,
  };
  return {
    form: PAYOUT_CODE_FORM,
    subject: handoffId,
    title: texts.title(orderName),
    submitLabel: texts.submit,
    fields: messenger === "slack" ? [code, until] : [code],
  };
}

/** Reads what was typed, from one field of two lines or from two. Pure; `now` is product time. */
export function readTypedCode(
  values: Record<string, string>,
  { now, language }: { now: number; language: Language },
): ReadCode {
  const texts = TEXTS[language];
  const [first = "", ...rest] = (values.code ?? "").trim().split(/\s*\n\s*/);
  const code = first.trim();
  const untilText = (values.until ?? rest.join(" ")).trim();
  if (code === "") return { kind: "wrong", field: "code", text: texts.empty };
  if (Array.from(code).length > MOST_CODE_CHARS)
    return { kind: "wrong", field: "code", text: texts.tooLong };
  if (/\p{C}/u.test(code)) return { kind: "wrong", field: "code", text: texts.invisible };
  if (untilText === "") return { kind: "ok", code, until: null };
  const until = readTime(untilText);
  if (until === null) return { kind: "wrong", field: "until", text: texts.noTime };
  if (until <= now) return { kind: "wrong", field: "until", text: texts.past };
  return { kind: "ok", code, until };
}

/** `2026-11-03 18:00` or `03.11.2026 18:00`, UTC; a day alone lasts to its end. */
function readTime(text: string): number | null {
  const iso = /^(\d{4})-(\d{2})-(\d{2})(?:[T ]+(\d{1,2}):(\d{2}))?(?: ?(?:UTC|Z))?$/i.exec(text);
  const dotted = /^(\d{2})\.(\d{2})\.(\d{4})(?: +(\d{1,2}):(\d{2}))?(?: ?UTC)?$/i.exec(text);
  const date = iso
    ? { year: iso[1], month: iso[2], day: iso[3] }
    : { year: dotted?.[3], month: dotted?.[2], day: dotted?.[1] };
  if (!iso && !dotted) return null;
  const [hour = "23", minute = "59"] = (iso ?? dotted ?? []).slice(4, 6);
  const shown = `${date.year}-${date.month}-${date.day}T${hour.padStart(2, "0")}:${minute}:00.000Z`;
  const at = Date.parse(shown);
  // the 31st of a shorter month would be another day
  return !Number.isNaN(at) && new Date(at).toISOString() === shown ? at : null;
}

const TEXTS = {
  en: {
    title: (order: string) => `Code for ${order}`,
    submit: "Check",
    code: "Code",
    until: "Valid until, UTC (2026-11-03 18:00)",
    codeAndUntil:
      "Answer with the code. If it ends, add a second line: valid until, UTC, like 2026-11-03 18:00",
    empty: "The code is empty: type what the client has to show.",
    tooLong: `The code is longer than ${MOST_CODE_CHARS} characters: type the code alone.`,
    invisible: "The code holds invisible characters: type it by hand.",
    noTime: "This is no time: type it like 2026-11-03 18:00 (UTC).",
    past: "This time has passed: the code would be dead already.",
  },
  ru: {
    title: (order: string) => `Код для ${order}`,
    submit: "Проверить",
    code: "Код",
    until: "Действует до, UTC (2026-11-03 18:00)",
    codeAndUntil:
      "Ответьте кодом. Если у него есть срок, второй строкой: действует до, UTC, например 2026-11-03 18:00",
    empty: "Код пустой: напишите то, что клиент должен предъявить.",
    tooLong: `Код длиннее ${MOST_CODE_CHARS} знаков: напишите только код.`,
    invisible: "В коде есть невидимые знаки: наберите его вручную.",
    noTime: "Это не время: напишите, например, 2026-11-03 18:00 (UTC).",
    past: "Это время уже прошло: код был бы недействителен.",
  },
} as const satisfies Record<Language, unknown>;
