import type { Language } from "./language.ts";
import { TOOL_ERROR_CODES, type ToolErrorCode } from "./tool.ts";

/** `lead`: whole sentences, in the bot's voice. `staff`: a few words, as they stand behind a tool's name. */
export type Reader = "lead" | "staff";

/** What a person is told of a failed call; of a code that is not known, only that it failed. */
export function toolErrorText(
  code: string | null | undefined,
  to: { reader: Reader; language: Language },
): string {
  const texts = isErrorCode(code) ? TEXTS[code] : UNKNOWN;
  return texts[to.language][to.reader];
}

/** Codes of the gate and of the backend (`SUPERSEDED`, `QUOTE_EXPIRED` …) are none of these. */
export function isErrorCode(code: string | null | undefined): code is ToolErrorCode {
  return TOOL_ERROR_CODES.some((known) => known === code);
}

type Texts = Record<Language, Record<Reader, string>>;

const UNKNOWN: Texts = {
  en: { lead: "This could not be done.", staff: "it failed" },
  ru: { lead: "Выполнить не получилось.", staff: "не вышло" },
};

const TEXTS: Record<ToolErrorCode, Texts> = {
  INVALID_ARGUMENTS: {
    en: {
      lead: "Some details for this are missing or unclear.",
      staff: "the bot's data did not pass the checks",
    },
    ru: {
      lead: "Для этого не хватает данных, или они непонятны.",
      staff: "данные бота не прошли проверку",
    },
  },
  POLICY_DENIED: {
    en: { lead: "I may not do this myself.", staff: "a rule does not allow it" },
    ru: { lead: "Сам я этого сделать не могу.", staff: "не разрешено правилами" },
  },
  APPROVAL_REJECTED: {
    en: { lead: "An operator declined this request.", staff: "an operator declined it" },
    ru: { lead: "Оператор отклонил этот запрос.", staff: "оператор отклонил" },
  },
  PERMISSION_DENIED: {
    en: {
      lead: "I have no access to this. A person has to look at it.",
      staff: "no right to it: a person has to look",
    },
    ru: {
      lead: "К этому у меня нет доступа, нужно, чтобы посмотрел человек.",
      staff: "нет доступа: нужен человек",
    },
  },
  TIMEOUT: {
    en: {
      lead: "There was no answer in time, so it is not known yet how this ended.",
      staff: "no answer in time",
    },
    ru: {
      lead: "Ответ не пришёл вовремя, поэтому пока неизвестно, чем это кончилось.",
      staff: "нет ответа вовремя",
    },
  },
  RATE_LIMITED: {
    en: {
      lead: "The service that is needed for this is very busy right now.",
      staff: "the other service asks to wait",
    },
    ru: {
      lead: "Нужный для этого сервис сейчас перегружен.",
      staff: "внешний сервис просит подождать",
    },
  },
  DUPLICATE_KEY: {
    en: {
      lead: "This has been asked for already; it is not done twice.",
      staff: "it is done or under way already",
    },
    ru: {
      lead: "Об этом уже просили, второй раз оно не делается.",
      staff: "уже сделано или делается",
    },
  },
  NOT_FOUND: {
    en: { lead: "I could not find what this is about.", staff: "not found" },
    ru: { lead: "Не удалось найти то, о чём речь.", staff: "не найдено" },
  },
  PROVIDER_ERROR: {
    en: {
      lead: "The service that is needed for this does not work right now.",
      staff: "the other service failed",
    },
    ru: {
      lead: "Нужный для этого сервис сейчас не работает.",
      staff: "сбой внешнего сервиса",
    },
  },
  RESULT_INVALID: {
    en: {
      lead: "An answer came that I cannot rely on.",
      staff: "the answer was not of the right form",
    },
    ru: {
      lead: "Пришёл ответ, на который нельзя положиться.",
      staff: "ответ не той формы",
    },
  },
};
