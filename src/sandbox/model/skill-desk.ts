import type { ModelAnswer, ProposedCall } from "./completion.ts";
import {
  ask,
  type Context,
  call,
  has,
  inLanguage,
  offered,
  resultOf,
  type Skill,
} from "./context.ts";
import { cannotText } from "./with-person.ts";

const BOOKING_TOOL = "offer_booking_link";

/** A wish for a call or a meeting is met with the link that the business set. */
export const bookMeeting: Skill = (context) => {
  if (!has(context, "booking")) return undefined;
  const asked = ask(context, call(BOOKING_TOOL));
  if (asked) return asked;
  const result = resultOf(context, BOOKING_TOOL);
  const url = result?.ok ? (result.data.url ?? result.data.booking_url) : undefined;
  if (url)
    return say(
      context,
      `Выберите удобное время по ссылке: ${url}`,
      `Pick a time that suits you here: ${url}`,
    );
  return say(
    context,
    "Ссылки для записи сейчас нет. Напишите, какое время вам удобно.",
    "There is no booking link at the moment. Write which time suits you.",
  );
};

/** Mail, customer data and tasks: each is a proposal, most of them wait for a person. */
export const deskWork: Skill = (context) => {
  const planned = plannedWork(context);
  if (!planned || !offered(context, planned.name)) return undefined;
  return ask(context, planned) ?? { content: workText(context, planned.name) };
};

function plannedWork(context: Context): ProposedCall | undefined {
  const { text } = context.reading;
  const email = /[^\s<>"]+@[^\s<>"]+\.\p{L}{2,}/u.exec(text)?.[0];
  const phone = /\+?\d[\d\s()-]{8,}\d/.exec(text)?.[0].replace(/[\s()-]/g, "");
  if (has(context, "save") && (email ?? phone))
    return call(
      "update_crm_field",
      email ? { field: "email", value: email } : { field: "phone", value: phone },
    );
  if (has(context, "email") && email)
    return call("send_email", {
      to: email,
      subject: mailSubject(context),
      body: mailBody(context),
    });
  if (has(context, "task"))
    return call("create_task_draft", { title: text.slice(0, 80), description: text.slice(0, 500) });
  return has(context, "profile") ? call("read_customer_profile") : undefined;
}

function mailSubject(context: Context): string {
  return inLanguage(context, "Ваш запрос", "Your request");
}

/** Only what a tool computed in this conversation goes into a mail. */
function mailBody(context: Context): string {
  const { quote } = context.deal;
  if (!quote)
    return inLanguage(
      context,
      "Здравствуйте! Пишем по вашему запросу.",
      "Hello! We are writing about your request.",
    );
  const from = `${quote.amountFrom} ${quote.terms.asset}`;
  const to = [quote.amountTo, quote.quoteAsset].filter(Boolean).join(" ");
  return inLanguage(
    context,
    `Здравствуйте! Расчёт обмена: отдаёте ${from}, получаете ${to}.`,
    `Hello! Your exchange: you give ${from}, you receive ${to}.`,
  );
}

function workText(context: Context, name: string): string {
  const result = resultOf(context, name);
  if (result?.approval || result?.status === "waiting_approval") {
    const number = result.approval ? ` (${result.approval})` : "";
    return inLanguage(
      context,
      `Это должен одобрить человек${number}. Напишу, когда он ответит.`,
      `A person has to approve this${number}. I will write when there is an answer.`,
    );
  }
  if (!result?.ok) return cannotText(context);
  if (name === "read_customer_profile") return profileText(context, result.data);
  const url = result.data.url ? ` ${result.data.url}` : "";
  return inLanguage(
    context,
    `Записал черновик задачи для команды.${url}`,
    `I noted a draft task for the team.${url}`,
  );
}

const HIDDEN = new Set(["ok", "status", "summary", "data", "resource_type", "resource_id"]);

function profileText(context: Context, data: Record<string, unknown>): string {
  const fields = Object.entries(data).filter(
    ([name, value]) => !HIDDEN.has(name) && ["string", "number"].includes(typeof value),
  );
  const list = fields.map(([name, value]) => `${name}: ${value}`).join(", ");
  if (list === "") return inLanguage(context, "Пока ничего не записано.", "Nothing is noted yet.");
  return inLanguage(
    context,
    `Вот что у нас записано: ${list}.`,
    `This is what we have noted: ${list}.`,
  );
}

function say(context: Context, russian: string, english: string): ModelAnswer {
  return { content: inLanguage(context, russian, english) };
}
