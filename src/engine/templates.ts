import type { JsonObject } from "../domain/json.ts";
import type { Language } from "../domain/language.ts";
import { isErrorCode, toolErrorText } from "../domain/tool-error-texts.ts";
import type { TranscriptCall } from "../store/transcript.ts";

/** Why there is no answer, where a call says so, and who answers instead. */
export function handoverText(calls: readonly TranscriptCall[], language: Language): string {
  const failed = calls.findLast(({ reply }) => isErrorCode(reply?.error?.code));
  const why = failed && toolErrorText(failed.reply?.error?.code, { reader: "lead", language });
  return [why, HANDOVER_TEXTS[language]].filter(Boolean).join(" ");
}

const HANDOVER_TEXTS: Record<Language, string> = {
  en: "I am passing your question to an operator, who will contact you directly.",
  ru: "Передаю ваш вопрос оператору, он свяжется с вами напрямую.",
};

/** A plain text from what the calls of a run returned; null when they say nothing for the lead. */
export function textFromResults(
  calls: readonly TranscriptCall[],
  language: Language,
): string | null {
  const lines = calls.flatMap((call) => {
    const line = lineOf(call, language);
    return line === null ? [] : [line];
  });
  return lines.length > 0 ? [...new Set(lines)].join("\n") : null;
}

function lineOf(call: TranscriptCall, language: Language): string | null {
  const texts = TEXTS[language];
  if (call.reply?.status === "waiting_approval") return texts.checking;
  if (!call.reply?.ok) return null;
  const data = dataOf(call);
  switch (call.toolName) {
    case "compute_exchange_quote":
      return textField(data, "display");
    case "create_exchange_order":
      return line(texts.order, textField(data, "orderId"));
    case "fetch_exchange_requisites":
      return requisitesText(data);
    case "verify_exchange_payment":
      return data.ok === true ? texts.paid : null;
    case "offer_booking_link":
      return line(texts.booking, textField(data, "url"));
    case "get_exchange_business_info":
      return joined([textField(data, "workingHours"), textField(data, "officeAddress")]);
    default:
      return null;
  }
}

function requisitesText(data: JsonObject): string | null {
  return joined(
    ["address", "memo", "exchangeId", "paymentUrl", "detailsText", "instructions"].map((name) =>
      textField(data, name),
    ),
  );
}

function dataOf(call: TranscriptCall): JsonObject {
  const data = call.reply?.data;
  return data !== null && typeof data === "object" && !Array.isArray(data) ? data : {};
}

function textField(data: JsonObject, name: string): string | null {
  const value = data[name];
  return typeof value === "string" && value !== "" ? value : null;
}

function line(label: string, value: string | null): string | null {
  return value === null ? null : `${label}: ${value}`;
}

function joined(parts: (string | null)[]): string | null {
  const said = parts.filter((part) => part !== null);
  return said.length > 0 ? said.join("\n") : null;
}

const TEXTS = {
  en: {
    checking: "An operator is checking this now. I will write as soon as there is an answer.",
    order: "Your order",
    paid: "The payment has arrived and is confirmed.",
    booking: "You can book a time here",
  },
  ru: {
    checking: "Оператор сейчас это проверяет. Напишу, как только будет ответ.",
    order: "Ваша заявка",
    paid: "Оплата поступила и подтверждена.",
    booking: "Выбрать время можно здесь",
  },
} as const;
