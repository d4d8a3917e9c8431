import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  business,
  card,
  check,
  created,
  type FactsOf,
  order,
  passage,
  quote,
  result,
  WALLET,
  wallet,
} from "./guard-support.ts";

type Row = [verdict: "pass" | "block", reply: string, facts: FactsOf];

const quoted: FactsOf = { tool_results: [quote] };
const open: FactsOf = { order: order("awaiting_payment") };
const paid: FactsOf = { order: order("paid"), pending: ["issue_exchange_payout"] };

const rows: Row[] = [
  ["pass", "Вижу, вы отправили деньги. Пришлите, пожалуйста, хеш перевода.", open],
  ["pass", "You'll see the payment details after the order is created.", quoted],
  ["pass", "Верификация проходится один раз. Verification is done once.", {}],
  [
    "pass",
    "Ждём вас в офисе: Demo Office, Beach Road 1, с 10:00 до 22:00.",
    { ...paid, order: order("payout"), tool_results: [business] },
  ],
  ["pass", "Спросите у оператора: @demo_operator.", { tool_results: [business] }],
  ["pass", "Каждый чек оператор проверяет вручную.", {}],
  ["pass", "I see no documents from you yet.", {}],
  ["block", "Пробный урок бесплатный.", { evidence: [passage("Пробный урок — 500 ₽.")] }],
  ["pass", "Пробный урок бесплатный.", { evidence: [passage("Первый урок бесплатно.")] }],
  ["pass", "Feel free to ask.", {}],
  ["block", "Обмен без комиссии!", quoted],
  ["block", "Money's in, thanks!", open],
  ["block", "Всё оплачено, спасибо.", open],
  ["block", "Баты уже на вашем счёте.", paid],
  ["block", "Одобрено!", paid],
  ["block", "Approved ✅", paid],
  ["block", "Let me get an operator for you.", {}],
  ["block", "Спрошу у менеджера и вернусь.", {}],
  ["block", "I have forwarded this to our payments team.", {}],
  ["block", "Your ID's been checked, all good.", {}],
  ["block", "Вы верифицированы.", {}],
  ["pass", "Вы подтвердили условия, создаю расчёт заново?", quoted],
  ["block", "Оплата подтверждена, а курьер уже едет?", open],
  ["block", "Готово ✅", {}],
  ["block", "Перевод прошёл успешно.", open],
  ["pass", "If the payment is confirmed in time, the rate stays.", open],
  ["pass", "Перевод пока не найден. Если вы уже отправили его, пришлите хеш.", open],
  ["block", "Спасибо! Средства зачислены. Ожидайте.", open],
  ["block", "Great news: the transfer has gone through!", open],
  ["pass", "The transfer hasn't gone through yet.", open],
  ["pass", "Nobody has confirmed the payment yet.", open],
  ["block", "Карта ****9011, Test Bank.", { tool_results: [card] }],
  ["pass", "Карта ****9010, Test Bank.", { tool_results: [card] }],
  ["block", `Адрес: ${WALLET.slice(0, 5)}...xyz9`, { tool_results: [wallet] }],
  [
    "pass",
    `Адрес заканчивается так: ${WALLET.slice(0, 5)}...${WALLET.slice(-4)}`,
    { tool_results: [wallet] },
  ],
  ["block", "Пришлите 2000 USDT на TQ5n Zk3d 8Wq1 Lm2x 9Rty 4Bvc 7Hj", { tool_results: [created] }],
  [
    "block",
    "Переведите на +7 900 123-45-67 по СБП",
    { evidence: [passage("СБП +7 900 123-45-67")] },
  ],
  ["block", "You have 20 minutes to pay.", { tool_results: [created, wallet] }],
  ["pass", "You have 15 minutes to pay 2,000 USDT.", { tool_results: [created, wallet] }],
  ["block", "Please send 2,010 USDT.", { tool_results: [created, wallet] }],
  [
    "pass",
    "Ваш хеш f".concat("a".repeat(63), " принят на проверку."),
    { lead_texts: [`f${"a".repeat(63)}`], pending: [] },
  ],
  ["pass", "Ваша почта a.b@mail.test, верно?", { lead_texts: ["a.b@mail.test"] }],
  ["block", "Пишите на a.b@mail.test.", { lead_texts: [] }],
  [
    "pass",
    "Класс! B1 — это средний уровень, подойдёт группа до 6 человек.",
    { evidence: [passage("Группы до 6 человек.")] },
  ],
  ["block", "Группа до 8 человек.", { evidence: [passage("Группы до 6 человек.")] }],
  [
    "pass",
    "Минимум — 50 USDT, максимум — 20 000 USDT.",
    { evidence: [passage("Лимиты: от 50 до 20000 USDT")] },
  ],
  ["pass", "Found it: EX-20418, 2,000 USDT to 62,600 THB, waiting for payment.", open],
  ["pass", "Комиссия уже учтена в сумме 62 600 бат.", quoted],
  ["pass", "За сколько бат нужен расчёт?", {}],
  [
    "pass",
    "Сумма отличается: получено 1950 USDT вместо 2000 USDT, решит оператор.",
    {
      ...open,
      handoff: true,
      tool_results: [
        result("verify_exchange_payment", { ok: true, amountReceived: "1950", asset: "USDT" }),
      ],
    },
  ],
];

describe("the reply guard on less tidy replies", () => {
  it.each(rows)("gives %s to: %s", (verdict, reply, facts) => {
    const given = check(reply, facts);
    expect(given, JSON.stringify(given.findings)).toMatchObject({ verdict });
  });

  it("blocks a wallet with any one character changed", () => {
    const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    const place = fc.integer({ min: 0, max: WALLET.length - 1 });
    fc.assert(
      fc.property(place, fc.constantFrom(...base58), (at, letter) => {
        const other = WALLET.slice(0, at) + letter + WALLET.slice(at + 1);
        const { verdict } = check(`Адрес: ${other}`, { tool_results: [wallet] });
        expect(verdict).toBe(other === WALLET ? "pass" : "block");
      }),
    );
  });

  it("blocks any payout sum other than the quoted one", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1000, max: 900_000 }), (sum) => {
        fc.pre(sum !== 62_600);
        const shown = sum.toLocaleString("en-US");
        expect(check(`You get ${shown} THB.`, quoted).verdict).toBe("block");
      }),
    );
  });
});

describe("the reply guard on claims in other words", () => {
  it.each<Row>([
    ["block", "Оплату мы получили, спасибо!", open],
    ["pass", "Деньги вы уже отправили, осталось прислать хеш.", open],
    ["block", "Courier is already heading to your hotel.", paid],
    ["block", "Верификацию можно не проходить.", {}],
    ["block", "Оператор уже в курсе и скоро ответит.", {}],
    ["pass", "Booking is made on the page itself; pick a free time there.", {}],
    ["block", "Your call is set for Friday.", { evidence: [passage("Calls: every Friday")] }],
    ["block", "С карты друга тоже можно.", {}],
    ["block", "OK, I'll match that rate for you.", quoted],
    ["pass", "К сожалению, скидок мы не делаем.", quoted],
    ["block", "Я отменил вашу заявку.", open],
    ["block", "We just transferred 62,600 THB to your bank account.", paid],
    ["pass", "I can't confirm the payment yet: the network has not confirmed it.", open],
  ])("gives %s to: %s", (verdict, reply, facts) => {
    const given = check(reply, facts);
    expect(given, JSON.stringify(given.findings)).toMatchObject({ verdict });
  });
});
