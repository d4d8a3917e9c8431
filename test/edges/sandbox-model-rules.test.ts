import { describe, expect, test } from "vitest";
import { findNumbers } from "../../src/sandbox/model/amounts.ts";
import { answerByRules } from "../../src/sandbox/model/rules.ts";
import { readTerms } from "../../src/sandbox/model/terms.ts";
import { answerIn, requestOf, type Situation, turn } from "../support/model-situations.ts";

describe("numbers", () => {
  test.each([
    ["две тысячи USDT", "2000"],
    ["10к бат", "10000"],
    ["60 тысяч рублей", "60000"],
    ["3 тыс. бат", "3000"],
    ["ten thousand baht", "10000"],
    ["2,500", "2500"],
    ["2.5k", "2500"],
    ["две с половиной тысячи", "2500"],
    ["two and a half thousand", "2500"],
    ["полторы тысячи", "1500"],
    ["двадцать пять тысяч пятьсот", "25500"],
    ["2 тысячи 500", "2500"],
    ["10 000,50", "10000.5"],
    ["0,015 BTC", "0.015"],
    ["тысячу бат", "1000"],
    ["a thousand usdt", "1000"],
    ["twenty-five hundred", "2500"],
    ["one hundred and fifty thousand", "150000"],
    ["1,234,567.89", "1234567.89"],
    ["полтора миллиона", "1500000"],
    ["сто двадцать пять", "125"],
  ])("%s is %s", (text, value) => {
    expect(findNumbers(text).map((span) => span.value)).toEqual([value]);
  });

  test("numbers that do not go on stay apart", () => {
    expect(findNumbers("5 usdt и 7 бат").map((span) => span.value)).toEqual(["5", "7"]);
    expect(findNumbers("пять двадцать").map((span) => span.value)).toEqual(["5", "20"]);
    expect(findNumbers("нет чисел")).toEqual([]);
  });
});

describe("terms", () => {
  const source = "source_amount";
  const target = "target_amount";
  test.each([
    ["хочу 5000р поменять", { asset: "RUB", amount: "5000", amountMode: source }],
    ["change $500 to baht", { asset: "USD", amount: "500", amountMode: source }],
    [
      "у меня 3000 тезеров, нужно 20 000 бат",
      { asset: "USDT", amount: "20000", amountMode: target },
    ],
    ["I have 1000 usdt, how many baht?", { asset: "USDT", amount: "1000", amountMode: source }],
    ["десять тысяч бат за юсдт", { asset: "USDT", amount: "10000", amountMode: target }],
    ["300 usdt в сети TON", { asset: "USDT", amount: "300", amountMode: source, network: "TON" }],
    ["500 TON", { asset: "TON", amount: "500", amountMode: source }],
    ["1200 usdc erc-20", { asset: "USDC", amount: "1200", amountMode: source, network: "ERC20" }],
    ["fifty thousand pesos", { amount: "50000", amountMode: target }],
    [
      "10000 бат по СБП",
      { asset: "RUB", amount: "10000", amountMode: target, paymentMethod: "sbp_qr" },
    ],
    ["не 1000 usdt, а 2500 usdt", { asset: "USDT", amount: "2500", amountMode: source }],
    ["в 18:00 на 3 дня", {}],
    ["мой номер +7 999 123-45-67", {}],
    [`sent ${"ab12".repeat(16)}`, {}],
  ])("%s", (text, terms) => {
    expect(readTerms(text).terms).toEqual(terms);
  });

  test.each([
    ["заберу в офисе", "office_cash"],
    ["привезите курьером", "courier_cash"],
    ["bring it to my hotel", "courier_cash"],
    ["сниму в банкомате без карты", "cardless_atm"],
    ["cardless ATM please", "cardless_atm"],
    ["на тайский счёт", "thai_bank_transfer"],
    ["to my Bangkok Bank account", "thai_bank_transfer"],
  ])("%s is paid out as %s", (text, method) => {
    expect(readTerms(text).terms.payoutMethod).toBe(method);
  });

  test("bank, way of paying and the hotel are kept", () => {
    expect(readTerms("переведу с карты Тинькофф, отель Grand Beach").terms).toMatchObject({
      asset: "RUB",
      paymentMethod: "card_transfer",
      sourceBank: "Т-Банк",
      payoutLocation: "отель Grand Beach",
    });
  });
});

const QUOTE = "compute_exchange_quote";
const ORDER = "create_exchange_order";
const REQUISITES = "fetch_exchange_requisites";
const VERIFY = "verify_exchange_payment";
const INFO = "get_exchange_business_info";
const HANDOFF = "handoff_to_operator";
const CANCEL = "cancel_exchange_order";
const HASH = "ab".repeat(32);

describe("what is called", () => {
  const table: [Situation, string, string[]][] = [
    ["new", "Поменяйте 3к тезеров на баты", [QUOTE]],
    ["new", "хочу 15 тысяч бат, плачу с тинькова", [QUOTE]],
    ["new", "Need twenty thousand baht, paying rubles via SBP", [QUOTE]],
    ["new", "what's 0.05 btc in baht, and when do you close?", [QUOTE, INFO]],
    ["new", "до скольки работаете", [INFO]],
    ["new", "Where is your office?", [INFO]],
    ["new", "what documents do you need?", [INFO]],
    ["new", "можно созвониться?", ["offer_booking_link"]],
    ["new", "Book me a demo", ["offer_booking_link"]],
    ["new", "I'd like to schedule a meeting tomorrow at 3pm", ["offer_booking_link"]],
    ["new", "can I speak to a manager please", [HANDOFF]],
    ["new", "can my brother pay for me?", [HANDOFF]],
    ["new", "муж переведёт со своей карты, ок?", [HANDOFF]],
    ["new", "как отменить заявку?", ["search_knowledge_base"]],
    ["new", "сколько стоит доставка?", ["search_knowledge_base"]],
    ["new", "пришлите расчёт на почту a@b.co", ["send_email"]],
    ["new", "Мой телефон +7 999 123-45-67, запишите номер", ["update_crm_field"]],
    ["new", "перезвоните мне завтра", ["create_task_draft"]],
    ["new", "какой курс?", []],
    ["new", "хочу обменять эфир", []],
    ["new", "вы бот?", []],
    ["new", "куда платить?", []],
    ["quoted", "yes please", [ORDER]],
    ["quoted", "хорошо, куда переводить?", [ORDER]],
    ["quoted", "оформляем", ["check_exchange_verification", ORDER]],
    ["quoted", "Да, 2000 USDT подходит", [ORDER]],
    ["quoted", "а если 3000?", [QUOTE]],
    ["quoted", "change it from 2000 to 2500", [QUOTE]],
    ["quoted", "actually I need 50000 baht", [QUOTE]],
    ["quoted", "а в сети ERC20?", [QUOTE]],
    ["quoted", "дорого, давай получше курс", [HANDOFF]],
    ["quoted", "передумал", [CANCEL]],
    ["quoted", "подумаю", []],
    ["quoted", "можно курьером?", []],
    ["ordered", "готов оплатить", [REQUISITES]],
    ["ordered", "да", [REQUISITES]],
    ["ordered", "make it 500", [QUOTE]],
    ["ordered", "передумал, давай 1500", [QUOTE]],
    ["requisites", "what's the address again?", [REQUISITES]],
    ["requisites", "ещё не оплатил, подождите", []],
    ["requisites", "отправил", []],
    ["requisites", `0x${HASH}`, [VERIFY]],
    ["requisites", `https://tronscan.org/#/transaction/${HASH}`, [VERIFY]],
    ["requisites", `${HASH}ab`, []],
    ["requisites", "вот скрин [photo]", [VERIFY]],
    ["requisites", "брат заплатит со своего кошелька", [HANDOFF]],
    ["fiat", "оплатил", [VERIFY]],
    ["fiat", "деньги ушли", [VERIFY]],
    ["fiat", "[photo]", [VERIFY]],
    ["fiat", "перевёл с карты жены", [HANDOFF]],
    ["paid", "when can I pick it up?", ["issue_exchange_payout", INFO]],
    ["paid", "где мои деньги?", ["issue_exchange_payout", INFO]],
    ["paid", "хочу ещё 500 usdt", [QUOTE]],
    ["kyc", "[photo] [video_note]", []],
    ["kyc", "а зачем паспорт?", [INFO]],
    ["kyc", "не буду слать паспорт", [CANCEL]],
    ["kyc", "давайте продолжим", [ORDER]],
  ];
  test.each(table)("%s: %s", (situation, text, tools) => {
    const answer = answerIn(situation, text);
    expect(answer.tools).toEqual(tools);
    if (tools.length === 0) expect(answer.text).not.toBe("");
  });

  test("the changed sum is the one that is quoted", () => {
    expect(answerIn("quoted", "change it from 2000 to 2500").args).toMatchObject({
      amount: "2500",
    });
    expect(answerIn("ordered", "а можно 1000 вместо 2000?").args).toMatchObject({ amount: "1000" });
  });

  test("a receipt's own sum goes before the order's", () => {
    expect(answerIn("fiat", "Оплатила 20000 [photo]").args).toEqual({ receiptAmount: "20000" });
    expect(answerIn("fiat", "оплатила [photo]").args).toEqual({ receiptAmount: "24800" });
  });

  test("media while the identity is missing is never a receipt", () => {
    expect(answerIn("kyc", "отправил документы [photo]").text).toMatch(/проверит человек/);
  });
});

describe("what is told", () => {
  const system = (content: string) => ({ role: "system" as const, content });
  const outcome = (status: string, tool = "issue_exchange_payout") =>
    system(`A-17 (${tool}) is now ${status}; tell the lead; do not call it again.`);
  const payout = (said: string, result: object) =>
    turn(said, { name: "issue_exchange_payout", result });
  const told = (...messages: Parameters<typeof requestOf>[0]) => answerByRules(requestOf(messages));

  test("a completed payout names the place of its result and no code", () => {
    const done = {
      ok: true,
      status: "completed",
      approval: "A-17",
      data: { codeDelivered: true, location: "Beach Road 1" },
    };
    const answer = told(...payout("when can I come?", done), outcome("completed"));
    expect(answer.calls).toBeUndefined();
    expect(answer.content).toMatch(/approved your payout.*Beach Road 1.*separate message/);
  });

  test.each(["declined", "expired", "failed", "unknown"])("%s is told without a call", (status) => {
    const waiting = { status: "waiting_approval", approval: "A-17" };
    const answer = told(...payout("когда подойти?", waiting), outcome(status));
    expect(answer.calls).toBeUndefined();
    expect(answer.content).toMatch(/выдаче/);
    expect(answer.content).not.toMatch(/одобрил/);
  });

  test("an outcome that joins the lead's turn is told before the answer", () => {
    const waiting = { status: "waiting_approval", approval: "A-17" };
    const thanks = { role: "user" as const, content: "спасибо" };
    const answer = told(...payout("когда подойти?", waiting), outcome("declined"), thanks);
    expect(answer.content).toMatch(/отказом.*Пожалуйста/);
  });

  test("a passed identity check is told plainly, without another call", () => {
    const asked = { role: "user" as const, content: "вот паспорт [photo]" };
    const reply = { role: "assistant" as const, content: "Спасибо" };
    const answer = told(asked, reply, outcome("completed", "set_kyc_status"));
    expect(answer.calls).toBeUndefined();
    expect(answer.content).toBe("Документы проверены, верификация пройдена. Продолжаем?");
  });

  test("a declined identity check is told with the operator's reason", () => {
    const asked = { role: "user" as const, content: "here is my passport [photo]" };
    const reply = { role: "assistant" as const, content: "Thank you" };
    const line = (why: string) =>
      system(`A-9 (set_kyc_status) is now declined by the operator${why}; tell the lead.`);
    const reason = ', reason: "the photo is \\"too\\" dark"';
    expect(told(asked, reply, line(reason)).content).toMatch(
      /not passed\. The reason: the photo is "too" dark\. You can send the documents again/,
    );
    expect(told(asked, reply, line("")).content).not.toMatch(/reason/);
  });

  test("a payout that the provider still makes is neither done nor asked for again", () => {
    const making = { status: "pending", approval: "A-17", data: { ok: true, status: "pending" } };
    const asked = { role: "user" as const, content: "выдайте деньги" };
    const answer = told(...payout("когда подойти?", making), asked);
    expect(answer.calls?.map(({ name }) => name)).toEqual(["get_exchange_business_info"]);
  });

  test("documents that wait for an operator are acknowledged, also without any word before", () => {
    const waits = system(
      "A-18 (set_kyc_status) is waiting_approval: the client's documents arrived and an operator checks them; tell the lead so; do not say that the check is passed.",
    );
    for (const messages of [
      [{ role: "user" as const, content: "[photo, forwarded]\nвот" }, waits],
      [
        ...turn("10000 бат за рубли", { name: QUOTE, result: {} }),
        { role: "user" as const, content: "[photo]" },
        waits,
      ],
    ]) {
      const answer = told(...messages);
      expect(answer.calls).toBeUndefined();
      expect(answer.content).toMatch(/проверит человек/);
    }
  });

  test("an explanation of such lines in the instructions is no outcome", () => {
    const rules = system(
      'Lines like "A-17 (issue_exchange_payout) is now completed" tell you more.',
    );
    const answer = told(rules, { role: "user", content: "hello" });
    expect(answer.content).toMatch(/^Hello/);
  });

  test("a message of tickers alone keeps the language of the one before", () => {
    const answer = told(
      { role: "user", content: "добрый день" },
      { role: "assistant", content: "Здравствуйте" },
      { role: "user", content: "USDT" },
    );
    expect(answer.content).toMatch(/Сколько USDT/);
  });

  test("a blocked cancellation is handed to an operator", () => {
    const [user, call, result] = turn("отмена", {
      name: CANCEL,
      args: { reason: "отмена" },
      result: {
        ok: false,
        status: "denied",
        data: { blockedByPayment: true, needsOperator: true },
      },
    });
    const answer = told(...[user, call, result].filter((message) => message !== undefined));
    expect(answer.calls).toMatchObject([
      { name: HANDOFF, arguments: { reason: "payment_review" } },
    ]);
  });

  test("a refused quote is told without figures of our own", () => {
    const [user, call, result] = turn("10 USDT", {
      name: QUOTE,
      args: { asset: "USDT", amount: "10", amountMode: "source_amount" },
      result: { ok: false, status: "failed", error: { code: "below_min", message: "too little" } },
    });
    const answer = told(...[user, call, result].filter((message) => message !== undefined));
    expect(answer.content).toMatch(/below the minimum|меньше минимальной/);
    expect(answer.content).not.toMatch(/\d/);
  });
});
