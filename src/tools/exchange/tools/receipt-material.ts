import type { Media } from "../../../domain/inbound.ts";
import type { Language } from "../../../domain/language.ts";
import { sameAmount } from "../../../domain/money.ts";
import type { Tx } from "../../../store/db.ts";
import { contactKyc } from "../../../store/kyc.ts";
import { type Order, orderName } from "../../../store/orders.ts";
import { tenantById } from "../../../store/tenants.ts";
import type { PreparedAction } from "../../contract.ts";
import { paymentMethodWords } from "../payment-words.ts";
import { payoutMethodWords } from "../payout-words.ts";
import { requisitesSentAt } from "./fiat-receipt.ts";
import { destinationText } from "./order-result.ts";
import { givenSources, haveChanged } from "./requisite-sources.ts";

/** What people compare with the bank's account before they say that money came. */
export interface Reviewed {
  order: Order;
  contactId: string;
  /** When the lead first said that it was paid, milliseconds. */
  reportedAt: number;
  media: readonly Media[];
  /** What a model read of the transfer in the chat or on the receipt. */
  stated: Record<string, string>;
}

/** What a person compares with the account: from the database, and last what a model made of it. */
export async function receiptMaterial(
  tx: Tx,
  reviewed: Reviewed,
): Promise<PreparedAction["material"]> {
  const { order, contactId, media } = reviewed;
  const language = (await tenantById(tx, order.tenantId))?.language ?? "en";
  const texts = TEXTS[language];
  const client = await contactKyc(tx, { tenantId: order.tenantId, contactId });
  const sentAt = requisitesSentAt(order);
  const rail = order.paymentRail ? ` · ${order.paymentRail}` : "";
  const way = order.payoutMethod && payoutMethodWords(order.payoutMethod, language);
  const where = [way, order.payoutLocation, destinationText(order)];
  const payout = [`${order.amountTo} ${order.quoteAsset}`, ...where].filter(Boolean).join(", ");
  const files = media.map((one) => mediaText(one, texts)).join(", ");
  return [
    { label: texts.order, value: orderName(order) },
    { label: texts.client, value: client?.name ?? "?" },
    { label: texts.expected, value: `${order.amountFrom} ${order.asset}` },
    {
      label: texts.method,
      value: `${paymentMethodWords(order.paymentMethod, language)}${rail}`,
    },
    { label: texts.sent, value: sentAt === null ? texts.neverSent : shown(sentAt) },
    ...sourceFacts(order, texts),
    { label: texts.receipt, value: files === "" ? texts.noFile : files },
    { label: texts.paysOut, value: payout },
    ...warnings(reviewed, texts).map((value) => ({ label: texts.note, value })),
    ...((await haveChanged(tx, order)) ? [{ label: texts.note, value: texts.changed }] : []),
    ...understood(reviewed, texts),
  ];
}

/** Where the money has to be looked for: what this client was given, not what is given today. */
function sourceFacts(order: Order, texts: Texts): PreparedAction["material"] {
  const given = givenSources(order);
  if (given.length === 0) return [];
  const value = given
    .map(({ name, version, setAt }) => texts.version(name, version, shown(Date.parse(setAt))))
    .join(", ");
  return [{ label: texts.details, value }];
}

/** Payer, bank and sum as a model put them: neither the client's words nor checked by anybody. */
function understood(
  { order, stated }: Reviewed,
  { names, understood: label }: Texts,
): PreparedAction["material"] {
  const told: Record<string, string | null | undefined> = {
    payerName: stated.payerName ?? order.payerName,
    sourceBank: stated.sourceBank ?? order.sourceBank,
    receiptAmount: stated.receiptAmount,
    paymentReference: stated.paymentReference,
  };
  const parts = Object.entries(names).flatMap(([field, name]) => {
    const value = told[field];
    return value ? [`${name} ${value}`] : [];
  });
  return parts.length > 0 ? [{ label, value: parts.join(", ") }] : [];
}

type Texts = (typeof TEXTS)[Language];

function warnings({ order, reportedAt, media, stated }: Reviewed, texts: Texts): string[] {
  const { receiptAmount } = stated;
  return [
    ...(receiptAmount && !sameAmount(receiptAmount, order.amountFrom) ? [texts.otherSum] : []),
    ...(reportedAt > order.expiresAt ? [texts.late(shown(order.expiresAt))] : []),
    ...(media.some((one) => one.forwarded) ? [texts.forwarded] : []),
  ];
}

function mediaText(media: Media, texts: Texts): string {
  return texts.kinds[media.kind] ?? media.kind;
}

function shown(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

const TEXTS = {
  en: {
    order: "Order",
    client: "Client",
    expected: "Expected",
    method: "Paid by",
    sent: "Details sent",
    neverSent: "never: no payment details were given for this order",
    details: "Details of",
    version: (name: string, version: number, since: string) =>
      `${name}, version ${version} of ${since}`,
    changed: "the payment details were changed since: look where this client was told to pay",
    receipt: "Receipt",
    noFile: "no file, only words",
    paysOut: "Then pays out",
    note: "Note",
    otherSum: "the sum that was named is not the order's",
    late: (end: string) => `reported after the order's time (${end}); Approve keeps the old price`,
    forwarded: "a receipt was forwarded from somebody else",
    understood: "The bot understood (not verified)",
    kinds: { photo: "photo", document: "document", video: "video" } as { [kind: string]: string },
    names: {
      payerName: "payer",
      sourceBank: "bank",
      receiptAmount: "sum",
      paymentReference: "reference",
    },
  },
  ru: {
    order: "Заявка",
    client: "Клиент",
    expected: "Ожидаем",
    method: "Способ оплаты",
    sent: "Реквизиты отправлены",
    neverSent: "нет: реквизиты по этой заявке не выдавали",
    details: "Каких реквизитов",
    version: (name: string, version: number, since: string) =>
      `${name}, версия ${version} от ${since}`,
    changed: "реквизиты с тех пор изменили: ищите там, куда платил этот клиент",
    receipt: "Чек",
    noFile: "файла нет, только слова",
    paysOut: "После этого выдача",
    note: "Внимание",
    otherSum: "названа не та сумма, что в заявке",
    late: (end: string) => `сообщили после срока заявки (${end}); одобрение оставит прежнюю цену`,
    forwarded: "чек переслан от другого человека",
    understood: "Бот понял (не проверено)",
    kinds: { photo: "фото", document: "документ", video: "видео" } as { [kind: string]: string },
    names: {
      payerName: "плательщик",
      sourceBank: "банк",
      receiptAmount: "сумма",
      paymentReference: "назначение",
    },
  },
} as const satisfies Record<Language, unknown>;
