import { type Context, inLanguage } from "./context.ts";
import type { ToolResult } from "./reading.ts";

const METHOD_NAMES = new Map<string, [russian: string, english: string]>(
  Object.entries({
    office_cash: ["наличные в офисе", "cash at the office"],
    courier_cash: ["наличные с курьером", "cash by courier"],
    cardless_atm: ["банкомат без карты", "a cardless ATM withdrawal"],
    atm: ["банкомат", "an ATM withdrawal"],
    thai_bank_transfer: ["перевод на тайский счёт", "a transfer to a Thai bank account"],
  }),
);

/** Sums exactly as the tool printed them; the rate is not shown to leads. */
export function quoteText(context: Context, result: ToolResult): string {
  const { amountFrom, asset, network, amountTo, quoteAsset } = result.data;
  const from = `${amountFrom} ${asset}${network ? ` (${String(network).toUpperCase()})` : ""}`;
  const method = METHOD_NAMES.get(context.terms.payoutMethod ?? "");
  const ru = method
    ? `Получение: ${method[0]}. Оформляем?`
    : "Как удобнее получить: офис, курьер, банкомат без карты или тайский счёт?";
  const en = method
    ? `You receive it as ${method[1]}. Shall I go on?`
    : "How would you like to receive it: office, courier, cardless ATM or a Thai bank account?";
  const fixed = context.intents.has("haggle")
    ? inLanguage(context, " Сам изменить сумму не могу.", " I cannot change this sum myself.")
    : "";
  return inLanguage(
    context,
    `Вы отдаёте ${from} и получаете ${amountTo} ${quoteAsset}.${fixed} ${ru}`,
    `You give ${from} and receive ${amountTo} ${quoteAsset}.${fixed} ${en}`,
  );
}

/** Also where no way was named: the office is where the business can be met. */
export function paysOutAtOffice(context: Context): boolean {
  return ["", "office_cash"].includes(agreedMethod(context));
}

/** How the money comes to a lead who need not come for it. */
export function noOfficeText(context: Context): string {
  const method = METHOD_NAMES.get(agreedMethod(context));
  if (!method) return "";
  return inLanguage(
    context,
    `Получение: ${method[0]}, в офис приходить не нужно.`,
    `You receive it as ${method[1]}, so you need not come to the office.`,
  );
}

/** How and where the order is paid out, in words; empty when nobody said. */
export function agreedWay(context: Context): string {
  const method = METHOD_NAMES.get(agreedMethod(context));
  if (!method) return "";
  const { payoutLocation, payoutDestination } = context.deal.order;
  const named = [payoutLocation, payoutDestination].filter(Boolean).map(String);
  return [inLanguage(context, ...method), ...named].join(", ");
}

function agreedMethod(context: Context): string {
  return String(context.deal.order.payoutMethod ?? context.terms.payoutMethod ?? "");
}

export function methodText(context: Context): string {
  const { payoutMethod, payoutLocation } = context.terms;
  const place = payoutMethod === "courier_cash" && payoutLocation ? `, ${payoutLocation}` : "";
  const method = METHOD_NAMES.get(context.terms.payoutMethod ?? "");
  return inLanguage(
    context,
    `Хорошо, получение: ${method?.[0] ?? "по договорённости"}${place}. Оформляем?`,
    `Good, you receive it as ${method?.[1] ?? "arranged"}${place}. Shall I go on?`,
  );
}

/** Figures are those of the result, else of the deal so far; none is computed. */
export function orderText(context: Context, result: ToolResult | undefined): string {
  const { quote } = context.deal;
  const known = { asset: context.terms.asset, quoteAsset: quote?.quoteAsset };
  const shown = { ...known, ...context.deal.order, ...result?.data };
  const { orderId, amountFrom, amountTo, asset, quoteAsset } = shown as Record<string, unknown>; // of tool results
  const named = orderId ? ` ${orderId}` : "";
  const sums = amountFrom && amountTo && asset;
  const payout = [amountTo, quoteAsset].filter(Boolean).join(" ");
  const way = payoutSentence(shown);
  return inLanguage(
    context,
    `Заявка${named} создана${sums ? `: ${amountFrom} ${asset}, к получению ${payout}` : ""}.${way} Напишите, когда будете готовы платить, и я пришлю реквизиты.`,
    `Order${named} is created${sums ? `: ${amountFrom} ${asset}, you receive ${payout}` : ""}.${way} Tell me when you are ready to pay and I will send the payment details.`,
  );
}

/** Where to pay, the exact sum, the time limit and the rule about clean funds. */
export function requisitesText(context: Context, result: ToolResult): string {
  const { address, paymentUrl, exchangeId, detailsText, ttlMin, memo, tag } = result.data;
  const { data } = result;
  const sum = data.amountFrom ?? context.deal.order.amountFrom ?? context.deal.quote?.amountFrom;
  const { asset } = context.terms;
  const network = data.network ? ` (${String(data.network).toUpperCase()})` : "";
  const target = String(address ?? exchangeId ?? paymentUrl ?? detailsText ?? "");
  const extra = [memo ?? tag].filter(Boolean).map((value) => ` Memo: ${value}.`);
  const revived =
    data.revived === true
      ? inLanguage(
          context,
          ` Сумма пересчитана: к получению ${data.amountTo} ${data.quoteAsset}.`,
          ` The sum was counted anew: you receive ${data.amountTo} ${data.quoteAsset}.`,
        )
      : "";
  const exactly = sum && asset ? `${sum} ${asset}${network}` : network.trim();
  const rule = amlSentence(data.instructions, context);
  const way = payoutSentence(data);
  return inLanguage(
    context,
    `Переведите ровно ${exactly} в течение ${ttlMin} минут:\n${target}\n${extra.join("")}${rule}${revived}${way} После перевода пришлите ${address ? "хеш транзакции" : "чек"}.`,
    `Please send exactly ${exactly} within ${ttlMin} minutes:\n${target}\n${extra.join("")}${rule}${revived}${way} After that send me ${address ? "the transaction hash" : "the receipt"}.`,
  );
}

/** How and where the payout comes, as the tool says it, so that the lead can object in time. */
function payoutSentence({ payoutLine }: Record<string, unknown>): string {
  return typeof payoutLine === "string" && payoutLine !== "" ? ` ${payoutLine}` : "";
}

/** The tool's own words; the whole of them when no sentence names the rule. */
function amlSentence(instructions: unknown, context: Context): string {
  const text = String(instructions ?? "").trim();
  const sentences = text.split(/(?<=[.!])\s+/).filter((sentence) => /\bAML\b/i.test(sentence));
  if (sentences.length > 0) return sentences.join(" ");
  if (text !== "") return text;
  return inLanguage(
    context,
    "Отправляйте только свои чистые средства (AML).",
    "Send only clean funds of your own (AML).",
  );
}
