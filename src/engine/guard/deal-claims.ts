import type { ClaimRule } from "./claim-rule.ts";
import { phrase } from "./phrase.ts";

const PAID = /^(?:paid|payout|completed)$/u;
const PAID_OUT = /^(?:payout|completed)$/u;
const OPEN = /^(?:quote|awaiting_payment|paid|payout)$/u;
const MONEY = "оплат~|платеж|платежа|перевод|деньги|средства|транзакци~|usdt|рубли";
const PAYMENT = "(?:payment|transfer|deposit|funds|money|transaction|usdt)";
const ORDER = "заявк~|заказ|ордер|сделк~";

/** Claims about money that came in or went out, and about the order. */
export const DEAL_CLAIMS: ClaimRule[] = [
  {
    rule: "payment_auto_verified",
    patterns: [
      phrase(
        `(?:${MONEY})(?: .. | )(?:подтвержден~|получен~|поступил~|пришл~|прошл~|прошел|зачислен~|дошл~|дошел|засчитан~|проверен~|принят~|подтвердил~|получил~|увидел~)`,
      ),
      phrase(
        `(?:подтвержден~|получен~|поступил~|пришл~|прошл~|прошел|зачислен~|дошл~|дошел|подтвердил~|проверил~|получил~|видим|приняли|(?:мы|я) видим|вижу|видим)(?: | .. )(?:${MONEY}|оплату|транзакцию)`,
      ),
      phrase(
        `${PAYMENT}(?: .. | )(?:confirmed|received|verified|credited|cleared|arrived|landed|settled|accepted|approved|went through|has gone through|came through|come through|is in)`,
      ),
      phrase(
        `(?:confirmed|received|verified|got|accepted|credited|(?:i|we) see)(?: .. | )(?:your |the )?${PAYMENT}|(?:money|payment|funds|transfer)(?:'s| is| are) in|${PAYMENT}(?: .. | )(?:hit our wallet|made it)`,
      ),
      phrase(
        "you(?:'re| are| have|'ve) (?:all )?paid(?: up| in full)?|order is paid|оплачен[аоы]?",
      ),
    ],
    backed: (o) =>
      PAID.test(o.orderStatus) ||
      o
        .succeeded(/^verify_exchange_payment$/u)
        .some((one) => one.fields.ok === "true" && one.fields.confirmed !== "false") ||
      o.succeeded(/^confirm_fiat_payment$/u).length > 0,
    hint: "No check confirmed the payment. Say that it is not confirmed yet or is being checked.",
  },
  {
    rule: "unbacked_payout",
    patterns: [
      phrase(
        "(?:выплат~|деньги|баты|бат|наличны~|сумм~|перевод|средства)(?: .. | )(?:отправлен~|отправил~|выплачен~|выдан~|переведен~|одобрен~|согласован~|готов|готова|готовы|ушл~|ушел|ждут вас|ждет вас|в пути|у курьера|на вашем счете|на вашем счету|на вашей карте)",
      ),
      phrase(
        "(?:выплатил~|выдал~|отправил~|перевел~|одобрил~|согласовал~|подписал~)(?: .. | )(?:выплат~|деньги|баты|бат|thb|наличны~|средства)",
      ),
      phrase(
        "курьер(?: .. | )(?:выехал|в пути|едет|отправлен|вышел)|(?:можно|можете|приходите|приезжайте|подходите)(?: .. | )(?:забирать|забрать|за деньгами|за наличными)",
      ),
      phrase(
        "(?:payout|cash|baht|money|funds)(?: .. | )(?:sent|paid out|released|approved|issued|disbursed|authori[sz]ed|on (?:its|the) way|is ready|are ready|ready for (?:pickup|collection)|waiting for you|signed off|in your account|on your account|with the courier)",
      ),
      phrase(
        "(?:sent|paid out|released|approved|issued|signed off on|authori[sz]ed|transferred)(?: .. | )(?:payout|cash|baht|thb|your money|the money|your funds)",
      ),
      phrase(
        "courier(?: .. | )(?:heading|driving|on (?:his|her|its|the) way|has left|left|dispatched|en route|is coming)|come (?:and )?(?:pick|collect|get) (?:it|your|the) .. (?:up|money|cash)|come (?:and )?pick it up|come collect it",
      ),
    ],
    backed: (o) =>
      PAID_OUT.test(o.orderStatus) ||
      o
        .succeeded(/^issue_exchange_payout$/u)
        .some(
          (one) =>
            !/^(?:waiting|pending|failed)/u.test(one.fields.status ?? "") &&
            one.fields.needsOperator !== "true",
        ),
    hint: "No payout was carried out. A payout that waits for approval is only being checked by an operator.",
  },
  {
    rule: "unbacked_code_delivery",
    patterns: [
      phrase("код(?: .. | )(?:отправлен|отправил~|выслан|выслал~|у вас|пришел|готов)"),
      phrase("(?:отправил~|выслал~|прислал~)(?: .. | )код"),
      phrase(
        "code(?: .. | )(?:sent|delivered|issued|ready|was messaged)|(?:sent|messaged|delivered)(?: .. | )code",
      ),
    ],
    backed: (o) =>
      o.succeeded(/^issue_exchange_payout$/u).some((one) => one.fields.codeDelivered === "true"),
    hint: "No payout code was delivered. Do not speak of one.",
  },
  {
    rule: "unbacked_order",
    patterns: [
      phrase(
        `(?:${ORDER})(?: .. | )(?:создан~|оформлен~|открыт~|зарегистрирован~|размещен~|активн~|в силе|действует|ждет оплаты|ожидает оплаты)`,
      ),
      phrase(
        `(?:создал~|оформил~|открыл~|завел~|зарегистрировал~|активн~)(?: .. | )(?:${ORDER}|заявку|сделку)`,
      ),
      phrase(
        "order(?: .. | )(?:created|placed|opened|set up|registered|active|in place|waiting for payment|awaiting payment|still (?:on|open|valid))",
      ),
      phrase("(?:created|placed|opened|set up|registered)(?: .. | )order"),
      phrase(
        "(?:курс|сумм~)(?: .. | )(?:зафиксирован~|закреплен~|забронирован~)|(?:зафиксировал~|закрепил~)(?: .. | )(?:курс|сумму)|rate (?:is |has been )?(?:locked|fixed|held)|locked(?: in)?(?: .. | )rate",
      ),
    ],
    backed: (o) =>
      OPEN.test(o.orderStatus) ||
      o
        .succeeded(/^create_exchange_order$/u)
        .some((one) => one.fields.needsVerification !== "true"),
    hint: "There is no such order now. Say what is missing instead.",
  },
  {
    rule: "unbacked_completion",
    patterns: [
      phrase(`(?:${ORDER}|обмен)(?: .. | )(?:выполнен~|завершен~|исполнен~|закончен~)`),
      phrase("(?:order|exchange|deal)(?: .. | )(?:completed?|finished|fulfilled|done)"),
    ],
    backed: (o) => o.orderStatus === "completed",
    hint: "The order is not completed. State its real status.",
  },
  {
    rule: "unbacked_cancellation",
    patterns: [
      phrase(
        `(?:${ORDER}|брон~|запис~|встреч~|визит|урок|заняти~)(?: .. | )(?:отменен~|отменил~|аннулирован~|снят~|закрыт~)`,
      ),
      phrase(
        `(?:отменил~|аннулировал~|закрыл~|снял~)(?: .. | )(?:${ORDER}|заявку|брон~|запись|встреч~|визит|урок|заняти~)`,
      ),
      phrase(
        "(?:order|booking|appointment|reservation|lesson|call|request|deal)(?: .. | )(?:cancell?ed|closed|voided)",
      ),
      phrase(
        "(?:cancell?ed|voided)(?: .. | )(?:it|order|booking|appointment|reservation|lesson|call|request|deal)",
      ),
    ],
    backed: (o) =>
      /^(?:cancelled|canceled|expired)$/u.test(o.orderStatus) ||
      o
        .succeeded(/cancel/u)
        .some(
          (one) =>
            one.fields.blockedByPayment === undefined || one.fields.blockedByPayment === "false",
        ),
    hint: "Nothing was cancelled. Say so, or say who decides.",
  },
  {
    rule: "unbacked_refund",
    patterns: [
      phrase(
        "(?:возврат~|деньги|средства)(?: .. | )(?:оформлен~|отправлен~|возвращен~|вернул~|одобрен~)|(?:вернул~|оформил~|одобрил~)(?: .. | )(?:возврат|деньги|средства)",
      ),
      phrase(
        "(?:refund)(?: .. | )(?:issued|sent|processed|approved|completed?)|(?:refunded|issued|processed|approved)(?: .. | )(?:refund|your money|you)|you(?:'ve| have)? been refunded",
      ),
    ],
    backed: (o) => o.succeeded(/refund/u).length > 0,
    hint: "No refund was made or approved. A refund is decided by a person.",
  },
];
