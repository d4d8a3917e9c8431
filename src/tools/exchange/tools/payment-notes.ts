import type { Language } from "../../../domain/language.ts";

/** What a check found, in one line; English for the model and logs. */
export function paymentNote(reason: string, language: Language = "en"): string {
  const notes = language === "ru" ? RUSSIAN : NOTES;
  return Object.hasOwn(notes, reason) ? (notes[reason] ?? reason) : reason;
}

const NOTES: Readonly<Record<string, string>> = {
  hash_needed: "a transaction hash of 64 hex digits is needed; ask the client for it",
  several_hashes: "several hashes were sent; ask the client which one paid this order",
  unknown_hash: "the chain does not know this hash; ask the client to check it or wait a little",
  unconfirmed: "the transfer is not confirmed yet; ask the client to write again in some minutes",
  failed: "the transaction failed on the chain; nothing has arrived",
  wrong_token: "the transfer is of another token, not the official USDT contract",
  wrong_recipient: "the transfer went to another address, not to the order's wallet",
  unknown_time: "the transfer's time is not known; an operator has to look",
  too_old: "the transfer is too old; an operator has to look",
  before_order: "the transfer was made before this order; an operator has to look",
  late: "the money came after the order's time; an operator decides about the rate",
  underpaid: "less than the order's sum came; an operator has to look",
  overpaid: "more than the order's sum came; an operator has to look",
  ambiguous_payment: "the transfer fits more than one open order; an operator has to look",
  tx_reused: "the transfer was already counted for another order; an operator has to look",
  order_expired:
    "a payment was reported for an order whose time is over; an operator has to look, tell the client so",
  order_changed: "the order changed while the payment was checked; an operator has to look",
  second_payment: "another payment was reported for an order that is paid; an operator has to look",
  fiat_receipt: "a receipt was handed in; an operator checks it against the account",
  network_not_checked: "a payment on a network without automatic check; an operator has to look",
  rail_not_checked: "a transfer inside an exchange; an operator has to look",
  no_requisites:
    "a payment was reported before payment details were given; an operator has to look",
  chain_unavailable: "the chain could not be asked; an operator has to look",
};

/** What reaches a person. */
const RUSSIAN: Readonly<Record<string, string>> = {
  unknown_time: "время перевода неизвестно",
  too_old: "перевод слишком старый",
  before_order: "перевод сделан до заявки",
  late: "деньги пришли после срока оплаты, решите про курс",
  underpaid: "пришло меньше суммы заявки",
  overpaid: "пришло больше суммы заявки",
  ambiguous_payment: "перевод подходит к нескольким открытым заявкам",
  tx_reused: "этот перевод уже засчитан другой заявке",
  order_expired: "об оплате сообщили, когда срок заявки уже вышел",
  order_changed: "заявка изменилась, пока проверяли оплату",
  second_payment: "сообщили о новой оплате по уже оплаченной заявке",
  fiat_receipt: "прислан чек, сверьте с поступлением на счёт",
  network_not_checked: "оплата в сети без автоматической проверки",
  rail_not_checked: "перевод внутри биржи, проверьте вручную",
  no_requisites: "об оплате сообщили до выдачи реквизитов",
  chain_unavailable: "блокчейн не ответил, проверьте вручную",
};
