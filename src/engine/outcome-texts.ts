import type { ApprovalStatus } from "../domain/approval.ts";
import type { JsonObject } from "../domain/json.ts";
import type { Language } from "../domain/language.ts";
import type { ToolReply } from "../domain/tool.ts";
import { toolErrorText } from "../domain/tool-error-texts.ts";
import { payoutMethodWords } from "../tools/exchange/payout-words.ts";

interface Decided {
  toolName: string;
  status: ApprovalStatus;
  rejectedReason: string | null;
  /** Of the contact, now. */
  isVerified: boolean;
  /** The conversation's newest order, now. */
  order: { name: string; isPaid: boolean } | null;
}

/** What the lead is told of an approval's outcome when no model can; states only what rows say. */
export function outcomeText(
  approval: Decided,
  reply: ToolReply | null,
  language: Language,
): string {
  const texts = TEXTS[language];
  if (approval.status === "rejected") return declinedText(approval, language);
  if (approval.status === "expired") return texts.expired;
  if (approval.status === "cancelled") return texts.cancelled;
  if (approval.status !== "approved") return texts.checking;
  if (approval.toolName === "set_kyc_status")
    return approval.isVerified ? texts.kycVerified : texts.checking;
  if (approval.toolName === "confirm_fiat_payment") return paymentText(approval, language);
  if (reply?.status === "pending") return texts.pending;
  if (reply?.error?.code === "QUOTE_EXPIRED") return texts.quoteExpired;
  if (reply?.status === "completed") return completedText(approval.toolName, reply, language);
  if (reply?.status === "failed" || reply?.status === "denied")
    return failedText(reply.error?.code, language);
  return texts.checking;
}

function failedText(code: string | undefined, language: Language): string {
  return `${toolErrorText(code, { reader: "lead", language })} ${TEXTS[language].operatorLooks}`;
}

function declinedText({ toolName, rejectedReason }: Decided, language: Language): string {
  const texts = TEXTS[language];
  const reason = rejectedReason ? ` ${texts.reason}: ${rejectedReason}.` : "";
  switch (toolName) {
    case "set_kyc_status":
      return `${texts.kycDeclined}${reason} ${texts.kycAgain}`;
    case "confirm_fiat_payment":
      return `${texts.paymentDeclined}${reason} ${texts.paymentAgain}`;
    case "change_payout_destination":
      return `${texts.destinationDeclined}${reason} ${texts.destinationStays}`;
    default:
      return texts.declined;
  }
}

/** No call of a model shows this one: the order itself says whether it was confirmed. */
function paymentText({ order }: Decided, language: Language): string {
  const texts = TEXTS[language];
  if (!order?.isPaid) return failedText(undefined, language);
  return texts.paymentFound.replace("{order}", order.name);
}

function completedText(toolName: string, reply: ToolReply, language: Language): string {
  const texts = TEXTS[language];
  const data = dataOf(reply);
  const order = typeof data.orderId === "string" ? ` ${data.orderId}` : "";
  if (toolName === "change_payout_destination") return destinationText(data, language);
  if (toolName !== "issue_exchange_payout") return texts.done;
  const location = typeof data.location === "string" ? data.location : "";
  const place = location === "" ? "" : ` ${texts.place}: ${location}.`;
  const code = data.codeDelivered === true ? ` ${texts.code}` : "";
  const payout = data.reason === "manual_payout" ? texts.payoutByHand : texts.payout;
  return `${payout.replace("{order}", order)}${partText(data, language)}${place}${code}`;
}

/** Where the order's payout goes from now on, as its row says it. */
function destinationText(data: JsonObject, language: Language): string {
  const texts = TEXTS[language];
  const { payoutMethod: method } = data;
  const way = typeof method === "string" ? payoutMethodWords(method, language) : null;
  const where = [way, data.payoutLocation, data.payoutDestination].filter(
    (part) => typeof part === "string" && part !== "",
  );
  const place = where.length > 0 ? ` ${texts.place}: ${where.join(", ")}.` : "";
  return `${texts.destinationChanged.replace("{order}", String(data.orderId ?? ""))}${place}`;
}

/** An operator let less be paid out than was agreed: the sum and what is owed on. */
function partText({ amount, currency, stillOwed }: JsonObject, language: Language): string {
  if (typeof stillOwed !== "string") return "";
  const part = TEXTS[language].payoutPart.replace("{paid}", `${amount} ${currency}`);
  return ` ${part.replace("{owed}", `${stillOwed} ${currency}`)}`;
}

function dataOf(reply: ToolReply): JsonObject {
  const { data } = reply;
  return data !== null && typeof data === "object" && !Array.isArray(data) ? data : {};
}

const TEXTS = {
  en: {
    declined:
      "An operator declined this request. If you have questions, write here and I will pass them on to an operator.",
    expired:
      "Nobody could confirm this in time, so it was not done. Write here if you still need it.",
    cancelled: "This request was cancelled and not done. Write here if you still need it.",
    quoteExpired:
      "The rate had ended before this could be carried out, so it was not done. Write here and I will work out a new quote.",
    checking: "An operator is still checking. I will write as soon as there is news.",
    kycDeclined: "The check of your documents was not passed.",
    reason: "The operator's reason",
    kycAgain: "You can send the documents again.",
    paymentDeclined: "An operator could not find your payment.",
    paymentAgain: "If you have paid, send the receipt here once more: a person will look again.",
    paymentFound:
      "An operator has confirmed your payment for order {order}. Tell me when it suits you to receive the money.",
    pending: "The provider is still making the payout. I will write when that ends.",
    kycVerified: "Your documents are checked, verification is passed. Shall we go on?",
    operatorLooks: "An operator will look at it and write to you.",
    done: "Done: the operator confirmed your request.",
    payout: "The payout on your order{order} has been approved and issued.",
    payoutPart:
      "The operator lowered it: {paid} now, and {owed} of your order are still owed to you.",
    payoutByHand:
      "The payout on your order{order} has been approved; an operator is preparing it and will contact you.",
    destinationChanged:
      "An operator has confirmed the change: order {order} is paid out as you asked.",
    destinationDeclined: "An operator declined to change how you are paid out.",
    destinationStays: "It stays as it was agreed. Tell me when it suits you to receive the money.",
    place: "Where",
    code: "The code is in a separate message.",
  },
  ru: {
    declined:
      "Оператор отклонил этот запрос. Если есть вопросы, напишите, и я передам их оператору.",
    expired:
      "Никто не успел подтвердить запрос вовремя, поэтому он не выполнен. Напишите, если он ещё нужен.",
    cancelled: "Запрос отменён и не выполнен. Напишите, если он ещё нужен.",
    quoteExpired:
      "Курс истёк раньше, чем это успели выполнить, поэтому ничего не сделано. Напишите, и я посчитаю заново.",
    checking: "Оператор ещё проверяет. Напишу, как только будут новости.",
    kycDeclined: "Проверка документов не пройдена.",
    reason: "Причина от оператора",
    kycAgain: "Документы можно прислать ещё раз.",
    paymentDeclined: "Оператор не нашёл вашу оплату.",
    paymentAgain: "Если вы платили, пришлите чек сюда ещё раз: человек посмотрит снова.",
    paymentFound:
      "Оператор подтвердил оплату по заявке {order}. Напишите, когда вам удобно получить деньги.",
    pending: "Выплату ещё делает провайдер. Напишу, когда он закончит.",
    kycVerified: "Документы проверены, верификация пройдена. Продолжаем?",
    operatorLooks: "Оператор посмотрит и напишет вам.",
    done: "Готово: оператор подтвердил ваш запрос.",
    payout: "Выплата по вашей заявке{order} одобрена и оформлена.",
    payoutPart: "Оператор уменьшил сумму: сейчас {paid}, ещё {owed} по заявке вам должны.",
    payoutByHand: "Выплата по вашей заявке{order} одобрена; оператор её готовит и свяжется с вами.",
    destinationChanged:
      "Оператор подтвердил изменение: выдача по заявке {order} будет так, как вы просили.",
    destinationDeclined: "Оператор отклонил изменение выдачи.",
    destinationStays: "Остаётся так, как договаривались. Напишите, когда удобно получить деньги.",
    place: "Где",
    code: "Код пришёл отдельным сообщением.",
  },
} as const;
