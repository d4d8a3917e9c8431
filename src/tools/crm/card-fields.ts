import { isEmailAddress, isSameAddress } from "../../domain/email-address.ts";
import type { Language } from "../../domain/language.ts";

/** What a person may have changed on the customer's card. */
export const CARD_FIELDS = [
  "email",
  "phone",
  "company",
  "city",
  "preferred_currency",
  "notes",
] as const;
/**
 * The contact's name and ids of messengers are none of them: those come from the messenger alone.
 */
export type CardField = (typeof CARD_FIELDS)[number];

interface Rule {
  most: number;
  fits: RegExp;
  wants: string;
}

/** One line, except for notes: a value must not look like another row of a card. */
const LINE = /^[^\p{Cc}\p{Zl}\p{Zp}]+$/u;

const RULES: Record<Exclude<CardField, "email">, Rule> = {
  phone: { most: 24, fits: /^\+?\d(?:[ ()-]*\d){6,14}$/, wants: "a phone number" },
  company: { most: 200, fits: LINE, wants: "one line of at most 200 characters" },
  city: { most: 100, fits: LINE, wants: "one line of at most 100 characters" },
  preferred_currency: { most: 5, fits: /^[A-Z]{3,5}$/, wants: "a code such as THB" },
  notes: {
    most: 1000,
    fits: /^(?:[^\p{Cc}]|\n)+$/u,
    wants: "plain text of at most 1000 characters",
  },
};

/** What is wrong with a value, naming the rule; null when nothing is. */
export function fieldProblem(field: CardField, value: string): string | null {
  if (value.trim() === "") return "value: is empty";
  if (field === "email") return isEmailAddress(value) ? null : "value: wants an e-mail address";
  const { most, fits, wants } = RULES[field];
  return value.length <= most && fits.test(value) ? null : `value: wants ${wants}`;
}

/** Would a change be no change? null: nothing was known before. */
export function isSameValue(field: CardField, left: string | null, right: string): boolean {
  if (left === null) return false;
  return field === "email" ? isSameAddress(left, right) : left === right;
}

/** As people read the field on a card. */
export function fieldLabel(field: CardField, language: Language): string {
  return LABELS[language][field];
}

const LABELS: Record<Language, Record<CardField, string>> = {
  en: {
    email: "E-mail",
    phone: "Phone",
    company: "Company",
    city: "City",
    preferred_currency: "Preferred currency",
    notes: "Notes",
  },
  ru: {
    email: "Почта",
    phone: "Телефон",
    company: "Компания",
    city: "Город",
    preferred_currency: "Валюта",
    notes: "Заметки",
  },
};
