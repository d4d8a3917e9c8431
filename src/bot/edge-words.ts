import type { DeskAnswer, FormRequest } from "../domain/desk.ts";
import type { Person } from "../domain/inbound.ts";
import { languageOfCode } from "../domain/language.ts";

/** What is said in private when the desk itself fails. */
export function failureAnswer(person: Person): DeskAnswer {
  const text =
    languageOfCode(person.languageCode) === "ru"
      ? "Не получилось: внутренняя ошибка. Нажмите ещё раз через минуту."
      : "That did not work: an internal error. Please try again in a minute.";
  return { text, alert: true };
}

/** The one field a forced reply can ask for: the first that must be filled, else the first. */
export function promptField(form: FormRequest): FormRequest["fields"][number] | undefined {
  return form.fields.find((field) => !field.optional) ?? form.fields[0];
}
