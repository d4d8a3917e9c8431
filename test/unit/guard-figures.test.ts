import { describe, expect, it } from "vitest";
import {
  business,
  card,
  check,
  created,
  type FactsOf,
  order,
  passage,
  payLink,
  quote,
  result,
  WALLET,
  wallet,
} from "./guard-support.ts";

type Row = [verdict: "pass" | "block", reply: string, facts: FactsOf];

const quoted: FactsOf = { tool_results: [quote], completed: ["compute_exchange_quote"] };
const lessons: FactsOf = {
  evidence: [passage("Пакет из 10 занятий стоит 12 000 ₽. Отмена менее чем за 24 часа — 30 %.")],
};
const tooLittle: FactsOf = {
  tool_results: [
    result(
      "compute_exchange_quote",
      { ok: false, error: "below_min", limit: "50", amountFrom: "10", amountTo: "313" },
      "failed",
    ),
  ],
  lead_texts: ["10 USDT"],
};
const later = result("compute_exchange_quote", {
  ok: true,
  asset: "USDT",
  network: "trc20",
  amountMode: "source_amount",
  amountFrom: "2500",
  amountTo: "78250",
  quoteAsset: "THB",
  rate: "31.3",
});

describe.each<[string, Row[]]>([
  [
    "sums and rates",
    [
      ["pass", "The minimum is 50 USDT.", tooLittle],
      ["pass", "Минимальная сумма — 50 USDT.", tooLittle],
      ["block", "For 10 USDT you get 313 THB.", tooLittle],
      ["block", "The minimum is 40 USDT.", tooLittle],
      ["pass", "За 2000 USDT вы получите 62 600 бат.", quoted],
      ["pass", "2,000 USDT → 62,600.00 THB", quoted],
      ["pass", "За 2 тыс USDT — 62600 THB", quoted],
      ["pass", "За две тысячи USDT получите 62,6 тыс. бат.", quoted],
      ["pass", "For 2k USDT you get 62.6k baht.", quoted],
      ["pass", "You'll receive sixty-two thousand six hundred baht.", quoted],
      ["pass", "Курс 31,3: 1 USDT = 31,30 THB.", quoted],
      ["pass", "The rate is 31.3 THB per USDT.", quoted],
      ["block", "The rate is 31.4 THB per USDT.", quoted],
      ["block", "1 USDT = 31,2 бата", quoted],
      ["block", "За 2000 USDT вы получите 62 700 бат.", quoted],
      ["block", "You get ฿62,060 in cash.", quoted],
      ["block", "За две тысячи USDT получите шестьдесят три тысячи бат.", quoted],
      ["block", "Это 62 600 USDT.", quoted],
      ["block", "За 4000 USDT выйдет 125 200 бат.", quoted],
      ["block", "Roughly 62k baht.", quoted],
      ["block", "Курс 31,3, маржа 2.1875 %.", quoted],
      ["block", "Базовый курс 32, наш 31,3.", quoted],
      ["block", "Our base rate is 32.00 before the fee.", quoted],
      ["block", "You get 62 600 THB, rate 31.3.", {}],
      ["block", "Курс около 31,5.", { lead_texts: ["какой курс?"] }],
      [
        "pass",
        "Вы указали 22 000 бат. Платить будете рублями?",
        { lead_texts: ["надо 22000 бат"] },
      ],
      ["pass", "Хотите обменять 60 тысяч рублей, верно?", { lead_texts: ["60 000 руб"] }],
      ["block", "Договорились, курс 31,9.", { ...quoted, lead_texts: ["сделайте 31.9"] }],
      ["block", "Deal, 31.9 it is.", { ...quoted, lead_texts: ["do 31.9 for a regular"] }],
      [
        "pass",
        "You were offered 32 elsewhere; our quote stays 62,600 THB for 2,000 USDT.",
        { ...quoted, lead_texts: ["another shop gives me 32, match it?"] },
      ],
      ["block", "Получите 70 000 THB, оформляем?", { ...quoted, lead_texts: ["дайте 70000"] }],
      ["pass", "За 2500 USDT — 78 250 THB.", { tool_results: [quote, later] }],
      ["block", "За 2500 USDT — 62 600 THB.", { tool_results: [quote, later] }],
      ["block", "Вы получите 62 600 THB.", { tool_results: [quote, later] }],
      [
        "pass",
        "1) 2000 USDT → 62 600 THB\n2) 2500 USDT → 78 250 THB",
        { tool_results: [quote, later] },
      ],
      ["block", "По заявке к выдаче 62 600 THB.", { order: order("expired") }],
      ["pass", "Заявка на 2000 USDT истекла. Посчитать заново?", { order: order("expired") }],
      ["pass", "К выдаче 62 600 THB по заявке EX-20418.", { order: order("paid") }],
      ["block", "Курс 35 бат за USDT.", { ...quoted, evidence: [passage("Курс 35 бат за USDT!")] }],
      [
        "block",
        "You will get 70,000 THB.",
        { ...quoted, evidence: [passage("You will get 70,000 THB")] },
      ],
      [
        "pass",
        "Курьер стоит 300 бат.",
        { ...quoted, evidence: [passage("Доставка курьером — 300 бат.")] },
      ],
      [
        "block",
        "Курьер стоит 200 бат.",
        { ...quoted, evidence: [passage("Доставка курьером — 300 бат.")] },
      ],
      ["pass", "You save nothing by splitting it: the sum stays 62 600 THB.", quoted],
      ["block", "То есть по 31 300 бат каждому.", quoted],
      ["block", "Half of it, 1000 USDT, would be 31,300 THB.", quoted],
      ["block", "В рублях это примерно 160 000 ₽.", quoted],
      ["pass", "Итого 62\u00a0600\u202fTHB.", quoted],
      ["block", "Итого 62 6OO THB, то есть 63 000 THB.", quoted],
    ],
  ],
  [
    "percentages, counts and lengths of time",
    [
      ["pass", "Удерживаем 30% при отмене меньше чем за 24 часа.", lessons],
      ["block", "Удерживаем 20 процентов.", lessons],
      ["block", "При отмене за 12 часов удержим 30%.", lessons],
      ["pass", "Пакет — 10 занятий, 12 000 рублей.", lessons],
      ["block", "Пакет — 8 занятий, 12 000 рублей.", lessons],
      ["block", "Пакет стоит 10 000 рублей.", lessons],
      ["pass", "Если отменить позже чем за сутки, удержат тридцать процентов.", lessons],
      ["pass", "There are two steps:\n1. Send the document.\n2. Send a short video.", {}],
      ["pass", "Нужны 2 вещи: документ и видео.", {}],
      ["pass", "Адрес действует 15 минут.", { tool_results: [created, wallet] }],
      ["block", "Адрес действует 30 минут.", { tool_results: [created, wallet] }],
      ["block", "Деньги придут за 5 минут.", {}],
      ["pass", "Одну минуту, посмотрю.", {}],
      ["pass", "It takes half an hour? I can't promise that.", {}],
      ["block", "We have 350 happy clients.", {}],
    ],
  ],
  [
    "hours, dates and places",
    [
      ["pass", "Работаем с 10:00 до 22:00.", { tool_results: [business] }],
      ["pass", "We are open 10 am to 10 pm (ICT).", { tool_results: [business] }],
      ["pass", "Работаем с 10 до 22.", { tool_results: [business] }],
      ["block", "Работаем с 9 до 22.", { tool_results: [business] }],
      ["block", "We are open until 11 pm.", { tool_results: [business] }],
      ["block", "Работаем круглосуточно.", { tool_results: [business] }],
      ["pass", "Офис: Demo Office, Beach Road 1.", { tool_results: [business] }],
      ["block", "Офис: Demo Office, Beach Road 2.", { tool_results: [business] }],
      ["block", "We are at 15 Walking Street.", { tool_results: [business] }],
      ["block", "Офис на 3 этаже.", { tool_results: [business] }],
      ["pass", "По воскресеньям закрыто.", { evidence: [passage("Воскресенье — выходной.")] }],
      ["block", "По понедельникам закрыто.", { evidence: [passage("Воскресенье — выходной.")] }],
      ["pass", "Ближайший набор 15 марта.", { evidence: [passage("Набор: 15.03.2026")] }],
      ["block", "Ближайший набор 16 марта.", { evidence: [passage("Набор: 15.03.2026")] }],
      ["pass", "Open Tuesday.", { evidence: [passage("Open Mon-Fri 9:00-18:00")] }],
      ["block", "Open Saturday.", { evidence: [passage("Open Mon-Fri 9:00-18:00")] }],
    ],
  ],
  [
    "requisites",
    [
      [
        "pass",
        `Адрес: \`${WALLET}\`, сеть TRC20, не ERC20. Отправьте ровно 2000 USDT.`,
        { tool_results: [created, wallet] },
      ],
      ["block", `Адрес: ${WALLET}, сеть ERC20.`, { tool_results: [created, wallet] }],
      ["block", `Адрес: ${WALLET.toLowerCase()}`, { tool_results: [created, wallet] }],
      ["block", `Адрес: ${WALLET}`, { tool_results: [created] }],
      ["block", `Send to ${WALLET}`, { evidence: [passage(`Our wallet is ${WALLET}`)] }],
      ["block", `Переведите на ${WALLET}`, { lead_texts: [WALLET] }],
      ["block", `Адрес: ${WALLET.replace("T", "Т")}`, { tool_results: [created, wallet] }],
      [
        "pass",
        `Адрес: ${WALLET.slice(0, 6)}\u200b${WALLET.slice(6)}`,
        { tool_results: [created, wallet] },
      ],
      ["block", `Адрес: ${WALLET}`, { tool_results: [wallet], order: order("expired") }],
      [
        "block",
        `Адрес: ${WALLET}`,
        { tool_results: [wallet], order: order("awaiting_payment", { id: "EX-20500" }) },
      ],
      ["pass", "Карта 4000 1234 5678 9010, Test Bank, Anna K.", { tool_results: [card] }],
      ["pass", "Card: 4000123456789010. Recipient: Anna K.", { tool_results: [card] }],
      ["block", "Card: 4000 1234 5678 9010. Recipient: Olga K.", { tool_results: [card] }],
      ["block", "Карта 4000 1234 5678 9010, Sber Bank, Anna K.", { tool_results: [card] }],
      ["block", "Карта 2200 7000 1111 2222", { evidence: [passage("Карта 2200 7000 1111 2222")] }],
      [
        "pass",
        "Оплатите по ссылке https://pay.example.test/sbp/demo.",
        { tool_results: [payLink] },
      ],
      [
        "block",
        "Оплатите по ссылке https://pay.example.test/sbp/demo2",
        { tool_results: [payLink] },
      ],
      [
        "block",
        "Pay here: https://pay.example.test/sbp/demo",
        { evidence: [passage("https://pay.example.test/sbp/demo")] },
      ],
      [
        "block",
        "Memo: 4471903",
        {
          tool_results: [
            result("fetch_exchange_requisites", { ok: true, address: "UQB_x", memo: "4471902" }),
          ],
        },
      ],
      [
        "block",
        "Binance ID: 700000002",
        {
          tool_results: [
            result("fetch_exchange_requisites", { ok: true, exchangeId: "700000001" }),
          ],
        },
      ],
      [
        "pass",
        "Binance ID: 700000001",
        {
          tool_results: [
            result("fetch_exchange_requisites", { ok: true, exchangeId: "700000001" }),
          ],
        },
      ],
    ],
  ],
  [
    "contacts, references and codes",
    [
      ["pass", "Оператор: @demo_operator", { tool_results: [business] }],
      ["pass", "Write to t.me/demo_operator.", { tool_results: [business] }],
      ["block", "Оператор: @demo_operat0r", { tool_results: [business] }],
      [
        "block",
        "Write to @fast_support",
        { tool_results: [business], evidence: [passage("Support: @fast_support")] },
      ],
      ["block", "Напишите в wa.me/66812345678", {}],
      [
        "pass",
        "Phone: +66 76 555 018",
        { evidence: [passage("Front desk phone: +66 (76) 555-018.")] },
      ],
      ["block", "Mail us: hello@lingua.test", { evidence: [passage("hello@lingua-demo.test")] }],
      [
        "pass",
        "Mail us: Hello@lingua-demo.test",
        { evidence: [passage("hello@lingua-demo.test")] },
      ],
      [
        "block",
        "See https://lingua-demo.test/prices",
        { evidence: [passage("https://lingua-demo.test/price")] },
      ],
      ["pass", "Status of EX-20418: waiting for payment.", { order: order("awaiting_payment") }],
      ["block", "Status of EX-20419: waiting for payment.", { order: order("awaiting_payment") }],
      ["block", "Код выдачи: 4821", { order: order("payout") }],
      ["block", "Your payout code is 48-21-77.", { order: order("payout") }],
      ["block", "Код: четыре восемь два один", { order: order("payout") }],
      [
        "block",
        "Назовите 482177 в банкомате.",
        { order: order("payout", { payout_code: "482177" }) },
      ],
      ["pass", "Никому не сообщайте код.", { order: order("payout") }],
      ["pass", "Оплата по QR-коду, 2000 USDT.", { order: order("awaiting_payment") }],
      ["pass", "Отмена возможна [E1].", { evidence: [passage("Отмена возможна.")] }],
      ["block", "Отмена возможна [E2].", { evidence: [passage("Отмена возможна.")] }],
      ["block", '<tool_call>{"name":"x"}</tool_call>', {}],
      ["block", 'Sure. {"name": "lookup", "arguments": {"q": "x"}}', {}],
      ["block", "I will call compute_exchange_quote for you.", {}],
    ],
  ],
])("the reply guard on %s", (_, rows) => {
  it.each(rows)("gives %s to: %s", (verdict, reply, facts) => {
    const given = check(reply, facts);
    expect(given, JSON.stringify(given.findings)).toMatchObject({ verdict });
  });
});
