import type { Language } from "../../domain/language.ts";

/** How a client pays, as people call it; what is not known stays as it is written. */
export function paymentMethodWords(method: string, language: Language): string {
  return WORDS.get(method)?.[language] ?? method;
}

const WORDS = new Map<string, Record<Language, string>>([
  ["crypto_transfer", { en: "transfer of the coin", ru: "перевод монеты" }],
  ["sbp_qr", { en: "SBP (QR code)", ru: "СБП (QR-код)" }],
  ["card_transfer", { en: "transfer to a card", ru: "перевод на карту" }],
  ["bank_transfer", { en: "bank transfer", ru: "банковский перевод" }],
  ["cash", { en: "cash", ru: "наличные" }],
]);
