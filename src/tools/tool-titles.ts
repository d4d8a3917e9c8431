import type { Language } from "../domain/language.ts";

/** What staff call a tool; one without a title here keeps its name. */
export function toolTitle(name: string, language: Language): string {
  return TITLES.get(name)?.[language] ?? name;
}

const TITLES = new Map<string, Record<Language, string>>([
  ["search_knowledge_base", { en: "Knowledge base", ru: "База знаний" }],
  ["offer_booking_link", { en: "Booking link", ru: "Ссылка для записи" }],
  ["handoff_to_operator", { en: "Hand over to a person", ru: "Передача человеку" }],
  ["read_customer_profile", { en: "Client's card", ru: "Карточка клиента" }],
  ["create_task_draft", { en: "Task draft", ru: "Черновик задачи" }],
  ["send_email", { en: "Letter to the client", ru: "Письмо клиенту" }],
  ["update_crm_field", { en: "Change of the client's card", ru: "Изменение карточки клиента" }],
  ["delete_customer", { en: "Deletion of a client", ru: "Удаление клиента" }],
  ["compute_exchange_quote", { en: "Exchange quote", ru: "Расчёт обмена" }],
  ["check_exchange_verification", { en: "Identity check", ru: "Проверка личности" }],
  ["create_exchange_order", { en: "Exchange order", ru: "Заявка на обмен" }],
  ["fetch_exchange_requisites", { en: "Payment details", ru: "Реквизиты для оплаты" }],
  ["verify_exchange_payment", { en: "Payment check", ru: "Проверка оплаты" }],
  ["cancel_exchange_order", { en: "Cancel the exchange", ru: "Отмена обмена" }],
  ["get_exchange_business_info", { en: "About the desk", ru: "Об обменнике" }],
  [
    "change_payout_destination",
    { en: "Change of the payout destination", ru: "Изменение места выплаты" },
  ],
  ["issue_exchange_payout", { en: "Payout", ru: "Выплата" }],
  ["set_kyc_status", { en: "Identity decision", ru: "Решение о личности" }],
  ["confirm_fiat_payment", { en: "Payment confirmation", ru: "Подтверждение оплаты" }],
  ["change_authority", { en: "Change of authority", ru: "Изменение прав" }],
]);
