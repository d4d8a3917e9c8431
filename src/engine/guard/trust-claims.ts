import type { ClaimRule } from "./claim-rule.ts";
import { phrase } from "./phrase.ts";

/** Claims about identity, third parties and terms. */
export const TRUST_CLAIMS: ClaimRule[] = [
  {
    rule: "kyc_auto_verified",
    patterns: [
      phrase(
        "(?:верификаци~|проверк~|kyc|личност~|документ~|паспорт|видео)(?: .. | )(?:пройден~|прошли|прошла|прошел|подтвержден~|одобрен~|верифицирован~|проверен~|завершен~|принят~ и проверен~)|вы (?:уже |теперь )?(?:прошли|верифицированы|подтверждены|проверены)",
      ),
      phrase(
        "(?:прошли|подтвердили|одобрили|проверили|приняли)(?: .. | )(?:верификаци~|kyc|личност~|документ~|паспорт|проверку)",
      ),
      phrase(
        "(?:verification|kyc|identity|id|documents?|passport|id's|kyc's)(?: .. | )(?:verified|approved|passed|cleared|validated|accepted|checked|all good|(?:is|are) (?:complete|done))|you(?:'re| are|'ve been| have been)? (?:now |fully |already )*verified",
      ),
      phrase(
        "(?:verified|approved|validated|passed)(?: .. | )(?:verification|kyc|identity|your id|documents?|passport|id check)",
      ),
    ],
    backed: (o) =>
      o.succeeded(/^check_exchange_verification$/u).at(-1)?.fields.verified === "true" ||
      o.succeeded(/^set_kyc_status$/u).some((one) => /verified/u.test(one.fields.status ?? "")),
    hint: "Identity is not verified. Only a person verifies it; say what is missing or that it is being checked.",
  },
  {
    rule: "kyc_waived",
    promise: true,
    patterns: [
      phrase(
        "(?:верификаци~|проверк~ (?:личности|документов)|kyc|паспорт~|документ~|личность)(?: .. | )(?:не (?:нужн~|требу~|обязательн~|понадоб~|надо)|необязательн~|пропуст~|пропуска~|ни к чему|можно потом|отложим|можно не|не проходи~)",
      ),
      phrase(
        "(?:не (?:нужн~|требу~|надо|обязательн~))(?: .. | )(?:верификаци~|проверк~|kyc|паспорт~|документ~)",
      ),
      phrase(
        "(?:без|обойд~|обойт~ без) (?:верификации|kyc|документов|паспорта|проверки(?: личности| документов)?)",
      ),
      phrase(
        "(?:пропустим|пропускаем|опустим|закроем глаза)(?: .. | )(?:верификаци~|проверк~|kyc|паспорт|документ~|шаг)",
      ),
      phrase(
        "(?:verification|kyc|passport|id check|identity check|documents?|id)(?: .. | )(?:not (?:needed|required|necessary)|isn't (?:needed|required|necessary)|aren't (?:needed|required)|waived|skipped|optional|unnecessary)",
      ),
      phrase(
        "no (?:further )?(?:kyc|verification|passport|id(?: check)?|identity check|documents?) (?:is |are )?(?:needed|required|necessary|at all|for)|(?:without|skip|skipping|waive|waived|bypass|don't need|do not need|doesn't need|won't need|don't require)(?: (?:the|any|a|an|your|to do|to send|to pass|doing|to))*(?: further)? (?:verification|kyc|passport|id(?: check)?|identity check|documents?)",
      ),
    ],
    backed: (o) =>
      o
        .succeeded(/^check_exchange_verification$/u)
        .some((one) => one.fields.verified === "true" || one.fields.needsVerification === "false"),
    hint: "Verification cannot be waived. Say what is needed, or pass the question to a person.",
  },
  {
    rule: "third_party_approved",
    promise: true,
    patterns: [
      phrase(
        "(?:третьим лиц~|третьего лица|третьих лиц|чуж~ карт~|чуж~ счет~|карт~ (?:\\p{L}+ )?(?:брат~|сестр~|жен~|муж~|друг~|мам~|пап~|родствен~|подруг~|коллег~)|брат~|сестр~|жена|жене|жены|муж|мужа|друг|друга|мама|мамы|отец|отца|родственник~|подруг~)(?: .. | )(?:можно|может|можете|разреш~|подойдет|подходит|ок|допуска~|одобр~|принима~|примем|согласован~|без проблем|платит)",
      ),
      phrase(
        "(?:можно|можете|разреш~|подойдет|ок|допускается|одобр~|принимаем|примем|согласовали)(?: .. | )(?:третьим лиц~|третьего лица|третьих лиц|чуж~ карт~|чуж~ счет~|с карты (?:брат~|сестр~|жен~|муж~|друг~|мам~|пап~|родствен~|подруг~)|брат~|сестр~|жена|жене|жены|мужа|друга|мамы|родственник~|подруг~)",
      ),
      phrase(
        "(?:third[- ]party|third parties|someone else~|another person~|(?:brother|sister|wife|husband|friend|mother|father|mom|dad|relative|girlfriend|boyfriend|partner|colleague)(?:'s)?)(?: .. | )(?:fine|ok|okay|allowed|accepted|approved|works|can (?:pay|send|transfer)|may (?:pay|send)|no problem|acceptable|permitted|good|welcome)",
      ),
      phrase(
        "(?:you can|you may|we (?:accept|allow|approve|approved|permit|can accept)|approved|feel free to|it's (?:ok|okay|fine)|no problem)(?: .. | )(?:third[- ]party|third parties|someone else~|another person~|(?:brother|sister|wife|husband|friend|mother|father|mom|dad|relative|girlfriend|boyfriend|partner|colleague)(?:'s)?)",
      ),
    ],
    backed: (o) => o.thirdPartyApproved,
    hint: "Only a person decides on payment by a third party. Pass the question on.",
  },
  {
    rule: "rate_negotiation",
    promise: true,
    patterns: [
      phrase(
        "(?:сделаю|сделаем|дадим|дам|даю|предоставим|предоставлю|можем дать|могу дать|договоримся|есть|ваша|получите)(?: .. | )(?:скидк~|(?:лучш~|выгодн~|особ~|специальн~|индивидуальн~) (?:курс|услови~|цен~))",
      ),
      phrase(
        "(?:особый|специальный|индивидуальный|персональный|лучший) курс|(?:скидка|скидку) (?:для вас|вам|в|\\d+)|(?:улучшим|поднимем|повысим|подвинем|подниму|улучшу)(?: .. | )курс|курс(?: .. | )(?:улучшим|поднимем|повысим|подвинем)",
      ),
      phrase(
        "(?:special|better|custom|vip|individual|best) (?:rate|price|deal|offer)(?: for you)?",
      ),
      phrase(
        "(?:i'll|we'll|i will|we will|can|could|give you|offer you|get you|happy to|have)(?: .. | )(?:discount|match (?:it|that|the|their)|beat (?:it|that|the|their)|knock .. off|improve the rate|waive the fee)",
      ),
      phrase("(?:your|a|\\d+ ?%) discount(?: of| for you| applied| is)?"),
    ],
    backed: () => false,
    hint: "Terms are not for the model to change. Keep the quote, or pass the question to a person.",
  },
  {
    rule: "unbacked_screening",
    patterns: [
      phrase(
        "(?:aml|адрес|кошел~|отправител~)(?: .. | )(?:проверен~|чист~|прошел проверку|прошла|пройден~)",
      ),
      phrase("(?:aml|wallet|sender|address)(?: .. | )(?:passed|clean|clear|cleared|screened)"),
    ],
    backed: (o) => o.succeeded(/aml|screen/u).length > 0,
    hint: "Nobody screened the sender. Do not say so.",
  },
];
