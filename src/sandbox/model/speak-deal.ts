import { type Context, inLanguage } from "./context.ts";
import type { ToolResult } from "./reading.ts";

const METHOD_NAMES: Record<string, [russian: string, english: string]> = {
  office_cash: ["наличные в офисе", "cash at the office"],
  courier_cash: ["наличные с курьером", "cash by courier"],
  cardless_atm: ["банкомат без карты", "a cardless ATM withdrawal"],
  atm: ["банкомат", "an ATM withdrawal"],
  thai_bank_transfer: ["перевод на тайский счёт", "a transfer to a Thai bank account"],
};

/** Sums exactly as the tool printed them; the rate is not shown to leads. */
export function quoteText(context: Context, result: ToolResult): string {
  const { amountFrom, asset, network, amountTo, quoteAsset } = result.data;
  const from = `${amountFrom} ${asset}${network ? ` (${String(network).toUpperCase()})` : ""}`;
  const method = METHOD_NAMES[context.terms.payoutMethod ?? ""];
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

export function methodText(context: Context): string {
  const method = METHOD_NAMES[context.terms.payoutMethod ?? ""];
  return inLanguage(
    context,
    `Хорошо, получение: ${method?.[0] ?? "по договорённости"}. Оформляем?`,
    `Good, you receive it as ${method?.[1] ?? "arranged"}. Shall I go on?`,
  );
}

export function orderText(context: Context, result: ToolResult | undefined): string {
  const { orderId, amountFrom, amountTo } = { ...context.deal.order, ...result?.data };
  const named = orderId ? ` ${orderId}` : "";
  const { asset } = context.terms;
  const sums = amountFrom && amountTo && asset;
  return inLanguage(
    context,
    `Заявка${named} создана${sums ? `: ${amountFrom} ${asset}, к получению ${amountTo}` : ""}. Напишите, когда будете готовы платить, и я пришлю реквизиты.`,
    `Order${named} is created${sums ? `: ${amountFrom} ${asset}, you receive ${amountTo}` : ""}. Tell me when you are ready to pay and I will send the payment details.`,
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
  return inLanguage(
    context,
    `Переведите ровно ${exactly} в течение ${ttlMin} минут:\n${target}\n${extra.join("")}${rule}${revived} После перевода пришлите ${address ? "хеш транзакции" : "чек"}.`,
    `Please send exactly ${exactly} within ${ttlMin} minutes:\n${target}\n${extra.join("")}${rule}${revived} After that send me ${address ? "the transaction hash" : "the receipt"}.`,
  );
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

const REFUSALS: [pattern: RegExp, russian: string, english: string][] = [
  [
    /needsVerification|kyc|verification/i,
    "Перед первым обменом нужна разовая проверка: пришлите фото документа и короткое видео, где вы называете имя и направление обмена. Их посмотрит человек.",
    "Before the first exchange there is a one-time check: please send a photo of your ID document and a short video where you say your name and the direction of the exchange. A person will look at them.",
  ],
  [
    /min/i,
    "Эта сумма меньше минимальной для обмена. Какую сумму посчитать?",
    "This sum is below the minimum. Which amount shall I work out?",
  ],
  [
    /max/i,
    "Эта сумма больше максимальной для обмена. Какую сумму посчитать?",
    "This sum is above the maximum. Which amount shall I work out?",
  ],
  [
    /rate|no_|unsupported|network/i,
    "Это направление сейчас посчитать не могу. Назовите другую валюту или сеть.",
    "I cannot work out this direction now. Please name another currency or network.",
  ],
  [
    /blocked|payment/i,
    "По текущей заявке уже идёт оплата, поэтому изменить её не могу. Решит оператор.",
    "A payment for the current order is on its way, so I cannot change it. An operator decides.",
  ],
  [
    /stage|not_allowed/i,
    "На этом шаге так сделать не могу. Начнём с направления и суммы?",
    "This cannot be done at this step. Shall we start with the direction and the amount?",
  ],
];

/** An honest no, after the code of the result; whose turn it is follows from `needsOperator`. */
export function refusalText(context: Context, result: ToolResult): string {
  const { data } = result;
  const needsIdentity = data.needsVerification === true;
  if (needsIdentity && /pending|review/.test(String(data.kycStatus ?? data.status ?? "")))
    return inLanguage(
      context,
      "Документы ещё на проверке у человека. Как только он ответит, продолжим.",
      "Your documents are still with a person for a check. We go on as soon as that is answered.",
    );
  const code = needsIdentity
    ? "needsVerification"
    : data.blockedByPayment
      ? "blocked"
      : result.code;
  if (data.needsOperator === true && !needsIdentity) return operatorText(context);
  const found = REFUSALS.find(([pattern]) => pattern.test(code));
  if (found) return inLanguage(context, found[1], found[2]);
  return inLanguage(
    context,
    "Сейчас это не получилось. Попробуйте, пожалуйста, чуть позже.",
    "That did not work just now. Please try again a little later.",
  );
}

export function operatorText(context: Context): string {
  return inLanguage(
    context,
    "Этот вопрос решает оператор, я один ответить не могу.",
    "This is for an operator to decide, I cannot answer it alone.",
  );
}
