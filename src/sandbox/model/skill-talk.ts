import { type Context, has, inLanguage, offered, type Skill } from "./context.ts";

/** Zero or less cannot be changed, and another number must not stand in for it. */
export const askForPositiveSum: Skill = (context) => {
  if (!context.namesNoSum || !offered(context, "compute_exchange_quote")) return undefined;
  const { asset = "" } = context.terms;
  return say(
    context,
    `Сумма должна быть больше нуля. Сколько ${asset} хотите поменять?`.replace("  ", " "),
    `The amount has to be above zero. How much ${asset} do you want to change?`.replace("  ", " "),
  );
};

/** Half of what a quote needs is there, or the lead wants to change money and named nothing yet. */
export const askForTerms: Skill = (context) => {
  if (!offered(context, "compute_exchange_quote") || context.deal.phase !== "none")
    return undefined;
  const { asset, amount } = context.terms;
  if (context.mentionsMoney && amount && !asset)
    return say(
      context,
      "Чем будете платить: USDT, рублями или другим?",
      "What will you pay with: USDT, roubles or something else?",
    );
  if (context.mentionsMoney && asset && !amount)
    return say(
      context,
      `Сколько ${asset} хотите поменять или сколько получить?`,
      `How much ${asset} do you want to change, or how much do you want to receive?`,
    );
  if (!has(context, "rate", "exchange") || isQuestionOfFacts(context)) return undefined;
  return say(
    context,
    "Назовите, что отдаёте и сколько: посчитаю точную сумму к получению.",
    "Tell me what you pay with and how much: I work out the exact sum you receive.",
  );
};

/** "What now?": the answer follows from the tool results so far. */
export const tellStatus: Skill = (context) => {
  if (has(context, "notYetPaid") && context.deal.phase === "requisites")
    return waitForTransfer(context);
  if (!has(context, "status") || context.deal.phase === "none") return undefined;
  switch (context.deal.phase) {
    case "quoted":
      return say(
        context,
        "Расчёт готов, жду вашего решения. Оформляем?",
        "The sum is worked out and I wait for your word. Shall I go on?",
      );
    case "ordered":
      return say(
        context,
        "Заявка создана. Прислать, куда платить?",
        "The order is created. Shall I send the payment details?",
      );
    case "requisites":
      return say(
        context,
        "Жду вашего перевода: пришлите хеш или чек.",
        "I am waiting for your transfer: send me the hash or the receipt.",
      );
    case "proof":
      return say(
        context,
        "Оплату проверяет человек, напишу, когда он ответит.",
        "A person is checking your payment, I will write when there is an answer.",
      );
    case "paid":
      return say(
        context,
        "Оплата на месте. Когда удобно получить деньги?",
        "Your payment is here. When does it suit you to receive the money?",
      );
    case "payout":
      return say(context, "Выдача одобрена оператором.", "The payout is approved by an operator.");
    default:
      return context.deal.phase satisfies never;
  }
};

/** Asked who is answering: a program, and it says so. */
export const introduce: Skill = (context) => {
  if (!has(context, "whoAreYou")) return undefined;
  return say(
    context,
    "Я бот: отвечаю и считаю сам, а важное решает человек.",
    "I am a bot: I answer and work things out, and what matters is decided by a person.",
  );
};

/** Nothing to do or to look up: a word of courtesy and what can be asked. */
export const smallTalk: Skill = (context) => {
  if (has(context, "thanks") && !has(context, "decline"))
    return say(
      context,
      "Пожалуйста! Если что-то ещё понадобится, пишите.",
      "You are welcome! Write if you need anything else.",
    );
  if (context.deal.phase === "requisites" && has(context, "accept"))
    return waitForTransfer(context);
  if (has(context, "promises")) return say(context, "Хорошо, жду.", "Good, I am waiting.");
  if (has(context, "decline"))
    return say(
      context,
      "Хорошо, без спешки. Напишите, если решите продолжить.",
      "All right, take your time. Write when you want to go on.",
    );
  const greeting = has(context, "greet") ? inLanguage(context, "Здравствуйте! ", "Hello! ") : "";
  return { content: greeting + offerText(context) };
};

/** Names only what the offered tools can do. */
export function offerText(context: Context): string {
  if (!offered(context, "compute_exchange_quote"))
    return inLanguage(context, "Чем могу помочь?", "How can I help you?");
  return inLanguage(
    context,
    "Чем помочь: посчитать обмен или ответить на вопрос?",
    "How can I help: work out an exchange or answer a question?",
  );
}

function waitForTransfer(context: Context) {
  return say(
    context,
    "Хорошо, жду перевода. Потом пришлите хеш или чек.",
    "Good, I am waiting for the transfer. Then send me the hash or the receipt.",
  );
}

function isQuestionOfFacts(context: Context): boolean {
  return !has(context, "rate") && context.reading.text.includes("?");
}

function say(context: Context, russian: string, english: string) {
  return { content: inLanguage(context, russian, english) };
}
