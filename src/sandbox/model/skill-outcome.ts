import { type Context, inLanguage, resultOf, type Skill } from "./context.ts";
import { INFO_TOOL } from "./info.ts";
import type { Outcome, ToolRun } from "./reading.ts";
import { paysOutAtOffice } from "./speak-deal.ts";

const SUBJECTS: Record<string, [russian: string, english: string]> = {
  issue_exchange_payout: ["выдаче", "the payout"],
  send_email: ["письму", "the email"],
  update_crm_field: ["изменению данных", "the change of your data"],
  delete_customer: ["удалению данных", "the deletion of your data"],
  confirm_fiat_payment: ["оплате", "the payment"],
  set_kyc_status: ["проверке документов", "the check of your documents"],
};

/** Goes on after an approval: tells the lead what became of it, and calls nothing again. */
export const tellOutcome: Skill = (context) => {
  const { trigger } = context.reading;
  if (!trigger) return undefined;
  return { content: outcomeText(context, trigger) };
};

export function outcomeText(context: Context, outcome: Outcome): string {
  switch (outcome.status) {
    case "completed":
      return completedText(context, outcome);
    case "declined":
    case "rejected":
      if (outcome.tool === "set_kyc_status") return identityDeclinedText(context, outcome);
      if (outcome.tool === "confirm_fiat_payment") return paymentDeclinedText(context, outcome);
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

function completedText(context: Context, outcome: Outcome): string {
  switch (outcome.tool) {
    case "issue_exchange_payout":
      return payoutText(context, outcome);
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
  const { location, codeDelivered } = run?.result.data ?? {};
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
  return inLanguage(
    context,
    `Оператор одобрил выдачу.${where}${code}`,
    `An operator has approved your payout.${where}${code}`,
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

/** The operator's reason stands in the line itself. */
function reasonText(context: Context, { text }: Outcome): string {
  const quoted = /\breason: "((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? "";
  const reason = quoted.replace(/\\n/g, " ").replace(/\\(.)/g, "$1").trim().replace(/\.+$/, "");
  return reason && inLanguage(context, ` Причина: ${reason}.`, ` The reason: ${reason}.`);
}

function about(context: Context, outcome: Outcome, texts: [string, string]): string {
  const subject = SUBJECTS[outcome.tool] ?? ["вашему запросу", "your request"];
  return inLanguage(
    context,
    texts[0].replace("%s", () => subject[0]),
    texts[1].replace("%s", () => subject[1]),
  );
}
