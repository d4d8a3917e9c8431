const WALLET = /^exchange_wallet_[a-z0-9]{2,12}(_[a-z0-9]{2,20})?(_memo|_tag)?$/;

/** Never shown back, not even to an admin. */
const WRITE_ONLY: ReadonlySet<string> = new Set([
  "exchange_westwallet_api_key",
  "exchange_westwallet_secret_key",
]);

const FIXED: ReadonlySet<string> = new Set([
  "exchange_fiat_payment_url",
  "exchange_binance_id",
  "exchange_bybit_uid",
  "exchange_htx_uid",
  "exchange_rub_card_requisites",
  "exchange_rub_card_number",
  "exchange_rub_card_phone",
  "exchange_rub_card_bank",
  "exchange_rub_card_recipient",
  "exchange_operator_contact",
  "exchange_operator_contact_telegram",
  "exchange_operator_contact_whatsapp",
  "exchange_operator_contact_line",
  "exchange_payout_methods",
  "exchange_payout_bank_methods",
  "exchange_payout_cash_methods",
  "exchange_kyc_policy",
  "exchange_aml_policy",
  "exchange_working_hours",
  "exchange_office_address",
  "exchange_westwallet_ipn_url",
  "exchange_westwallet_success_url",
  ...WRITE_ONLY,
]);

/** The only names the desk reads or lets anyone set. */
export function isExchangeSecretName(name: string): boolean {
  return FIXED.has(name) || WALLET.test(name);
}

/** Keys of other services: they may be set anew, but no page or API gives them out. */
export function isWriteOnlySecret(name: string): boolean {
  return WRITE_ONLY.has(name);
}

/** Several offices stand in one text, apart by an empty line, else one a line. */
export function officeAddresses(text: string): string[] {
  const normal = text.replace(/\r\n?/g, "\n").trim();
  const separator = /\n[^\S\n]*\n/.test(normal) ? /\n(?:[^\S\n]*\n)+/ : /\n/;
  return normal
    .split(separator)
    .map((office) => office.trim())
    .filter((office) => office !== "");
}
