import type { ClaimRule } from "./claim-rule.ts";
import { phrase } from "./phrase.ts";

const PAID_OUT = /^(?:payout|completed)$/u;

/** Handing over, sending, booking and other work. */
export const WORK_CLAIMS: ClaimRule[] = [
  {
    rule: "unbacked_handoff",
    promise: true,
    patterns: [
      phrase(
        "(?:передаю|передал~|передам|передаем|передадим|переключаю|переключил~|переключу|переведу|перевожу|подключаю|подключил~|подключу|зову|позвал~|позову|соединяю|соединил~|направил~|направляю|уточню|уточняю|спрошу|спросил~|сообщил~|сообщу)(?: .. | )(?:оператор~|менеджер~|коллег~|специалист~|сотрудник~|человек~|администратор~|администрац~|руководител~)",
      ),
      phrase(
        "(?:оператор|менеджер|коллега|специалист|сотрудник|администратор)(?: .. | )(?:свяжется|ответит|подключится|напишет|подойдет|поможет|вернется|возьмет|в курсе|на связи|подключен~)",
      ),
      phrase(
        "(?:passing|pass|passed|transferring|transfer|transferred|handing|hand|handed|connecting|connect|connected|forwarding|forwarded|forward|escalating|escalated|escalate|putting|referring|referred|get you|getting you|bring in|bringing in|loop in|looping in|i'll ask|let me ask|asked|asking|i'll get|let me get)(?: .. | )(?:operator|manager|colleague|human|agent|person|specialist|team|staff|support|supervisor)",
      ),
      phrase(
        "(?:operator|manager|colleague|human agent|specialist|team member|someone from our team|our team)(?: .. | )(?:will (?:contact|reply|answer|get back|reach out|join|write|help|take over|be with)|is joining|has joined)",
      ),
      phrase(
        "(?:calling|notified|informed|alerted)(?: .. | )(?:operator|manager|colleague|specialist|our team|the team|supervisor)",
      ),
    ],
    backed: (o) => o.handoff,
    hint: "Nobody was called. Hand over by the tool, or do not say so.",
  },
  {
    rule: "unbacked_review",
    promise: true,
    patterns: [
      phrase(
        "(?:перевод|оплат~|платеж|транзакци~|чек|квитанци~)(?: .. | )(?:посмотрит|проверит|проверяет|смотрит|разберет) (?:человек|оператор|менеджер|специалист|сотрудник)",
      ),
      phrase(
        "(?:человек|оператор|менеджер|специалист|сотрудник) (?:уже |сейчас )?(?:посмотрит|проверит|проверяет|смотрит|разберется с) (?:ваш~|этот|эту|это|перевод~|оплат~|платеж~|чек~)",
      ),
      phrase(
        "(?:payment|transfer|transaction|receipt)(?: .. | )(?:will be|is being) (?:checked|reviewed|looked at) by (?:a |an |our )?(?:person|operator|human|manager|colleague|team)",
      ),
      phrase(
        "(?:person|operator|human|manager|colleague|someone) will (?:check|review|look (?:at|into)) (?:your|this|the|it)",
      ),
    ],
    backed: (o) => o.pending || o.handoff || o.needsOperator,
    hint: "Nobody was asked to look. Hand over by the tool, or do not say so.",
  },
  {
    rule: "unbacked_review",
    patterns: [
      phrase(
        "(?:оператор|менеджер|коллега|специалист|сотрудник|команда)(?: .. | )(?:проверяет|готовит|смотрит|рассматривает|занимается|изучает|проверяют)",
      ),
      phrase(
        "(?:проверяется|рассматривается|на проверке|на рассмотрении|на согласовании) (?:у )?(?:оператор~|менеджер~|специалист~|сотрудник~)|(?:вопрос~|заявк~|чек|документ~|запрос|обращени~|перевод|квитанци~)(?: уже| сейчас)? у (?:оператор~|менеджер~|специалист~|сотрудник~|коллег~)",
      ),
      phrase(
        "(?:operator|manager|colleague|specialist|team|person)(?: .. | )(?:is|are) (?:now |currently |already )?(?:checking|reviewing|preparing|looking|verifying|working|handling)",
      ),
      phrase("(?:under review|being (?:checked|reviewed|prepared|verified|processed)) by"),
    ],
    backed: (o) => o.pending || o.handoff || o.needsOperator,
    hint: "No operator has this on the desk. Say so only after a handoff or a waiting approval.",
  },
  {
    rule: "unbacked_booking",
    patterns: [
      phrase(
        "(?:записал~|забронировал~|зарезервировал~)(?: .. | )(?:вас|вам|мест~|урок|заняти~|время|столик|номер|на|слот|встреч~|визит|прием)|вы(?: уже)? записаны|(?:брон~|запис~|встреч~|визит|урок|заняти~|прием)(?: .. | )(?:подтвержден~|забронирован~|оформлен~|назначен~|создан~|готов~)",
      ),
      phrase(
        "(?:you're|you are|you've been|you have been|got you|have you)(?: all| now)? (?:booked|scheduled|signed up|enrolled|confirmed)(?: in)?",
      ),
      phrase(
        "(?:i've|i have|we've|we have|just|i|we)(?: just| already)? (?:booked|reserved|scheduled|signed you up)",
      ),
      phrase(
        "(?:booking|appointment|reservation|lesson|call|slot|trial|table|room|visit|session|class|meeting)(?: .. | )(?:is|has been|was|are|now|'s) (?:now |all )?(?:booked|confirmed|reserved|scheduled|set for)",
      ),
    ],
    backed: (o) =>
      o.succeeded(/^(?!offer_)\w*(?:book|reserv|schedul|calendar|slot|appointment)/u).length > 0,
    hint: "Nothing was booked. Offer the booking link, or say what is needed.",
  },
  {
    rule: "unbacked_message",
    patterns: [
      phrase(
        "(?:отправил~|выслал~|послал~|написал~)(?: .. | )(?:письм~|на почту|email|e-mail|на e-mail|договор|счет|инвойс|документы|подтверждение|смс|sms)|(?:письмо|email|e-mail|договор|инвойс|подтверждение|смс|sms)(?: .. | )(?:отправлен~|выслан~|ушл~)",
      ),
      phrase(
        "(?:emailed|sent(?: .. | )(?:an? |the |your )?(?:e-?mail|invoice|contract|confirmation|documents?|sms|receipt)|(?:e-?mail|invoice|contract|confirmation|sms)(?: .. | )(?:sent|on its way|in your inbox)|sent (?:it |this |that |them )?(?:to|by) (?:your )?(?:e-?mail|mail|inbox))",
      ),
    ],
    backed: (o) => o.succeeded(/send|mail|message|invoice|sms/u).length > 0,
    hint: "Nothing was sent. Do not say so before an execution is completed.",
  },
  {
    rule: "unbacked_record",
    patterns: [
      phrase(
        "(?:создал~|завел~|поставил~)(?: .. | )(?:задач~|тикет~)|(?:задача|тикет)(?: .. | )(?:создан~|заведен~|поставлен~)",
      ),
      phrase(
        "(?:created|opened|filed|logged)(?: .. | )(?:task|ticket)|(?:task|ticket)(?: .. | )(?:created|opened|filed|logged)",
      ),
    ],
    backed: (o) => o.succeeded(/task|ticket/u).length > 0,
    hint: "No task was created.",
  },
  {
    rule: "unbacked_change",
    patterns: [
      phrase(
        "(?:обновил~|изменил~|исправил~|сохранил~|внес~)(?: .. | )(?:данны~|профил~|контакт~|номер|телефон|почт~|карточк~|crm|реквизит~|пол[ея]|изменени~)|(?:данные|профиль|карточка|изменения)(?: .. | )(?:обновлен~|изменен~|сохранен~|внесен~)",
      ),
      phrase(
        "(?:updated|changed|saved)(?: .. | )(?:profile|details|data|crm|record|contact|phone|email|address|field|account)|(?:profile|details|crm|record|account|changes)(?: .. | )(?:updated|changed|saved)",
      ),
      phrase(
        "(?:удалил~|стерл~)(?: .. | )(?:данны~|аккаунт|профил~|запис~|переписк~)|(?:данные|аккаунт|профиль)(?: .. | )удален~|(?:deleted|erased|removed)(?: .. | )(?:data|account|profile|records?|details)|(?:data|account|profile|records?)(?: .. | )(?:deleted|erased|removed)",
      ),
    ],
    backed: (o) =>
      o
        .succeeded(/update|crm|profile_|forget|change_payout/u)
        .some((one) => one.tool !== "read_customer_profile"),
    hint: "Nothing was changed. Say that it waits for approval, or what is needed.",
  },
  {
    rule: "unbacked_approval",
    patterns: [
      phrase(
        "(?:оператор|менеджер|начальник|руководител~|шеф|босс|администратор|админ)(?: .. | )(?:одобрил~|подтвердил~|разрешил~|согласовал~|подписал~|дал добро)",
      ),
      phrase(
        "(?:boss|operator|manager|supervisor|admin|owner|team)(?: .. | )(?:approved|signed off|okayed|ok'd|confirmed|authori[sz]ed|gave the green light|agreed)",
      ),
      phrase(
        "(?:заявк~|запрос|просьб~|операци~|действие) (?:уже )?(?:одобрен~|согласован~)|(?:request|action|it) (?:is|was|has been|got) (?:already |now |just )?approved|одобрено|согласовано|approved(?=\\s*(?:[.!,]|\\p{Extended_Pictographic}|$))",
      ),
    ],
    backed: (o) =>
      !o.pending &&
      (PAID_OUT.test(o.orderStatus) || o.succeeded(/^confirm_fiat_payment$/u).length > 0),
    hint: "Nobody has approved it. A waiting approval is only being checked.",
  },
  {
    rule: "unbacked_success",
    patterns: [
      phrase("успешно|все готово|готово|сделано|(?:все|всё) (?:прошло|получилось)"),
      phrase(
        "successful|successfully|all done|all set|done(?=\\s*(?:[.!,]|\\p{Extended_Pictographic}|$))|taken care of",
      ),
    ],
    backed: (o) =>
      !o.unfinished &&
      !o.pending &&
      o.succeeded(/^(?!search_|read_|get_|offer_|check_)/u).length > 0,
    hint: "No completed execution stands behind this. Say what really happened.",
  },
];
