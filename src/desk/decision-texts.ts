import type { Language } from "../domain/language.ts";
import type { EditProblem } from "../tools/edit-action.ts";

/** Why a decision is not taken, and what a card says of one that was. */
export const DECISION_TEXTS = {
  en: {
    elsewhere:
      "Requests are decided in the operators' chat, or in a private chat with me, on their own cards: /pending shows them. Nothing was changed.",
    changedSince: (name: string) =>
      `${name} has changed since you saw it: look at its card again. Nothing was changed.`,
    digestRequired: (name: string) =>
      `${name} was changed after it was asked for: read it again, GET /api/admin/approvals/${name}, and send "digest" with its action_digest, to say which state you approve. Nothing was changed.`,
    confirmedReceipt:
      "You confirmed that this order's money came, so somebody else must approve its payout. Nothing was changed.",
    confirmedReceiptNo:
      "You confirmed that this order's money came, so somebody else must say that its payout did not happen. Nothing was changed.",
    exception: (who: string) =>
      `${who} also confirmed the receipt: not enough other people may approve`,
    cap: (cap: string, left: string, sum: string) =>
      `Your payouts of a day are capped at ${cap}, and ${left} is left today (UTC): ${sum} is more. Somebody else can approve it. Nothing was changed.`,
    capOther: (cap: string, currency: string) =>
      `Your payouts of a day are capped at ${cap}; this one is in ${currency}, so somebody without a cap must see to it. Nothing was changed.`,
    edited: (who: string, changes: string) => `changed by ${who}: ${changes}`,
    change: (field: string, from: string, to: string) => `${field} ${from} → ${to}`,
    editTitle: (name: string) => `Change ${name}`,
    editSubmit: "Approve so",
    editAsk: "Say in the form what to change; sending it approves the request so.",
    editReply: "Answer the question with the new value; the answer approves the request so.",
    editLabel: (field: string, now: string) => `${field}, now ${now}`,
    lower: "at most",
    noEdit: (field: string) => `${field} of this request cannot be changed. Nothing was changed.`,
    wrong: {
      not_editable: "this cannot be changed",
      not_a_sum: "write a sum in digits, with a point for cents: 60000.50",
      not_lower: "a sum can only be lowered",
      not_a_text: "write at least one and at most 4000 characters",
      unchanged: "this is what the request says already",
    } as Record<EditProblem, string>,
    refusedEdit: (field: string, rule: string) => `${field}: ${rule}. Nothing was changed.`,
    policyRefuses: "The rules do not allow it so changed. Nothing was changed.",
    toolChanged: "The tool has changed since this was asked. Nothing was changed.",
    opened: (name: string) => `${name} stands below.`,
    overAlready: (name: string, status = "over") => `${name} is already ${status}.`,
    allTaken: (names: string) => `Approved: ${names}.`,
    someTaken: (taken: string, left: string) =>
      `${taken === "" ? "" : `Approved: ${taken}. `}Not approved: ${left}. Open them to decide on each.`,
    fields: { amount: "Sum", subject: "Subject", body: "Text", value: "Value" } as Fields,
  },
  ru: {
    elsewhere:
      "Запросы решают на карточках, в чате операторов или в личном чате со мной: их покажет /pending. Ничего не изменено.",
    changedSince: (name: string) =>
      `${name} изменился с тех пор, как вы его видели: посмотрите карточку ещё раз. Ничего не изменено.`,
    digestRequired: (name: string) =>
      `${name} изменили после запроса: прочитайте его заново, GET /api/admin/approvals/${name}, и передайте "digest" со значением action_digest, чтобы было видно, какое состояние вы одобряете. Ничего не изменено.`,
    confirmedReceipt:
      "Вы подтвердили поступление денег по этой заявке, поэтому выплату одобряет кто-то другой. Ничего не изменено.",
    confirmedReceiptNo:
      "Вы подтвердили поступление денег по этой заявке, поэтому о том, что выплаты не было, говорит кто-то другой. Ничего не изменено.",
    exception: (who: string) =>
      `${who}: тот же человек подтвердил поступление, других одобряющих не хватает`,
    cap: (cap: string, left: string, sum: string) =>
      `Ваш лимит выплат в день ${cap}, на сегодня (UTC) осталось ${left}, а здесь ${sum}. Одобрить может другой человек. Ничего не изменено.`,
    capOther: (cap: string, currency: string) =>
      `Ваш лимит выплат в день ${cap}, а эта выплата в ${currency}: её решает человек без лимита. Ничего не изменено.`,
    edited: (who: string, changes: string) => `изменено: ${who}, ${changes}`,
    change: (field: string, from: string, to: string) => `${field} ${from} → ${to}`,
    editTitle: (name: string) => `Изменить ${name}`,
    editSubmit: "Одобрить так",
    editAsk: "Укажите в форме, что изменить; отправка формы одобряет запрос в таком виде.",
    editReply: "Ответьте на вопрос новым значением; ответ одобряет запрос в таком виде.",
    editLabel: (field: string, now: string) => `${field}, сейчас ${now}`,
    lower: "не больше",
    noEdit: (field: string) => `${field} в этом запросе менять нельзя. Ничего не изменено.`,
    wrong: {
      not_editable: "это менять нельзя",
      not_a_sum: "напишите сумму цифрами, копейки через точку: 60000.50",
      not_lower: "сумму можно только уменьшить",
      not_a_text: "напишите от 1 до 4000 знаков",
      unchanged: "в запросе уже так и указано",
    } as Record<EditProblem, string>,
    refusedEdit: (field: string, rule: string) => `${field}: ${rule}. Ничего не изменено.`,
    policyRefuses: "Правила не разрешают такое изменение. Ничего не изменено.",
    toolChanged: "Инструмент изменился после запроса. Ничего не изменено.",
    opened: (name: string) => `${name}: карточка ниже.`,
    overAlready: (name: string, status = "решено") => `${name}: уже ${status}.`,
    allTaken: (names: string) => `Одобрено: ${names}.`,
    someTaken: (taken: string, left: string) =>
      `${taken === "" ? "" : `Одобрено: ${taken}. `}Не одобрено: ${left}. Откройте их и решите каждый.`,
    fields: { amount: "Сумма", subject: "Тема", body: "Текст", value: "Значение" } as Fields,
  },
} as const satisfies Record<Language, unknown>;

type Fields = Readonly<Record<string, string | undefined>>;

/** What people call a field of an action. */
export function fieldName(field: string, language: Language): string {
  const { fields } = DECISION_TEXTS[language];
  return (Object.hasOwn(fields, field) ? fields[field] : undefined) ?? field;
}
