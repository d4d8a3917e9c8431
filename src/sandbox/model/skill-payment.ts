import type { ModelAnswer } from "./completion.ts";
import { ask, type Context, call, has, inLanguage, resultOf, type Skill } from "./context.ts";
import { INFO_TOOL, infoSentences } from "./info.ts";
import { asksPerson, type ToolResult } from "./reading.ts";
import { refusalAnswer } from "./refusal.ts";
import { changeWaitsText } from "./skill-destination.ts";
import { noOfficeText, paysOutAtOffice } from "./speak-deal.ts";
import { withPerson } from "./with-person.ts";

const VERIFY_TOOL = "verify_exchange_payment";
const REQUISITES_TOOL = "fetch_exchange_requisites";
const PAYOUT_TOOL = "issue_exchange_payout";
const FIAT = ["RUB", "EUR", "USD"];

/** A hash, a receipt, or the word that it is paid: only the tool says whether it is so. */
export const checkPayment: Skill = (context) => {
  if (!isProof(context)) return undefined;
  const result = resultOf(context, VERIFY_TOOL);
  if (result) return judged(context, result);
  const isCrypto = context.terms.asset !== undefined && !FIAT.includes(context.terms.asset);
  const hash = proofHash(context);
  if (!hash && isCrypto && context.reading.media.length === 0) return askForHash(context);
  // before the payment details are out, a payment cannot be checked
  const details = context.deal.phase === "ordered" ? [call(REQUISITES_TOOL)] : [];
  const asked =
    ask(context, ...details) ?? ask(context, call(VERIFY_TOOL, proofArguments(context, hash)));
  if (asked) return asked;
  return withPerson(context, { reason: "payment_review" });
};

function isProof(context: Context): boolean {
  if (context.hash || resultOf(context, VERIFY_TOOL)) return true;
  const { phase, pendingProof } = context.deal;
  if (phase === "paid" || phase === "payout") return false;
  const wantsOther = context.asksQuote || has(context, "pay", "cancel");
  if (pendingProof && !wantsOther && has(context, "recheck", "status", "finished")) return true;
  if (has(context, "identity") || context.intents.has("notYetPaid")) return false;
  if (has(context, "paid")) return true;
  if (has(context, "finished") && phase === "requisites") return true;
  const hasMedia = context.reading.media.length > 0;
  const awaits = phase === "requisites" || phase === "proof";
  return (has(context, "receipt") || awaits) && hasMedia && context.deal.kyc !== "needed";
}

/** The hash of this turn, else the one that the chain did not know or had not settled. */
function proofHash(context: Context): string | undefined {
  return context.hash ?? context.deal.pendingProof;
}

function proofArguments(context: Context, hash: string | undefined): Record<string, unknown> {
  if (hash) return { proof: hash };
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

function judged(context: Context, result: ToolResult): ModelAnswer {
  if (result.ok) return { content: paidText(context, result) };
  const problem = PROBLEMS.find(([pattern]) => pattern.test(result.code));
  const said = problem && inLanguage(context, problem[1], problem[2]);
  const isRefused = result.status === "denied" || result.data.needsOperator === true;
  if (!isRefused) return said ? { content: said } : refusalAnswer(context, result);
  return withPerson(context, {
    reason: "payment_review",
    said,
    promise: reviewText(context),
    isAsked: asksPerson(result),
  });
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
    "Сеть ещё не закончила этот перевод. Напишите через минуту, и я проверю его снова.",
    "The network has not confirmed this transfer yet. Please try again in a minute: write to me and I check it once more.",
  ],
  [
    /not_found|unknown_tx|unknown_hash/,
    "В сети этого перевода пока не видно. Подождите минуту-другую и напишите, я проверю снова; если не появится, сверьте хеш у себя в кошельке.",
    "This transfer is not seen on the chain yet. Wait a minute or two and write, I check it again; if it does not show up, compare it with the one in your wallet.",
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
    /failed|revert/,
    "Эта транзакция в сети не прошла, средства не переведены.",
    "This transaction failed in the network, nothing was transferred.",
  ],
  [/under/, "Пришло меньше, чем указано в заявке.", "Less arrived than your order says."],
  [
    /several/,
    "Здесь несколько хешей. Какой из них ваш перевод по этой заявке?",
    "These are several hashes. Which one is your transfer for this order?",
  ],
  [
    /proof|missing|hash_needed/,
    "Пришлите, пожалуйста, хеш транзакции или чек.",
    "Please send me the transaction hash or the receipt.",
  ],
];

function reviewText(context: Context): string {
  if (!proofHash(context))
    return inLanguage(
      context,
      "Чек получил, он ждёт проверки человеком. Напишу, когда она закончится.",
      "I have your receipt; it is waiting for a person to check it. I will write when that is done.",
    );
  return inLanguage(
    context,
    "Этот перевод посмотрит человек и свяжется с вами.",
    "A person will look at this transfer and contact you.",
  );
}

/** After the payment: asks for the payout, which a person decides, and tells place and hours. */
export const payOut: Skill = (context) => {
  if (!wantsPayout(context)) return undefined;
  const { deal } = context;
  const change = changeWaitsText(context);
  if (change) return { content: change };
  const isPaid = deal.phase === "paid" || deal.phase === "payout";
  if (!isPaid) return deal.phase === "none" ? undefined : { content: notPaidText(context) };
  const isOpen = !deal.payout || deal.payout.status === "stopped";
  const calls = isOpen || resultOf(context, PAYOUT_TOOL) ? [payoutCall(context)] : [];
  if (isToldOffice(context)) calls.push(call(INFO_TOOL));
  const asked = ask(context, ...calls);
  if (asked) return asked;
  const place = placeText(context);
  const standing = standingPayoutText(context);
  if (standing) return { content: `${standing} ${place}`.trim() };
  return withPerson(context, { reason: "payout_review", said: place });
};

function wantsPayout(context: Context): boolean {
  if (has(context, "payout")) return true;
  const { phase, payout } = context.deal;
  if (payout?.status === "refused" || payout?.status === "stopped") return has(context, "status");
  const isPaid = phase === "paid" || payout?.status === "making";
  if (isPaid && context.namesMethod) return true;
  return isPaid && has(context, "status", "hours", "address", "methods", "accept", "pay");
}

/** Address and hours are for those who come; others hear them only when they ask for the office. */
function isToldOffice(context: Context): boolean {
  return paysOutAtOffice(context) || /office|офис/i.test(context.reading.text);
}

function placeText(context: Context): string {
  const info = isToldOffice(context) ? resultOf(context, INFO_TOOL) : undefined;
  const office = info?.ok ? infoSentences(context, info, ["address", "hours"]) : [];
  const way = paysOutAtOffice(context) ? [] : [noOfficeText(context)];
  return [...way, ...office].join(" ");
}

function payoutCall(context: Context) {
  const { order } = context.deal;
  // a wish that came to nothing stays among the terms: the order itself says what holds
  const { payoutMethod, payoutLocation } = order.payoutMethod ? order : context.terms;
  return call(PAYOUT_TOOL, { payoutMethod, location: payoutLocation });
}

/** What a payout that was done or is under way allows to say; nothing for one that was refused. */
function standingPayoutText(context: Context): string | undefined {
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
  return undefined;
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
        "Thank you, I have them. Your documents wait for a check by a person; this is needed only once. I will write when there is an answer.",
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
