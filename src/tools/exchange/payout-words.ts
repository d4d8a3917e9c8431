import type { Language } from "../../domain/language.ts";
import { normalizePayoutMethod, type PayoutMethod, payoutMethodRules } from "./payout-methods.ts";

/** How and where an order is paid out, as its row has it; `place`: office, address, account. */
export interface AgreedPayout {
  payoutMethod: string | null;
  payoutLocation: string | null;
  payoutDestinationJson: Readonly<Record<string, unknown>> | null;
}

/** A method as people call it; what the desk does not know stays as it is written. */
export function payoutMethodWords(method: string, language: Language): string {
  const known = normalizePayoutMethod(method);
  return known ? METHOD_WORDS[known][language] : method;
}

/** The parts of the place, each whole and as it is stored. */
function payoutPlaces(payout: Omit<AgreedPayout, "payoutMethod">): string[] {
  const { payoutLocation, payoutDestinationJson } = payout;
  // the database keeps the keys of an object in an order of its own
  const { bank, account, holder, ...rest } = payoutDestinationJson ?? {};
  const destination = [bank, account, holder, ...Object.values(rest)];
  const named = [payoutLocation, ...destination.filter((part) => part !== undefined).map(String)];
  return named.filter((part) => part !== null && part.trim() !== "") as string[]; // nulls are out
}

/**
 * The line that a client is told before paying, so that a wrong place is found while nothing is
 * lost. null: no way to pay out is agreed yet.
 */
export function payoutLine(payout: AgreedPayout, language: Language): string | null {
  const method = payout.payoutMethod && normalizePayoutMethod(payout.payoutMethod);
  if (!method) return null;
  const texts = TEXTS[language];
  const places = payoutPlaces(payout);
  const isOpen = payoutMethodRules(method).location !== "none" && places.length === 0;
  const parts = [payoutMethodWords(method, language), ...(isOpen ? [texts.noPlace] : places)];
  return `${texts.payout}: ${parts.join(", ")}. ${texts.object}`;
}

/** Does the text tell the place whole, and name the way? */
export function tellsPayout(text: string, payout: AgreedPayout): boolean {
  const said = folded(text);
  const method = payout.payoutMethod && normalizePayoutMethod(payout.payoutMethod);
  if (!method) return true;
  return (
    METHOD_NAMED[method].test(said) &&
    payoutPlaces(payout).every((one) => said.includes(folded(one)))
  );
}

function folded(text: string): string {
  return text.toLowerCase().replace(/\s+/g, " ").trim();
}

const METHOD_WORDS: Record<PayoutMethod, Record<Language, string>> = {
  office_cash: { en: "cash at the office", ru: "наличные в офисе" },
  courier_cash: { en: "cash by courier", ru: "наличные с курьером" },
  cardless_atm: { en: "cash from an ATM without a card", ru: "наличные в банкомате без карты" },
  atm: { en: "cash from an ATM", ru: "наличные в банкомате" },
  thai_bank_transfer: {
    en: "transfer to a Thai bank account",
    ru: "перевод на тайский счёт",
  },
};

const METHOD_NAMED: Record<PayoutMethod, RegExp> = {
  office_cash: /office|офис/,
  courier_cash: /courier|deliver|bring|курьер|достав|привез/,
  cardless_atm: /\batm\b|cash machine|банкомат/,
  atm: /\batm\b|cash machine|банкомат/,
  thai_bank_transfer: /bank|account|банк|сч[её]т/,
};

const TEXTS = {
  en: {
    payout: "Payout",
    noPlace: "the place is not named yet",
    object: "If this is not right, say so before you pay.",
  },
  ru: {
    payout: "Выдача",
    noPlace: "место пока не названо",
    object: "Если что-то не так, скажите до оплаты.",
  },
} as const satisfies Record<Language, unknown>;
