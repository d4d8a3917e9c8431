import type { ModelAnswer } from "./completion.ts";
import {
  ask,
  type Context,
  call,
  has,
  inLanguage,
  offered,
  resultOf,
  type Skill,
} from "./context.ts";
import { INFO_TOOL, infoSentences } from "./info.ts";
import type { ToolResult } from "./reading.ts";
import { operatorText, refusalText } from "./speak-deal.ts";

const VERIFY_TOOL = "verify_exchange_payment";
const PAYOUT_TOOL = "issue_exchange_payout";
const FIAT = ["RUB", "EUR", "USD"];

/** A hash, a receipt, or the word that it is paid: only the tool says whether it is so. */
export const checkPayment: Skill = (context) => {
  if (!isProof(context)) return undefined;
  const isCrypto = context.terms.asset !== undefined && !FIAT.includes(context.terms.asset);
  if (!context.hash && isCrypto && context.reading.media.length === 0) return askForHash(context);
  const asked = ask(context, call(VERIFY_TOOL, proofArguments(context)));
  if (asked) return asked;
  const result = resultOf(context, VERIFY_TOOL);
  if (!result) return offered(context, VERIFY_TOOL) ? undefined : notPossible(context);
  return { content: result.ok ? paidText(context, result) : unpaidText(context, result) };
};

function isProof(context: Context): boolean {
  if (context.hash) return true;
  const { phase } = context.deal;
  if (phase === "paid" || phase === "payout") return resultOf(context, VERIFY_TOOL) !== undefined;
  if (has(context, "identity") || context.intents.has("notYetPaid")) return false;
  if (has(context, "paid")) return true;
  if (has(context, "finished") && phase === "requisites") return true;
  const hasMedia = context.reading.media.length > 0;
  const awaits = phase === "requisites" || phase === "proof";
  return (has(context, "receipt") || awaits) && hasMedia && context.deal.kyc !== "needed";
}

function proofArguments(context: Context): Record<string, unknown> {
  if (context.hash) return { proof: context.hash };
  const { order, quote } = context.deal;
  const expected = order.amountFrom ?? quote?.amountFrom;
  return {
    receiptAmount: context.saidAmount ?? (expected === undefined ? undefined : String(expected)),
    sourceBank: context.terms.sourceBank,
  };
}

function askForHash(context: Context): ModelAnswer {
  return {
    content: inLanguage(
      context,
      "Пришлите, пожалуйста, хеш транзакции: по нему проверю поступление.",
      "Please send me the transaction hash: I check the transfer by it.",
    ),
  };
}

function notPossible(context: Context): ModelAnswer {
  return { content: operatorText(context) };
}

function paidText(context: Context, result: ToolResult): string {
  const received = result.data.amountReceived;
  const sum = received === undefined ? "" : `: ${received} ${context.terms.asset ?? ""}`.trimEnd();
  return inLanguage(
    context,
    `Проверка подтвердила оплату${sum}. Напишите, когда вам удобно получить деньги.`,
    `The check shows your payment has arrived${sum}. Tell me when it suits you to receive the money.`,
  );
}

const PROBLEMS: [pattern: RegExp, russian: string, english: string][] = [
  [
    /unconfirmed|not_final|pending/,
    "Сеть ещё не закончила этот перевод. Пришлите хеш ещё раз через минуту.",
    "The network has not confirmed this transfer yet. Please try again in a minute.",
  ],
  [
    /wrong_token|contract/,
    "Это не тот токен: пришёл другой контракт, а не нужный USDT.",
    "That is not the right token: it comes from another contract than the one we take.",
  ],
  [
    /wrong_recipient|recipient|address/,
    "Этот перевод ушёл на другой адрес, не на адрес из заявки.",
    "This transfer went to another address, not to the one of your order.",
  ],
  [
    /not_found|unknown_tx/,
    "Такой транзакции в сети не нахожу. Проверьте, пожалуйста, хеш.",
    "I cannot find this transaction in the network. Please check the hash.",
  ],
  [
    /failed|revert/,
    "Эта транзакция в сети не прошла, средства не переведены.",
    "This transaction failed in the network, nothing was transferred.",
  ],
  [/under/, "Пришло меньше, чем указано в заявке.", "Less arrived than your order says."],
  [
    /proof|missing|hash/,
    "Пришлите, пожалуйста, хеш транзакции или чек.",
    "Please send me the transaction hash or the receipt.",
  ],
];

function unpaidText(context: Context, result: ToolResult): string {
  const needsOperator = result.data.needsOperator === true;
  const isReceipt = !context.hash && needsOperator;
  if (isReceipt)
    return inLanguage(
      context,
      "Чек получил, он ждёт проверки человеком. Напишу, когда она закончится.",
      "I have your receipt; it is waiting for a person to check it. I will write when that is done.",
    );
  const problem = PROBLEMS.find(([pattern]) => pattern.test(result.code));
  const text = problem ? inLanguage(context, problem[1], problem[2]) : undefined;
  if (!needsOperator) return text ?? refusalText(context, result);
  const person = inLanguage(
    context,
    "Этот перевод посмотрит человек и ответит вам.",
    "A person will look at this transfer and answer you.",
  );
  return [text, person].filter(Boolean).join(" ");
}

/** After the payment: asks for the payout, which a person decides, and tells place and hours. */
export const payOut: Skill = (context) => {
  if (!wantsPayout(context)) return undefined;
  const { deal } = context;
  const isPaid = deal.phase === "paid" || deal.phase === "payout";
  if (!isPaid) return deal.phase === "none" ? undefined : { content: notPaidText(context) };
  const calls = deal.payout && !resultOf(context, PAYOUT_TOOL) ? [] : [payoutCall(context)];
  const asked = ask(context, ...calls, call(INFO_TOOL));
  if (asked) return asked;
  const info = resultOf(context, INFO_TOOL);
  const place = info?.ok ? infoSentences(context, info, ["address", "hours"]) : [];
  return { content: [payoutText(context), ...place].join(" ") };
};

function wantsPayout(context: Context): boolean {
  if (has(context, "payout")) return true;
  const { phase, payout } = context.deal;
  const isPaid = phase === "paid" || payout?.status === "making";
  return isPaid && has(context, "status", "hours", "address", "methods", "accept", "pay");
}

function payoutCall(context: Context) {
  const { payoutMethod, payoutLocation } = context.terms;
  return call(PAYOUT_TOOL, { payoutMethod, location: payoutLocation });
}

function payoutText(context: Context): string {
  const result = resultOf(context, PAYOUT_TOOL);
  const approval = result?.approval ?? context.deal.payout?.approval;
  const number = approval ? ` (${approval})` : "";
  const status = context.deal.payout?.status;
  if (status === "completed")
    return inLanguage(
      context,
      "Выдача одобрена оператором.",
      "The payout is approved by an operator.",
    );
  if (status === "making")
    return inLanguage(
      context,
      `Выдачу${number} ещё делает провайдер. Напишу, когда он закончит.`,
      `Your payout${number} is with the provider, who is still making it. I will write when that ends.`,
    );
  if (status === "waiting")
    return inLanguage(
      context,
      `Выдачу проверяет и готовит оператор${number}. Напишу сразу, как он ответит.`,
      `An operator is checking and preparing your payout${number}. I will write as soon as there is an answer.`,
    );
  if (result?.data.codeExpired === true || status === "refused") return operatorText(context);
  return result ? refusalText(context, result) : operatorText(context);
}

function notPaidText(context: Context): string {
  if (context.deal.phase === "proof")
    return inLanguage(
      context,
      "Оплату ещё проверяет человек. Как только проверка закончится, договоримся о выдаче.",
      "A person is still checking your payment. Once that is done we arrange the payout.",
    );
  return inLanguage(
    context,
    "Выдача идёт после оплаты и её проверки. Оформляем и оплачиваем?",
    "The payout comes after the payment and its check. Shall we go on with the order?",
  );
}

/** A document or video while the identity is not known: a person looks at it, never the model. */
export const receiveIdentity: Skill = (context) => {
  const { media } = context.reading;
  if (media.length === 0)
    return has(context, "identity") && context.deal.kyc === "needed" && !has(context, "documents")
      ? { content: askForIdentity(context) }
      : undefined;
  const isIdentity = context.deal.kyc === "needed" || has(context, "identity");
  if (isIdentity)
    return {
      content: inLanguage(
        context,
        "Спасибо, получил. Документы проверит человек, обычно это нужно только один раз. Напишу, когда он ответит.",
        "Thank you, I have them. A person will check your documents; this is needed only once. I will write when there is an answer.",
      ),
    };
  if (context.reading.text !== "") return undefined;
  return {
    content: inLanguage(
      context,
      "Файл получил. Подскажите, пожалуйста, что это: чек об оплате или документ?",
      "I have your file. Could you tell me what it is: a payment receipt or a document?",
    ),
  };
};

function askForIdentity(context: Context): string {
  return inLanguage(
    context,
    "Файлов пока не вижу. Пришлите, пожалуйста, фото документа и короткое видео.",
    "I see no files yet. Please send a photo of the document and a short video.",
  );
}
