import type { ApprovalStatus } from "../domain/approval.ts";
import type { JsonObject } from "../domain/json.ts";
import type { Language } from "../domain/language.ts";
import type { ToolReply } from "../domain/tool.ts";

interface Decided {
  toolName: string;
  status: ApprovalStatus;
  rejectedReason: string | null;
  /** Of the contact, now. */
  isVerified: boolean;
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
  if (approval.status !== "approved") return texts.checking;
  if (approval.toolName === "set_kyc_status")
    return approval.isVerified ? texts.kycVerified : texts.checking;
  if (reply?.status === "pending") return texts.pending;
  if (reply?.status === "completed") return completedText(approval.toolName, reply, language);
  if (reply?.status === "failed" || reply?.status === "denied") return texts.failed;
  return texts.checking;
}

function declinedText({ toolName, rejectedReason }: Decided, language: Language): string {
  const texts = TEXTS[language];
  if (toolName !== "set_kyc_status") return texts.declined;
  const reason = rejectedReason ? ` ${texts.reason}: ${rejectedReason}.` : "";
  return `${texts.kycDeclined}${reason} ${texts.kycAgain}`;
}

function completedText(toolName: string, reply: ToolReply, language: Language): string {
  const texts = TEXTS[language];
  if (toolName !== "issue_exchange_payout") return texts.done;
  const data = dataOf(reply);
  const order = typeof data.orderId === "string" ? ` ${data.orderId}` : "";
  const location = typeof data.location === "string" ? data.location : "";
  const place = location === "" ? "" : ` ${texts.place}: ${location}.`;
  const code = data.codeDelivered === true ? ` ${texts.code}` : "";
  return `${texts.payout.replace("{order}", order)}${place}${code}`;
}

function dataOf(reply: ToolReply): JsonObject {
  const { data } = reply;
  return data !== null && typeof data === "object" && !Array.isArray(data) ? data : {};
}

const TEXTS = {
  en: {
    declined:
      "An operator declined this request. If you have questions, write here: a person will answer.",
    expired:
      "Nobody could confirm this in time, so it was not done. Write here if you still need it.",
    checking: "An operator is still checking. I will write as soon as there is news.",
    kycDeclined: "The check of your documents was not passed.",
    reason: "The operator's reason",
    kycAgain: "You can send the documents again.",
    pending: "The provider is still making the payout. I will write when that ends.",
    kycVerified: "Your documents are checked, verification is passed. Shall we go on?",
    failed: "This could not be done. An operator will look at it and write to you.",
    done: "Done: the operator confirmed your request.",
    payout: "The payout on your order{order} has been approved and issued.",
    place: "Where",
    code: "The code is in a separate message.",
  },
  ru: {
    declined: "Оператор отклонил этот запрос. Если есть вопросы, напишите сюда: ответит человек.",
    expired:
      "Никто не успел подтвердить запрос вовремя, поэтому он не выполнен. Напишите, если он ещё нужен.",
    checking: "Оператор ещё проверяет. Напишу, как только будут новости.",
    kycDeclined: "Проверка документов не пройдена.",
    reason: "Причина от оператора",
    kycAgain: "Документы можно прислать ещё раз.",
    pending: "Выплату ещё делает провайдер. Напишу, когда он закончит.",
    kycVerified: "Документы проверены, верификация пройдена. Продолжаем?",
    failed: "Выполнить не получилось. Оператор посмотрит и напишет вам.",
    done: "Готово: оператор подтвердил ваш запрос.",
    payout: "Выплата по вашей заявке{order} одобрена и оформлена.",
    place: "Где",
    code: "Код пришёл отдельным сообщением.",
  },
} as const;
