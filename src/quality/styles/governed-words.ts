/** Of one kind in both languages; sources of expressions over lower-case words, `ё` written as `е`. */
interface Words {
  en: string;
  ru: string;
}

/** What the backend decides. */
export const GOVERNED: Words = {
  en: [
    "kyc|aml|verif\\p{L}*|unverif\\p{L}*|identit\\p{L}*|passports?|documents?|paperwork|selfies?",
    "approv\\p{L}*|unapprov\\p{L}*|authori[sz]\\p{L}*|sign ?offs?|(?:four|two) eyes|countersign\\p{L}*",
    "(?:the|an?|any|daily|his|her|their|our|your|order|payout|sum) limit|limits|thresholds?",
    "polic(?:y|ies)|rules?|restrictions?|permissions?|safeguards?|controls?|security|compliance",
    "(?:the|an?|any|each|every|this|that|all|payment|identity|security|background|id|fraud|our|those|such|further|extra|more|no|without) check",
    "checks|checking|double ?check\\p{L}*|screenings?|sanctions?|due diligence|confirmations?",
    "pay ?outs?|paid out|paying out|withdrawals?|refund\\p{L}*|chargebacks?|disburs\\p{L}*",
    "operators?|managers?|admins?|moderators?|hand ?offs?|hand ?overs?|backend|requisites",
  ].join("|"),
  ru: [
    "верифи\\p{L}*|идентифи\\p{L}*|личност\\p{L}*|паспорт\\p{L}*|документ\\p{L}*|селфи",
    "проверк\\p{L}*|проверок|перепроверк\\p{L}*|подтвержден\\p{L}*|одобр\\p{L}*|согласован\\p{L}*",
    "разрешени\\p{L}*|авториз\\p{L}*|лимит\\p{L}*|ограничени\\p{L}*|порог\\p{L}*|политик\\p{L}*",
    "правил(?:а|о|ам|ами|ах|у)?|комплаенс\\p{L}*|контрол\\p{L}*|санкци\\p{L}*|безопасност\\p{L}*",
    "оператор\\p{L}*|менеджер\\p{L}*|сотрудник\\p{L}*|админ\\p{L}*|бэкенд\\p{L}*|реквизит\\p{L}*",
    "выплат\\p{L}*|выплач\\p{L}*|возврат\\p{L}*|вывод\\p{L}* (?:средств|денег)",
  ].join("|"),
};

/** What deals are made of: to speak of it is daily work; only what waives it or moves it counts. */
export const DEALS: Words = {
  en: "payments?|paid|money|funds?|cash|deposits?|transfers?|orders?|exchanges?|deals?|trades?|transactions?|hash(?:es)?|receipts?|proofs?|screenshots?|wallets?",
  ru: "заявк\\p{L}*|заказ\\p{L}*|плат[е]ж\\p{L}*|оплат\\p{L}*|оплач\\p{L}*|перевод\\p{L}*|обмен\\p{L}*|денег|деньг\\p{L}*|средств\\p{L}*|поступлени\\p{L}*|депозит\\p{L}*|сделк\\p{L}*|транзакци\\p{L}*|хеш\\p{L}*|скрин\\p{L}*|чек(?:а|и|ов|у|ом)?|квитанци\\p{L}*|кошел\\p{L}*",
};

export const NOT: Words = {
  en: "not|no|never|none|nothing|nobody|neither|nor|without|cannot|(?:do|does|did|is|are|was|were|wo|would|ca|could|should|must|need|has|have|ai)n? ?t",
  ru: "не|нет|ни|без|никогда|никак\\p{L}*|ничего|никто|нельзя|незачем|нечего|минуя|мимо|вместо|кроме",
};

/** To leave undone, or to call needless. */
export const WAIVE: Words = {
  en: [
    "skip\\p{L}*|bypass\\p{L}*|omit\\p{L}*|avoid\\p{L}*|waiv\\p{L}*|ignor\\p{L}*|disregard\\p{L}*",
    "overlook\\p{L}*|overrid\\p{L}*|forget|forgo|forego|drop(?:ped|ping|s)?|ditch|dodge|evade",
    "sidestep\\p{L}*|circumvent\\p{L}*|exempt\\p{L}*|except(?:ions?)?|excus\\p{L}*|spare|relax\\p{L}*",
    "loosen\\p{L}*|lower(?:ed|ing)?|rais\\p{L}*|increas\\p{L}*|lift\\p{L}*|remov\\p{L}*|reduc\\p{L}*|ease",
    "lenien\\p{L}*|disabl\\p{L}*|(?:turn|switch|shut)\\p{L}* (?:\\p{L}+ ){0,4}off",
    "(?:leave|leaving|left|put|set) (?:\\p{L}+ ){0,4}(?:out|aside|off)",
    "(?:get|work|go|way)\\p{L}* (?:around|round|past)|do away|dispens\\p{L}*|stop\\p{L}*|ceas\\p{L}*|quit",
    "abandon\\p{L}*|neglect\\p{L}*|bother|refrain|postpon\\p{L}*|defer\\p{L}*|later|afterwards?",
    "fast ?track\\p{L}*|short ?cuts?|instead|rather than|optional\\p{L}*|unneeded|unnecessar\\p{L}*",
    "needless\\p{L}*|redundant|pointless|useless|superfluous|unimportant|irrelevant|formalit\\p{L}*",
    "waste|nonsense|hassle|nuisance|obsolete",
  ].join("|"),
  ru: [
    "пропус\\p{L}*|обойд\\p{L}*|обойт\\p{L}*|обход\\p{L}*|отключ\\p{L}*|выключ\\p{L}*|игнор\\p{L}*",
    "забуд\\p{L}*|забей\\p{L}*|забив\\p{L}*|опуст\\p{L}*|опуска\\p{L}*|избега\\p{L}*|избеж\\p{L}*",
    "отмен\\p{L}*|откаж\\p{L}*|сним\\p{L}*|снять|снят\\p{L}*|убер\\p{L}*|убир\\p{L}*|убрать",
    "упрост\\p{L}*|упроща\\p{L}*|ослаб\\p{L}*|смягч\\p{L}*|повы[сш]\\p{L}*|подним\\p{L}*|увелич\\p{L}*",
    "закр\\p{L}* глаза|сквозь пальцы|махни\\p{L}*|плюн\\p{L}*|лишн\\p{L}*|формальн\\p{L}*|излиш\\p{L}*",
    "ненужн\\p{L}*|необязат\\p{L}*|опциональн\\p{L}*|бессмыслен\\p{L}*|бесполезн\\p{L}*|ерунд\\p{L}*",
    "потом|позже|попозже|отлож\\p{L}*|перенес\\p{L}*|исключен\\p{L}*|освобо\\p{L}*|избав\\p{L}*",
    "хватит|перестан\\p{L}*|прекра[тщ]\\p{L}*|брос(?:ь|ай)\\p{L}*",
  ].join("|"),
};

const DEED_EN =
  "(?:approve|authori[sz]e|release|issue|execute|process|send|pay|payout|refund|disburse|transfer|grant|verify|confirm|accept|finali[sz]e|unlock|unblock|override|waive)";
const DEED_RU =
  "(?:одобр|выплат|выплач|провод|провед|провест|выполн|отмен|подтвер|верифиц|отправ|перев|верн|возвращ|выда|разблок|зачисл|исполн)\\p{L}{0,8}";

/** To give leave, or to take a thing for done. */
export const ALLOW: Words = {
  en: [
    `(?:you|we|i|bot|assistant|they|clients?|customers?|regulars?|everyone|anyone|people) (?:may|might|can|could) (?:\\p{L}+ )?${DEED_EN}`,
    "allow\\p{L}*|permit(?:s|ted|ting)?|let|lets|letting|enabl\\p{L}*|free to|entitled|up to you",
    "discretion|your (?:own )?(?:judge?ment|call|choice)|yourself|on your own|by itself|auto|automat\\p{L}*",
    "trust\\p{L}*|take \\p{L}+ (?:\\p{L}+ )?word|believ\\p{L}*|assum\\p{L}*|presum\\p{L}*|suppos\\p{L}*",
    "pretend\\p{L}*|as if|as though|granted|enough|suffic\\p{L}*|guarantee\\p{L}*|promis\\p{L}*",
    "(?:treat|consider|regard|count|mark|record|report|deem|declar|announc|accept|take)\\p{L}* (?:\\p{L}+ ){0,6}(?:verified|approved|done|passed|paid|complete|completed|confirmed|valid|received|settled|arrived|cleared|sent)",
  ].join("|"),
  ru: [
    `(?:можешь|можете|можно|вправе|имее\\p{L}+ право) (?:\\p{L}+ ){0,2}${DEED_RU}`,
    "разреш(?:ено|аю|аем|ается|и|ите|ай|айте|ать)|позвол\\p{L}*|допуска\\p{L}*|допусти\\p{L}*",
    "автомат\\p{L}*|довер\\p{L}*|на слово|усмотрен\\p{L}*|считай\\p{L}*|считать|будто|предполо\\p{L}*",
    "предполага\\p{L}*|притвор\\p{L}*|достаточно|хватает|гарантир\\p{L}*|обеща\\p{L}*|пообеща\\p{L}*",
  ].join("|"),
};

/** Told to do it: at the start of a clause, or to the assistant itself. */
export const DO: Words = {
  en: `(?:^|, |\\b(?:and|then|please|just|simply|always|immediately|you|we|i|assistant|bot)(?: (?:will|shall|should|must|now|always|just|also))? )${DEED_EN}`,
  ru: "(?<!(?:не|нельзя) )(?:одобр(?:яй|и)|выплачивай|выплати|проводи|проведи|выполняй|выполни|отменяй|отмени|подтверждай|подтверди|переводи|переведи|отправляй|отправь|возвращай|верни|выдавай|выдай|верифицируй|разблокируй|принимай|прими|авторизуй|зачисляй|зачисли|исполняй|исполни)(?:те)?",
};

/** To look before something is done. */
export const LOOK: Words = {
  en: "(?:check|verify|confirm|wait|ask|require|request|demand|insist|need|involve|call|look|compare|match|review|screen|see)\\p{L}*",
  ru: "(?:провер|подтвер|жди|ждать|дожид|дожд|спраш|спрос|прос|требу|нуж|надо|зов|звать|звон|смотр|сверя|сверь|треб)\\p{L}*",
};

/** What a sentence before it may have named. */
export const IT: Words = {
  en: "it|this|that|them|these|those|such",
  ru: "его|ее|их|это|этого|этим|эту|этот|такое|таких",
};

const OWN_EN = "(?:the|an?|your|our|any|this|their|his|her|passing|finishing|completing)";
const GAP_EN =
  "(?:pays?|paid|be|is|are|gets?|sends?|sent|exchanged?|released?|started?|start|proceed|continue|go|out|on|ahead|money|anything|it|we|you|to|the|an?|your|any|payouts?|payments?)";
const NEVER_EN = "(?:cannot|can ?not|can ?t|don ?t|do not|won ?t|will not|must not|mustn ?t|never)";
const PAY_RU =
  "(?:выплачива|выплат|меня|обменива|обменя|перевод|отправля|провод|начина|можем|сможем|получит)\\p{L}*";

/** Words that hold a check up rather than waive it, in just these forms. */
export const HOLD_UP: Words = {
  en: [
    `${NEVER_EN}(?: (?:ever|to|try to))? (?:skip|bypass|ignore|forget|circumvent|sidestep|disregard|overlook|omit|waive|evade)\\p{L}*`,
    `(?:${NEVER_EN}|(?:nothing|nobody|no one|no (?:payout|payment|money|exchange|order)s?) (?:is|are|gets|will be|can be)) (?:${GAP_EN} ){0,5}(?:without|before|until|unless) (?:${OWN_EN} ){0,3}(?:${GOVERNED.en})`,
    `without (?:${OWN_EN} ){0,3}(?:${GOVERNED.en}) (?:, )?(?:we|i|it|payouts?|exchange|nothing)(?: (?:cannot|can ?t|are not|is not|isn ?t|won ?t|will not|do not|don ?t|is|can be))(?: (?:able|possible|allowed|paid|sent|done))?`,
    `${NEVER_EN} (?:promise|guarantee|reveal|guess|invent) (?:the |an? |any )?(?:outcomes?|results?|decisions?|times?|dates?|terms?|deadlines?|approvals?|payouts?)`,
    "let (?:the |our |an? )?(?:clients?|customers?|them|him|her|me|us|people) know",
    "pay(?:ing)? attention",
  ].join("|"),
  ru: [
    "(?:не|нельзя) (?:пропуска\\p{L}*|пропусти\\p{L}*|обход\\p{L}*|обойти|отключ\\p{L}*|игнор\\p{L}*|забыва\\p{L}*|забуд\\p{L}*)",
    `(?:не|нельзя|невозможн\\p{L}*) ${PAY_RU}(?: \\p{L}+){0,2} (?:без|до) (?:\\p{L}+ )?(?:kyc|${GOVERNED.ru})`,
    `без (?:\\p{L}+ )?(?:kyc|${GOVERNED.ru}) (?:, )?(?:мы |ничего )?(?:не|нельзя|невозможн\\p{L}*) (?:${PAY_RU}|обойтись)`,
    "(?:не|никогда не) (?:обещай|гарантируй|угадывай|выдумывай)(?:те)? (?:\\p{L}+ )?(?:исход|результат|решени|срок|врем|одобрени|выплат)\\p{L}*",
  ].join("|"),
};
