/**
 * How texts give orders to a model or a backend. `plain` patterns read a text that holds only lower-case
 * words with single spaces between; `raw` ones read it as it was written. All repeats are bounded.
 *
 * What `always` lists no client writes to a business. What `data` lists people do write, but not into
 * a field for a name, a place or a sum.
 */
export interface Phrases {
  always: RegExp[];
  data: RegExp[];
}

const SET_ASIDE_EN =
  "(?:ignore|ignoring|disregard|forget|override|overrule|bypass|discard|dismiss|do not follow|don t follow|stop following|never follow)";
const SET_ASIDE_RU =
  "(?:игнорируй|игнорируйте|игнорировать|проигнорируй|проигнорируйте|забудь|забудьте|отбрось|отбросьте|обойди|обойдите|нарушь|нарушьте|не учитывай|не учитывайте|не следуй|не следуйте|не обращай внимания|не обращайте внимания)";
const ORDERS_EN =
  "(?:instructions?|prompts?|rules?|guidelines?|directives?|directions|programming|training|restrictions?|constraints?|guardrails?|safeguards?|system messages?)";
const ORDERS_RU =
  "(?:инструкц|указани|правил|промпт|промт|ограничени|директив|установк|предписани)\\p{L}{0,4}";
/** Whose they are makes the difference: "my previous instructions" are a client's own. */
const THEIRS_EN =
  "(?:all|any|every|each|the|your|these|those|of|previous|prior|earlier|preceding|foregoing|above|existing|original|initial|system|safety|security|developer|hidden|other|and)";
const BEFORE_EN =
  "(?:all|any|every|your|previous|prior|earlier|preceding|foregoing|above|existing|original|initial|system|safety|security|developer)";
const THEIRS_RU =
  "(?:про|о|об|на|все|всех|всем|всё|любые|любых|свои|своих|свою|твои|твоих|ваши|ваших|эти|этих|данные|тебе|вам|системн\\p{L}{1,3}|предыдущ\\p{L}{1,3}|прошл\\p{L}{1,3}|прежн\\p{L}{1,3}|ранее|полученн\\p{L}{1,3}|изначальн\\p{L}{1,3}|исходн\\p{L}{1,3}|вышеуказанн\\p{L}{1,3}|остальн\\p{L}{1,3})";
const BEFORE_RU =
  "(?:все|всех|любые|любых|свои|своих|твои|твоих|ваши|ваших|системн\\p{L}{1,3}|предыдущ\\p{L}{1,3}|прошл\\p{L}{1,3}|прежн\\p{L}{1,3}|ранее|полученн\\p{L}{1,3}|изначальн\\p{L}{1,3}|исходн\\p{L}{1,3}|вышеуказанн\\p{L}{1,3})";
const OWN_EN = "(?! (?:that |which )?(?:i|we) | of mine| of ours| from me| from us)";
const OWN_RU = "(?! (?:которые |что )?(?:я|мы) | от меня| от нас)";
const LETTERS_END = "(?![\\p{L}\\p{N}])";

const plain = (source: string) => new RegExp(`(?<![\\p{L}\\p{N}])${source}${LETTERS_END}`, "iu");

/** For text that holds lower-case words and single spaces only: anything else would never match. */
export const PLAIN_PHRASES: Phrases = {
  always: [
    plain(
      `${SET_ASIDE_EN} (?:${THEIRS_EN} ){0,5}?${BEFORE_EN} (?:${THEIRS_EN} ){0,4}${ORDERS_EN}${OWN_EN}`,
    ),
    plain(
      `${SET_ASIDE_RU} (?:${THEIRS_RU} ){0,5}?${BEFORE_RU} (?:${THEIRS_RU} ){0,4}${ORDERS_RU}${OWN_RU}`,
    ),
    plain(
      "(?:ignore|forget|disregard) (?:everything|anything|all|what) (?:that )?you (?:were|have been|ve been|are) (?:told|instructed|taught|given)",
    ),
    plain("забуд(?:ь|ьте) (?:все|всё) (?:что )?(?:тебе|вам) (?:сказали|говорили|велели|поручили)"),
    plain(
      "you are now (?:in )?(?:an? |the )?(?:dan|jailbroken|developer mode|admin mode|god mode|debug mode|unrestricted|uncensored|administrator|admin|root|system)",
    ),
    plain(
      "(?:ты|вы) теперь (?:администратор|админ|система|разработчик|суперпользователь|dan|без ограничений|не бот)",
    ),
    plain(
      "(?:reveal|print|show|repeat|output|display|tell me|write out|leak) (?:me )?(?:your |the |all |of |full |whole |exact )*(?:system|initial|hidden|original|developer) (?:prompt|instructions|message)",
    ),
    plain(
      "(?:покажи|покажите|выведи|выведите|раскрой|раскройте|повтори|повторите|напиши|назови) (?:мне )?(?:(?:свой|свои|твой|твои|ваш|ваши|весь|все|полный) )*(?:системн\\p{L}{1,3}|скрыт\\p{L}{1,3}|исходн\\p{L}{1,3}|начальн\\p{L}{1,3}) (?:промпт|промт|инструкци|сообщени)\\p{L}{0,3}",
    ),
    plain("new system (?:prompt|instructions?|message|rules?)"),
    plain(
      "нов\\p{L}{1,3} системн\\p{L}{1,3} (?:промпт|промт|инструкци|сообщени|правил)\\p{L}{0,3}",
    ),
  ],
  data: [
    plain(`${SET_ASIDE_EN} (?:${THEIRS_EN} ){0,6}${ORDERS_EN}`),
    plain(`(?:${SET_ASIDE_RU}|отмени|отмените) (?:${THEIRS_RU} ){0,6}${ORDERS_RU}`),
    plain(
      "(?:ignore|forget|disregard) (?:everything|anything|all|what) (?:that )?(?:was |is |came |stands )?(?:above|before|said|written)",
    ),
    plain(
      "(?:you are now|from now on you|act as (?:if|an?|the)|pretend (?:to be|you|that)|behave as)",
    ),
    plain("(?:ты|вы|отныне ты|отныне вы) теперь"),
    plain("(?:представь|притворись|веди себя)(?:те)? (?:что|как|будто)"),
    plain("(?:developer|debug|admin|administrator|god|maintenance|root) mode"),
    plain("режим\\p{L}{0,3} (?:разработчика|отладки|администратора|бога|обслуживания)"),
    plain("jailbreak|jailbroken"),
    plain(
      "(?:without|bypass|skip|skipping|disable|no) (?:any |the |all |an |further )?(?:approval|approvals|operator|confirmation|verification|kyc|checks?|human review|policy|guard)",
    ),
    plain(
      "(?:без|обойди|обойти|пропусти|пропустить|отключи) (?:всяк\\p{L}{1,3} |люб\\p{L}{1,3} )?(?:подтверждени|одобрени|проверк|верификаци|оператор|контрол|политик)\\p{L}{0,3}",
    ),
    plain(
      "(?:approve|authorise|authorize|execute|release) (?:it |this |the |all |every )*(?:payouts?|payments?|transfers?|calls?|requests?|actions?|orders?) (?:now|at once|immediately|automatically|anyway)",
    ),
    plain(
      "(?:одобри|подтверди|выполни|проведи|отправь)(?:те)? (?:эту |это |все |всё |этот )*(?:выплат|платеж|платёж|перевод|запрос|действи|заявк|вызов)\\p{L}{0,3} (?:сразу|немедленно|автоматически|сейчас|без)",
    ),
  ],
};

const QUOTE = "\\\\{0,4}[\"'\u201c\u201d]";

/** A call of a tool written as words: JSON of providers, or a verb beside a name in snake_case. */
export const TOOL_CALLS: RegExp[] = [
  new RegExp(
    `${QUOTE}(?:name|tool|tool_name|function|action|recipient_name)${QUOTE}\\s{0,8}:\\s{0,8}${QUOTE}[\\w.-]{1,80}${QUOTE}[\\s\\S]{0,80}${QUOTE}(?:arguments|args|parameters|input|action_input)${QUOTE}\\s{0,8}:`,
    "iu",
  ),
  new RegExp(
    `${QUOTE}(?:arguments|args|parameters)${QUOTE}\\s{0,8}:[\\s\\S]{0,200}${QUOTE}(?:name|tool|tool_name|function)${QUOTE}\\s{0,8}:`,
    "iu",
  ),
  new RegExp(`${QUOTE}(?:tool_calls?|function_call|tool_choice)${QUOTE}\\s{0,8}:`, "iu"),
  /\[\/?TOOL_(?:CALLS?|RESULTS?)\]/iu,
  /(?<![\p{L}\p{N}_])(?:call|invoke|execute|trigger|вызови|вызовите|вызвать|запусти|запустите|выполни|выполните)(?![\p{L}\p{N}_])[^.\n]{0,40}?(?<![\p{L}\p{N}_.@/-])[a-z]{2,20}(?:_[a-z]{2,20}){1,5}(?![\p{L}\p{N}_.@/-])/iu,
  /(?<![\p{L}\p{N}_])(?:run|use|используй|используйте)(?![\p{L}\p{N}_])[^.\n]{0,40}?(?<![\p{L}\p{N}_.@/-])[a-z]{2,20}(?:_[a-z]{2,20}){2,5}(?![\p{L}\p{N}_.@/-])/iu,
];

/** Marks by which a text pretends to be another speaker than it is. */
export const ROLE_TAGS: RegExp[] = [
  /<\|[a-z_]{2,40}\|?>/iu,
  /<\/?\s{0,4}(?:system|assistant|developer|instructions?|prompt|evidence|tool(?:_\w{1,20})?|function(?:_\w{1,20})?|invoke|parameter|think|antml:\w{1,20})(?![\p{L}\p{N}])[^<>]{0,80}>/iu,
  /\[\/?INST\]|<<\/?SYS>>/iu,
  /(?:^|\n)[ \t]{0,8}#{2,6}[ \t]{0,4}(?:system|instructions?|assistant|human|user|response)[ \t]{0,4}:?[ \t]{0,4}(?:\n|$)/iu,
  /(?:^|[\n.!?;|])[\s>*\-[("'#]{0,8}(?:system|assistant|developer|ai|bot|backend|система|системн\p{L}{1,3}|ассистент\p{L}{0,2}|разработчик\p{L}{0,2})[ \t](?:prompt|message|note|instructions?|override|update|command|notice|промпт|промт|сообщение|инструкция|команда|приказ|указание)[\])*"']{0,3}\s{0,4}:/iu,
  /(?:^|[\n.!?;|])[\s>*\-[("'#]{0,8}(?:system|assistant|developer|backend|система|ассистент|разработчик|бэкенд)[\])*"']{0,3}\s{0,4}:[^\n]{0,80}?(?<![\p{L}\p{N}])(?:you|ignore|approve[d]?|pay|send|call|execute|grant|mark|set|always|must|override|allow|ты|вы|игнорируй\p{L}{0,2}|одобр\p{L}{1,4}|выплати\p{L}{0,2}|отправь\p{L}{0,2}|вызови\p{L}{0,2}|подтверди\p{L}{0,2}|переведи\p{L}{0,2}|разреши\p{L}{0,2})(?![\p{L}\p{N}])/iu,
];

/** Whoever fills such a field with this speaks to the machine; in people's words it may be a thing's name. */
export const ROLE_LABELS: RegExp[] = [
  /(?:^|[\n.!?;|])[\s>*\-[("'#]{0,8}(?:system|assistant|developer|backend|tool|user|human|система|ассистент|разработчик|бэкенд)[\])*"']{0,3}\s{0,4}:/iu,
  /(?:^|[\n.!?;|])[\s>*\-[("'#]{0,8}(?:new|updated|additional|новые|новая|обновл[её]нные|дополнительные)[ \t](?:instructions?|rules?|orders?|инструкци\p{L}{1,2}|правила|указания)\s{0,4}:/iu,
  /(?<![\p{L}\p{N}_])(?:is_?admin|approved|verified|kyc(?:_status)?|requires_approval|approvals_required|override|risk(?:_class)?|role|permit|tenant_?id|contact_?id)\s{0,4}["']?\s{0,4}[:=]\s{0,4}["']?(?:true|false|yes|no|none|null|\d{1,9}|admin|verified|read_only|approved)/iu,
];
