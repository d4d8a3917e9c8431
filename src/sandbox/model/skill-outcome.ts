import { type Context, inLanguage, resultOf, type Skill } from "./context.ts";
import { INFO_TOOL } from "./info.ts";
import type { Outcome, ToolRun } from "./reading.ts";
import { changeDeclinedText, changeDoneText } from "./skill-destination.ts";
import { paysOutAtOffice } from "./speak-deal.ts";

const SUBJECTS = new Map<string, [russian: string, english: string]>(
  Object.entries({
    issue_exchange_payout: ["выдаче", "the payout"],
    change_payout_destination: ["изменению выдачи", "the change of your payout"],
    send_email: ["письму", "the email"],
    update_crm_field: ["изменению данных", "the change of your data"],
    delete_customer: ["удалению данных", "the deletion of your data"],
    confirm_fiat_payment: ["оплате", "the payment"],
    set_kyc_status: ["проверке документов", "the check of your documents"],
  }),
);

/** Goes on after an approval: tells the lead what became of it, and calls nothing again. */
export const tellOutcome: Skill = (context) => {
  const { trigger } = context.reading;
  if (!trigger) return undefined;
  return { content: outcomeText(context, trigger) };
};

/** An action was just put on hold because of the lead's own words: they are answered with that. */
export const acceptObjection: Skill = ({ reading }) =>
  reading.notices.some(({ status }) => status === "frozen") ? { content: "" } : undefined;

/** What is said when an approval has ended; it claims no more than the line about it. */
export function outcomeText(context: Context, outcome: Outcome): string {
  switch (outcome.status) {
    case "completed":
      return completedText(context, outcome);
    case "declined":
    case "rejected":
      if (outcome.tool === "set_kyc_status") return identityDeclinedText(context, outcome);
      if (outcome.tool === "confirm_fiat_payment") return paymentDeclinedText(context, outcome);
      if (outcome.tool === "change_payout_destination")
        return changeDeclinedText(context, reasonText(context, outcome));
      return about(context, outcome, [
        `Оператор ответил отказом по %s.${reasonText(context, outcome)}`,
        `An operator declined %s.${reasonText(context, outcome)}`,
      ]);
    case "expired":
      return about(context, outcome, [
        "По %s оператор не ответил вовремя, запрос закрыт.",
        "No operator answered about %s in time, so the request is closed.",
      ]);
    case "waiting_approval":
      return about(context, outcome, [
        "По %s ответа ещё нет: проверяет оператор.",
        "There is no answer about %s yet: an operator is checking.",
      ]);
    case "frozen":
      return frozenText(context, outcome);
    case "cancelled":
      return about(context, outcome, [
        "Запрос по %s отменён, ничего не сделано.",
        "The request about %s was cancelled, nothing was done.",
      ]);
    case "unknown":
      return about(context, outcome, [
        "По %s результат пока не известен, оператор выясняет.",
        "The result of %s is not known yet, an operator is finding out.",
      ]);
    default:
      return about(context, outcome, [
        "По %s не получилось. Скажите «оператор», и я его позову.",
        'It did not work out with %s. Say "operator" and I will call one.',
      ]);
  }
}

function frozenText(context: Context, outcome: Outcome): string {
  if (/took the objection back/.test(outcome.text))
    return about(context, outcome, [
      "Понятно. По %s решит оператор: пока он не снимет паузу, ничего не делаем.",
      "I see. An operator decides about %s: until then it stays on hold.",
    ]);
  return about(context, outcome, [
    "Хорошо, по %s пока ничего не делаем: вопрос на паузе, посмотрит оператор.",
    "All right, nothing is being done about %s for now: it is on hold, and an operator will look at it.",
  ]);
}

function completedText(context: Context, outcome: Outcome): string {
  switch (outcome.tool) {
    case "issue_exchange_payout":
      return payoutText(context, outcome);
    case "change_payout_destination":
      return changeDoneText(context);
    case "set_kyc_status":
      return identityText(context);
    case "confirm_fiat_payment":
      return inLanguage(
        context,
        "Оператор подтвердил вашу оплату. Напишите, когда удобно получить деньги.",
        "An operator has confirmed your payment. Tell me when it suits you to receive the money.",
      );
    case "send_email":
      return inLanguage(context, "Письмо отправлено.", "The email has been sent.");
    case "update_crm_field":
      return inLanguage(context, "Данные обновлены.", "Your data has been updated.");
    default:
      return about(context, outcome, ["Решение по %s принято.", "It is settled: %s is done."]);
  }
}

/** Place and end come from the call's own result; a code is sent by the backend, not by a model. */
function payoutText(context: Context, outcome: Outcome): string {
  const run = payoutRun(context, outcome);
  const { location, codeDelivered, stillOwed, amount, currency } = run?.result.data ?? {};
  const office = paysOutAtOffice(context) ? resultOf(context, INFO_TOOL) : undefined;
  const place = location ?? office?.data.officeAddress;
  const where = place ? inLanguage(context, ` Место: ${place}.`, ` Place: ${place}.`) : "";
  const code =
    codeDelivered === true
      ? inLanguage(
          context,
          " Данные для получения пришли отдельным сообщением.",
          " The details to collect it came in a separate message.",
        )
      : "";
  const part = stillOwed
    ? inLanguage(
        context,
        ` Сумма уменьшена: сейчас ${amount} ${currency}, ещё ${stillOwed} ${currency} вам должны.`,
        ` It was lowered: ${amount} ${currency} now, ${stillOwed} ${currency} are still owed to you.`,
      )
    : "";
  return inLanguage(
    context,
    `Оператор одобрил выдачу.${part}${where}${code}`,
    `An operator has approved your payout.${part}${where}${code}`,
  );
}

function payoutRun(context: Context, outcome: Outcome): ToolRun | undefined {
  const runs = context.reading.timeline.filter((entry) => "name" in entry);
  const own = runs.findLast((run) => run.result.approval === outcome.approval);
  return own ?? runs.findLast((run) => run.name === outcome.tool);
}

function identityText(context: Context): string {
  return inLanguage(
    context,
    "Документы проверены, верификация пройдена. Продолжаем?",
    "Your documents are checked, verification is passed. Shall we go on?",
  );
}

function identityDeclinedText(context: Context, outcome: Outcome): string {
  const why = reasonText(context, outcome);
  return inLanguage(
    context,
    `Проверка документов не пройдена.${why} Документы можно прислать ещё раз.`,
    `The check of your documents was not passed.${why} You can send the documents again.`,
  );
}

function paymentDeclinedText(context: Context, outcome: Outcome): string {
  const why = reasonText(context, outcome);
  return inLanguage(
    context,
    `Оператор не нашёл этот платёж.${why} Пришлите, пожалуйста, чек ещё раз, и человек посмотрит снова.`,
    `An operator could not find this payment.${why} Please send the receipt again and a person will look once more.`,
  );
}

/** The operator's reason stands in the line itself or, when it came later, in the call's result. */
function reasonText(context: Context, outcome: Outcome): string {
  const quoted = /\breason: "((?:[^"\\]|\\.)*)"/.exec(outcome.text)?.[1] ?? "";
  const reason = (quoted || reasonInResult(context, outcome))
    .replace(/\\n/g, " ")
    .replace(/\\(.)/g, "$1")
    .trim()
    .replace(/\.+$/, "");
  return reason && inLanguage(context, ` Причина: ${reason}.`, ` The reason: ${reason}.`);
}

function reasonInResult({ reading }: Context, { approval }: Outcome): string {
  const runs = reading.timeline.filter((entry) => "name" in entry);
  const error = runs.findLast((run) => run.result.approval === approval)?.result.data.error;
  const { message } = (error ?? {}) as { message?: unknown }; // of a tool message, as it came
  return /declined by the operator: (.*); do not retry$/s.exec(String(message ?? ""))?.[1] ?? "";
}

function about(context: Context, outcome: Outcome, texts: [string, string]): string {
  const subject = SUBJECTS.get(outcome.tool) ?? ["вашему запросу", "your request"];
  return inLanguage(
    context,
    texts[0].replace("%s", () => subject[0]),
    texts[1].replace("%s", () => subject[1]),
  );
}
