import { describe, expect, it } from "vitest";
import { guardReply } from "../../src/engine/guard/guard.ts";
import { guardFactsSchema } from "../../src/engine/guard/guard-facts.ts";
import {
  business,
  check,
  created,
  type FactsOf,
  order,
  passage,
  quote,
  result,
} from "./guard-support.ts";

type Row = [verdict: "pass" | "block", reply: string, facts: FactsOf];

const verified = result("check_exchange_verification", {
  verified: true,
  needsVerification: false,
});
const unverified = result("check_exchange_verification", {
  verified: false,
  status: "pending",
  needsVerification: true,
});
const payment = (data: Record<string, unknown>) => result("verify_exchange_payment", data);
const waiting = result("issue_exchange_payout", { approval: "A-17" }, "waiting_approval");

describe.each<[string, Row[]]>([
  [
    "payment",
    [
      ["pass", "Оплата подтверждена.", { tool_results: [payment({ ok: true })] }],
      [
        "block",
        "Оплата подтверждена.",
        { tool_results: [payment({ ok: false, reason: "unconfirmed" })] },
      ],
      [
        "block",
        "Оплата подтверждена.",
        { completed: ["create_exchange_order"], order: order("awaiting_payment") },
      ],
      ["block", "Не переживайте, деньги поступили.", { order: order("awaiting_payment") }],
      [
        "block",
        "Your payment is confirmed ✅ Courier or office pickup?",
        { order: order("awaiting_payment") },
      ],
      ["block", "We have received your USDT.", { order: order("awaiting_payment") }],
      [
        "pass",
        "Your payment is not confirmed yet, please try again later.",
        { order: order("awaiting_payment") },
      ],
      ["pass", "Оплата ещё не подтверждена сетью.", { order: order("awaiting_payment") }],
      [
        "pass",
        "Как только оплата будет подтверждена, я напишу.",
        { order: order("awaiting_payment") },
      ],
      [
        "pass",
        "Once your payment is confirmed, we prepare the cash.",
        { order: order("awaiting_payment") },
      ],
      ["pass", "Вы уже отправили перевод? Оплата прошла?", { order: order("awaiting_payment") }],
      [
        "pass",
        "Чек получили, его проверит оператор.",
        { order: order("awaiting_payment"), handoff: true },
      ],
      [
        "pass",
        "Вы пишете, что деньги отправлены; мы их пока не видим.",
        { order: order("awaiting_payment") },
      ],
      ["pass", "We haven't received your payment yet.", { order: order("awaiting_payment") }],
      ["block", "Payment received, thank you!", {}],
      ["block", "Вижу ваш платёж, всё хорошо.", { order: order("awaiting_payment") }],
    ],
  ],
  [
    "payout",
    [
      [
        "block",
        "Курьер уже выехал.",
        { tool_results: [waiting], pending: ["issue_exchange_payout"], order: order("paid") },
      ],
      [
        "pass",
        "Оператор проверяет выплату.",
        { tool_results: [waiting], pending: ["issue_exchange_payout"], order: order("paid") },
      ],
      ["block", "Оператор проверяет выплату.", { order: order("paid") }],
      [
        "block",
        "Your cash is ready.",
        { order: order("paid"), pending: ["issue_exchange_payout"] },
      ],
      ["pass", "Your cash is ready.", { order: order("payout") }],
      [
        "pass",
        "The courier leaves after an operator approves it; I'll write here.",
        { order: order("paid"), pending: ["issue_exchange_payout"] },
      ],
      [
        "block",
        "Выплата одобрена, приходите за деньгами!",
        { order: order("paid"), pending: ["issue_exchange_payout"] },
      ],
      ["block", "Код отправил отдельным сообщением.", { order: order("paid") }],
      [
        "pass",
        "Код отправил отдельным сообщением.",
        {
          order: order("payout"),
          tool_results: [result("issue_exchange_payout", { ok: true, codeDelivered: true })],
        },
      ],
      ["block", "We have sent 62,600 THB to your account.", { order: order("paid") }],
    ],
  ],
  [
    "orders",
    [
      ["pass", "Заявка EX-20418 создана.", { tool_results: [created] }],
      ["block", "Заявка создана.", { tool_results: [quote] }],
      [
        "block",
        "I've created your order.",
        { tool_results: [result("create_exchange_order", { ok: false, needsVerification: true })] },
      ],
      ["pass", "Создать заявку?", { tool_results: [quote] }],
      [
        "block",
        "Заявка отменена.",
        {
          order: order("paid"),
          tool_results: [result("cancel_exchange_order", { ok: false, blockedByPayment: true })],
        },
      ],
      ["pass", "Заявка отменена.", { order: order("cancelled") }],
      ["pass", "I can cancel the order if you want.", { order: order("awaiting_payment") }],
      ["block", "I've cancelled your lesson.", {}],
      ["block", "Ваш возврат оформлен.", { order: order("paid") }],
      [
        "block",
        "Готово!",
        { tool_results: [result("create_task_draft", { error: "timeout" }, "failed")] },
      ],
      [
        "pass",
        "Задача создана.",
        { tool_results: [result("create_task_draft", { ok: true, task_id: "T-1" })] },
      ],
      [
        "block",
        "Задача создана.",
        { tool_results: [result("create_task_draft", { error: "timeout" }, "failed")] },
      ],
    ],
  ],
  [
    "identity, third parties and terms",
    [
      ["pass", "Вы прошли верификацию, можно продолжать.", { tool_results: [verified] }],
      ["block", "Вы прошли верификацию, можно продолжать.", { tool_results: [unverified] }],
      ["block", "Your documents are approved.", { tool_results: [unverified] }],
      [
        "pass",
        "Your documents are being checked by an operator.",
        { tool_results: [unverified], handoff: true },
      ],
      ["block", "You can skip verification this time.", { tool_results: [unverified] }],
      ["block", "No KYC needed for this sum.", {}],
      ["pass", "Без верификации обменять не получится.", { tool_results: [unverified] }],
      ["pass", "We can't skip verification.", { tool_results: [unverified] }],
      ["pass", "Повторная проверка документов не нужна.", { tool_results: [verified] }],
      ["block", "Да, карта брата подойдёт.", { lead_texts: ["а с карты брата можно?"] }],
      ["block", "Да, без проблем.", { lead_texts: ["карта не моя, а брата, норм?"] }],
      ["block", "Sure, your wife can pay from her card.", {}],
      ["pass", "Платить с чужой карты нельзя, нужна карта на ваше имя.", {}],
      ["pass", "Sorry, we can't accept third-party payments.", {}],
      ["pass", "Whether your brother can pay is decided by a person.", { handoff: true }],
      ["block", "Сделаю вам скидку.", { tool_results: [quote] }],
      ["block", "We can give you a better rate.", { tool_results: [quote] }],
      ["pass", "Скидок нет, курс менять не могу.", { tool_results: [quote] }],
      ["pass", "I can't offer a better rate.", { tool_results: [quote] }],
      [
        "pass",
        "На пакет есть скидка 10%.",
        { evidence: [passage("Скидка 10% на пакет занятий.")] },
      ],
    ],
  ],
  [
    "handing over and other work",
    [
      ["block", "Передаю вас оператору.", {}],
      ["pass", "Передаю вас оператору.", { handoff: true }],
      ["pass", "Хотите, передам вопрос оператору?", {}],
      ["pass", "I can pass you to an operator if you like.", {}],
      ["block", "I'm transferring you to a human operator now.", {}],
      ["block", "Оператор скоро вам ответит.", {}],
      ["pass", "Оператор скоро вам ответит.", { completed: ["handoff_to_operator"] }],
      [
        "block",
        "Записал вас на пробный урок.",
        { tool_results: [result("offer_booking_link", { url: "https://cal.com/x" })] },
      ],
      [
        "block",
        "You're booked for the trial lesson.",
        { tool_results: [result("offer_booking_link", { url: "https://cal.com/x" })] },
      ],
      [
        "pass",
        "You're booked for the trial lesson.",
        { tool_results: [result("book_lesson", { ok: true })] },
      ],
      [
        "pass",
        "You can book a lesson by this link: https://cal.com/x",
        { tool_results: [result("offer_booking_link", { url: "https://cal.com/x" })] },
      ],
      ["block", "Письмо отправлено.", { pending: ["send_email"] }],
      [
        "pass",
        "Письмо отправлено.",
        { tool_results: [result("send_email", { id: "m1" })], completed: ["send_email"] },
      ],
      [
        "pass",
        "The e-mail will be sent after an operator approves it.",
        { pending: ["send_email"] },
      ],
      ["block", "I've updated your phone in the CRM.", { pending: ["update_crm_field"] }],
      ["block", "Your data has been deleted.", {}],
      ["pass", "Привет! Чем помочь?", {}],
      ["pass", "Thanks! What would you like to exchange and in which network?", {}],
      [
        "pass",
        "Мы меняем криптовалюту и рубли на баты. Сначала расчёт, затем заявка, оплата и выдача.",
        { tool_results: [business] },
      ],
      [
        "pass",
        "After the payment an operator checks it, then the cash is handed out in the office.",
        { tool_results: [business] },
      ],
      [
        "pass",
        "Для обмена нужны документ и короткое видео — один раз.",
        { tool_results: [unverified] },
      ],
      ["pass", "Сначала нужно направление и сумма, реквизиты пришлю после заявки.", {}],
    ],
  ],
])("the reply guard on claims about %s", (_, rows) => {
  it.each(rows)("gives %s to: %s", (verdict, reply, facts) => {
    const given = check(reply, facts);
    expect(given, JSON.stringify(given.findings)).toMatchObject({ verdict });
  });
});

describe("the backend's own rules, word for word", () => {
  const instructions =
    "Send exactly 1000 USDT in one payment.\nAML: only your own clean funds are accepted; a third party may pay only if agreed before the transfer.";
  const requisites = {
    tool: "fetch_exchange_requisites",
    status: "completed",
    data: { ok: true, orderId: "EX-20001", amountFrom: "1000", instructions },
  };
  const verdictOf = (reply: string) =>
    guardReply({ reply, lang: "en", facts: guardFactsSchema.parse({ tool_results: [requisites] }) })
      .verdict;

  it("may be told as they stand", () => {
    expect(
      verdictOf(
        "AML: only your own clean funds are accepted; a third party may pay only if agreed before the transfer.",
      ),
    ).toBe("pass");
  });

  it("give no licence to sentences beside them", () => {
    expect(verdictOf("Your funds are accepted, a third party may pay.")).toBe("block");
  });
});
