import { type Context, call, has, inLanguage, offered, resultOf } from "./context.ts";
import { addressIn } from "./skill-mail.ts";
import { type Wish, workText } from "./wish.ts";

const CHANGE_TOOL = "update_crm_field";
const PROFILE_TOOL = "read_customer_profile";

/** A new mail address or phone: a person has to say yes. */
export function changeWish(context: Context): Wish | undefined {
  if (!has(context, "save") || has(context, "task") || !offered(context, CHANGE_TOOL))
    return undefined;
  const email = addressIn(context)?.replace(/[.,;:!?]+$/, "");
  const phone = /\+?\d[\d\s()-]{8,}\d/.exec(context.reading.text)?.[0].replace(/[\s()-]/g, "");
  const value = email ?? phone;
  if (value === undefined) return undefined;
  const change = call(CHANGE_TOOL, { field: email ? "email" : "phone", value });
  return {
    calls: [change],
    said: () =>
      workText(context, resultOf(context, CHANGE_TOOL), ["Изменение", "the change"]) ??
      inLanguage(context, "Данные обновлены.", "Your data has been updated."),
  };
}

/** Undefined: it was not asked for, or the tool is not offered. */
export function profileWish(context: Context): Wish | undefined {
  if (!has(context, "profile") || !offered(context, PROFILE_TOOL)) return undefined;
  return {
    calls: [call(PROFILE_TOOL)],
    said() {
      const result = resultOf(context, PROFILE_TOOL);
      const failed = workText(context, result, ["", ""]);
      return failed ?? profileText(context, result?.data ?? {});
    },
  };
}

const NAMES: [field: string, russian: string, english: string][] = [
  ["name", "имя", "name"],
  ["email", "почта", "e-mail"],
  ["phone", "телефон", "phone"],
  ["company", "компания", "company"],
  ["city", "город", "city"],
  ["preferred_currency", "валюта", "preferred currency"],
  ["notes", "заметки", "notes"],
];

function profileText(context: Context, data: Record<string, unknown>): string {
  const all = { ...data, ...(data.attributes as Record<string, unknown> | undefined) }; // an object by its schema
  const noted = NAMES.flatMap(([field, russian, english]) => {
    const value = all[field];
    const isNoted = typeof value === "string" && value !== "";
    return isNoted ? [`${inLanguage(context, russian, english)}: ${value}`] : [];
  });
  const open = [
    ...listed(data.openOrders, "order", inLanguage(context, "заявка", "order")),
    ...listed(data.openTasks, "task", inLanguage(context, "задача", "task")),
  ];
  const list = [...noted, ...open].join(", ");
  if (list === "") return inLanguage(context, "Пока ничего не записано.", "Nothing is noted yet.");
  return inLanguage(
    context,
    `Вот что у нас записано: ${list}.`,
    `This is what we have noted: ${list}.`,
  );
}

function listed(rows: unknown, field: string, label: string): string[] {
  if (!Array.isArray(rows)) return [];
  return rows.map((row: Record<string, unknown>) => `${label} ${String(row[field] ?? "")}`);
}
