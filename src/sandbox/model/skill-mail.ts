import { type Context, call, has, inLanguage, offered, resultOf } from "./context.ts";
import { foundPassages } from "./evidence.ts";
import { normalise } from "./phrase.ts";
import type { Passage } from "./reading.ts";
import { type Wish, workText } from "./wish.ts";

const MAIL_TOOL = "send_email";
const SEARCH_TOOL = "search_knowledge_base";
const PROFILE_TOOL = "read_customer_profile";
const TERMS =
  /услови|правил|памятк|инструкц|тариф|информац|terms|rules|conditions|policy|instructions|information|details/;
const ASKING =
  /^(?:.*[.!?,]\s+)?(?:please\s+|пожалуйста,?\s+)?(?:can you\s+|could you\s+)?(?:send|e-?mail|пришлите|пришли|отправьте|отправь|вышлите|вышли|скиньте|скинь)(?:\s+(?:me|мне|пожалуйста))*\s+/i;
const MAIL_AND_AFTER =
  /\s*(?:(?:by|via|in|to)\s+(?:an?\s+|my\s+)?(?:e-?mail|mail|inbox)|(?:на|по)\s+(?:мою\s+|мой\s+)?(?:почт[уе]|e-?mail|имейл|мыло)|письмом).*$/is;
const LETTER_CHARS = 3000;
const QUERY_CHARS = 400;

/** A letter to the lead: what it is to hold and where it goes are looked up before it is proposed. */
export function mailWish(context: Context): Wish | undefined {
  if (!has(context, "email") || !offered(context, MAIL_TOOL)) return undefined;
  const calls = [...searches(context), ...profileCalls(context)];
  const isReady = calls.every(({ name }) => !offered(context, name) || resultOf(context, name));
  if (!isReady) return { calls, said: () => "" };
  const to = addressIn(context) ?? confirmedAddress(context);
  if (to === undefined) return { calls: [], said: () => noAddressText(context) };
  const letter = call(MAIL_TOOL, { to, subject: subjectOf(context), body: bodyOf(context) });
  return { calls: [letter], said: () => sentText(context) };
}

/** As it was written; whether it is an address the tool says. */
export function addressIn(context: Context): string | undefined {
  return /[^\s<>"]+@[^\s<>"]+\.\p{L}{2,}/u.exec(context.reading.text)?.[0];
}

function searches(context: Context) {
  if (!wantsTerms(context)) return [];
  return [call(SEARCH_TOOL, { query: topicOf(context.reading.text), top_k: 3 })];
}

/** What the letter is to be about: without the asking, the mail and whatever else is wanted after it. */
function topicOf(text: string): string {
  const topic = text.replace(ASKING, "").replace(MAIL_AND_AFTER, "").trim().slice(0, QUERY_CHARS);
  return topic.length >= 3 ? topic : text.slice(0, QUERY_CHARS);
}

function profileCalls(context: Context) {
  return addressIn(context) === undefined ? [call(PROFILE_TOOL)] : [];
}

function wantsTerms(context: Context): boolean {
  return TERMS.test(normalise(context.reading.text));
}

/** The card shows the address masked; the backend knows it by that. */
function confirmedAddress(context: Context): string | undefined {
  const { email, emailConfirmed } = resultOf(context, PROFILE_TOOL)?.data ?? {};
  return typeof email === "string" && emailConfirmed === true ? email : undefined;
}

function subjectOf(context: Context): string {
  const [passage] = passagesFor(context);
  return passage?.title || inLanguage(context, "Ваш запрос", "Your request");
}

/** Only what a tool computed or the documents say goes into a letter. */
function bodyOf(context: Context): string {
  const greeting = inLanguage(context, "Здравствуйте!", "Hello!");
  const passages = passagesFor(context).slice(0, 1);
  if (passages.length > 0)
    return [greeting, ...passages.map(plainText)].join("\n\n").slice(0, LETTER_CHARS);
  const { quote } = context.deal;
  if (!quote)
    return `${greeting} ${inLanguage(context, "Пишем по вашему запросу.", "We are writing about your request.")}`;
  const from = `${quote.amountFrom} ${quote.terms.asset}`;
  const to = [quote.amountTo, quote.quoteAsset].filter(Boolean).join(" ");
  return `${greeting} ${inLanguage(
    context,
    `Расчёт обмена: отдаёте ${from}, получаете ${to}.`,
    `Your exchange: you give ${from}, you receive ${to}.`,
  )}`;
}

function passagesFor(context: Context): Passage[] {
  if (!wantsTerms(context)) return [];
  const found = resultOf(context, SEARCH_TOOL);
  return found ? foundPassages(found) : context.reading.evidence;
}

/** A passage of a document without the marks of its headings and lists. */
function plainText({ text }: Passage): string {
  return text
    .split("\n")
    .map((line) => line.replace(/^#+\s+/, "").replace(/\*\*/g, ""))
    .join("\n")
    .trim();
}

function noAddressText(context: Context): string {
  const { email } = resultOf(context, PROFILE_TOOL)?.data ?? {};
  if (typeof email === "string")
    return inLanguage(
      context,
      `Адрес ${email} человек ещё не проверил, поэтому письмо на него не отправить. Напишите «запишите мою почту» и адрес: его проверит человек.`,
      `No person has checked the address ${email} yet, so no letter can go there. Write "change my e-mail to" and the address: a person checks it.`,
    );
  return inLanguage(
    context,
    "Вашей почты у меня нет. Напишите «запишите мою почту» и адрес: после проверки на него можно будет писать.",
    'I have no mail address of yours. Write "change my e-mail to" and the address: letters can go there after it was checked.',
  );
}

function sentText(context: Context): string {
  const result = resultOf(context, MAIL_TOOL);
  if (result?.status === "denied")
    return inLanguage(
      context,
      "На этот адрес письмо отправить не могу: пишу только на вашу почту, которую проверил человек. Напишите «запишите мою почту» и адрес.",
      'I cannot write to this address: letters go only to your own mail that a person has checked. Write "change my e-mail to" and the address.',
    );
  const waits = workText(context, result, ["Письмо", "the letter"]);
  return waits ?? inLanguage(context, "Письмо отправлено.", "The email has been sent.");
}
