import type { ModelAnswer } from "./completion.ts";
import { type Context, inLanguage } from "./context.ts";
import { asksPerson, type ToolResult } from "./reading.ts";
import { withPerson } from "./with-person.ts";

type Texts = [russian: string, english: string];

const REFUSALS: [pattern: RegExp, ...texts: Texts][] = [
  [
    /orders_stopped/,
    "Новые заявки мы сейчас ненадолго не принимаем.",
    "We are not taking new orders for a little while.",
  ],
  [
    /needsVerification|kyc|verification/i,
    "Перед первым обменом нужна разовая проверка: пришлите фото документа и короткое видео, где вы называете имя и направление обмена. Их посмотрит человек.",
    "Before the first exchange there is a one-time check: please send a photo of your ID document and a short video where you say your name and the direction of the exchange. A person will look at them.",
  ],
  [
    /destination/i,
    "Для перевода на счёт пришлите, пожалуйста, название банка и номер счёта.",
    "For a bank transfer please send me the name of the bank and the account number.",
  ],
  [/location/i, "Подскажите, пожалуйста, какой офис вам удобен%o?", "Which office suits you%o?"],
  [
    /payout_method/i,
    "Так выдать не можем. Как удобнее получить: офис, курьер, банкомат без карты или тайский счёт?",
    "We cannot pay out that way. How would you like to receive it: office, courier, cardless ATM or a Thai bank account?",
  ],
  [
    /positive/i,
    "Сумма должна быть больше нуля. Сколько хотите поменять?",
    "The amount has to be above zero. How much do you want to change?",
  ],
  [
    /min/i,
    "Эта сумма меньше минимальной для обмена%l. Какую сумму посчитать?",
    "This sum is below the minimum%l. Which amount shall I work out?",
  ],
  [
    /max/i,
    "Эта сумма больше максимальной для обмена%l. Какую сумму посчитать?",
    "This sum is above the maximum%l. Which amount shall I work out?",
  ],
  [
    /blocked|payment/i,
    "По текущей заявке уже идёт оплата, поэтому изменить её не могу.",
    "A payment for the current order is on its way, so I cannot change it.",
  ],
  [
    /rate|guard|no_|unsupported|network/i,
    "Это направление%d сейчас посчитать не могу. Можно назвать другую валюту или сеть.",
    "I cannot work out this direction%d now. You may name another currency or network.",
  ],
  [/stage|not_allowed/i, "На этом шаге так сделать не могу.", "This cannot be done at this step."],
];

/** An honest no after the code of the result; what needs a person is handed to one first. */
export function refusalAnswer(context: Context, result: ToolResult, before = ""): ModelAnswer {
  const { data } = result;
  const said = [before, refusalText(context, result)].filter((text) => text !== "").join(" ");
  if (data.needsOperator !== true || data.needsVerification === true) return { content: said };
  const isBlocked = data.blockedByPayment === true;
  return withPerson(context, {
    reason: isBlocked ? "payment_review" : "operator_request",
    said,
    isAsked: isBlocked && asksPerson(result),
  });
}

function refusalText(context: Context, result: ToolResult): string {
  const { data } = result;
  const needsIdentity = data.needsVerification === true;
  if (needsIdentity && /pending|review/.test(String(data.kycStatus ?? data.status ?? "")))
    return inLanguage(
      context,
      "Документы ещё на проверке у человека. Как только он ответит, продолжим.",
      "Your documents are still with a person for a check. We go on as soon as that is answered.",
    );
  const found = REFUSALS.find(([pattern]) => pattern.test(codeOf(result)));
  if (found) return withFacts(inLanguage(context, found[1], found[2]), context, result);
  return inLanguage(
    context,
    "Сейчас это не получилось. Попробуйте, пожалуйста, чуть позже.",
    "That did not work just now. Please try again a little later.",
  );
}

function codeOf({ data, code }: ToolResult): string {
  if (data.needsVerification === true) return "needsVerification";
  return data.blockedByPayment === true ? "blocked" : code;
}

/** Limits, offices and directions as the result names them. */
function withFacts(text: string, context: Context, { data }: ToolResult): string {
  const asset = String(data.asset ?? context.terms.asset ?? "");
  const network = String(data.network ?? context.terms.network ?? "").toUpperCase();
  const direction = `${asset} ${network}`.trim();
  const limit = data.limit === undefined ? "" : `: ${data.limit} ${asset}`.trimEnd();
  const offices = Array.isArray(data.options) ? `: ${data.options.map(String).join("; ")}` : "";
  return text
    .replace("%l", () => limit)
    .replace("%o", () => offices)
    .replace("%d", () => (direction === "" ? "" : ` (${direction})`));
}
