import { type Context, has, inLanguage } from "./context.ts";
import type { Intent } from "./intents.ts";
import type { ToolResult } from "./reading.ts";

export const INFO_TOOL = "get_exchange_business_info";

const FIELDS: { topic: Intent; field: string; russian: string; english: string }[] = [
  { topic: "hours", field: "workingHours", russian: "Часы работы", english: "Working hours" },
  { topic: "address", field: "officeAddress", russian: "Офис", english: "Office" },
  {
    topic: "methods",
    field: "payoutMethods",
    russian: "Способы получения",
    english: "Ways to receive the money",
  },
  {
    topic: "documents",
    field: "kycPolicy",
    russian: "Проверка личности",
    english: "Identity check",
  },
  { topic: "aml", field: "amlPolicy", russian: "Правило AML", english: "AML rule" },
  { topic: "contact", field: "operatorContact", russian: "Контакт", english: "Contact" },
];
const TOPICS: Intent[] = ["hours", "address", "how", "methods", "documents", "aml", "contact"];
const ABOUT_HOW: Intent[] = ["hours", "methods", "documents"];

/** A question about the desk itself, not about an exchange. */
export function wantsInfo(context: Context): boolean {
  return has(context, ...TOPICS);
}

/** What the business says about itself, on the topics asked for, as the tool printed it. */
export function infoSentences(
  context: Context,
  result: ToolResult,
  topics: Intent[] = askedTopics(context),
): string[] {
  return FIELDS.filter(({ topic }) => topics.includes(topic)).flatMap((entry) => {
    const told = printed(result.data[entry.field]);
    const isListed = entry.topic === "methods" && context.reading.language === "ru";
    const value = isListed ? methodsInRussian(told) : told;
    return value === "" ? [] : [`${inLanguage(context, entry.russian, entry.english)}: ${value}.`];
  });
}

/** The desk's list of ways, word for word where the words are no known ones. */
function methodsInRussian(list: string): string {
  return list.replace(/[^,;]+/g, (part) => {
    const known = METHODS_IN_RUSSIAN.get(part.trim().toLowerCase());
    return known ? part.replace(part.trim(), () => known) : part;
  });
}

const METHODS_IN_RUSSIAN = new Map([
  ["office cash", "наличные в офисе"],
  ["cash at the office", "наличные в офисе"],
  ["courier", "курьер"],
  ["courier cash", "курьер"],
  ["cardless atm", "банкомат без карты"],
  ["atm", "банкомат"],
  ["thai bank transfer", "перевод на тайский счёт"],
  ["bank transfer", "банковский перевод"],
]);

function askedTopics(context: Context): Intent[] {
  const asked = TOPICS.filter((topic) => has(context, topic));
  return has(context, "how") ? [...asked, ...ABOUT_HOW] : asked;
}

function printed(value: unknown): string {
  const text = Array.isArray(value) ? value.map(String).join("; ") : String(value ?? "");
  return text
    .trim()
    .replace(/\s*\n+\s*/g, "; ")
    .replace(/\.$/, "");
}
