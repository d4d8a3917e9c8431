import { TOOL_ERROR_CODES } from "../../domain/tool.ts";
import type { Check, GuardContext } from "./guard-context.ts";
import type { Finding } from "./guard-facts.ts";
import { findNumberWords } from "./number-words.ts";
import { phrase, says } from "./phrase.ts";
import { foldCase, normaliseText } from "./reply-text.ts";
import { codesOf } from "./sources.ts";

const CODE_WORD =
  /(?<![\p{L}])(qr-?|qr[- ])?((?:\p{L}+\s)?)(код[а-я]{0,3}|code|пин(?:-?код)?|pin|otp|пароль)(?![\p{L}])/giu;
const OTHER_CODE = phrase(
  "промо~|promo|discount|coupon|почтов~|postal|post|zip|country|area|dress|door|страны|города|домофон~|swift|bic|source|телефонн~|dial~|qr",
);
const CODE_VALUE =
  /(?<![\p{L}\p{N}])(?:\d(?:[ -]?\d){2,11}|(?=[A-Z0-9-]*\d)[A-Z0-9]{2,}(?:-?[A-Z0-9]{2,}){0,4})(?![\p{L}\p{N}])/gu;
const UNIT_AFTER =
  /^\s?(?:usdt|usd|thb|rub|руб|бат|baht|мин|min|час|hour|h\b|%|₽|฿|:|дн|день|day|сек|sec)/iu;
/** How calls end is said in words. `TIMEOUT` alone may be one. */
const CODES = [
  ...TOOL_ERROR_CODES.filter((code) => code.includes("_")),
  ...["waiting_approval", "schema_failed", "blocked_by_policy", "needs_verification"],
];
const RAW_CALL: RegExp[] = [
  /<\/?\s*(?:tool_call|tool_calls|tool_response|function_calls?|invoke|parameter|think|antml:\w+)\b[^>]*>?/iu,
  /<\|?(?:function|tool|python_tag|im_start|im_end)[=|_>]/iu,
  /"(?:name|tool|tool_name|function|action)"\s*:\s*"\w+"[\s\S]{0,80}"(?:arguments|args|parameters|input|action_input)"\s*:/iu,
  /"(?:arguments|args|parameters)"\s*:[\s\S]{0,200}"(?:name|tool|tool_name|function)"\s*:/iu,
  /"(?:tool_calls|function_call)"\s*:/iu,
  /\[TOOL_CALLS?\]/u,
  new RegExp(`(?<![\\p{L}\\p{N}_])(?:${CODES.join("|")})(?![\\p{L}\\p{N}_])`, "u"),
  /(?<![\p{L}\p{N}_])(?:search_knowledge_base|offer_booking_link|compute_exchange_\w+|check_exchange_\w+|create_exchange_\w+|fetch_exchange_\w+|verify_exchange_\w+|issue_exchange_\w+|cancel_exchange_\w+|change_payout_destination|get_exchange_\w+|read_customer_profile|create_task_draft|handoff_to_operator|send_email|update_crm_field|delete_customer|set_kyc_status|confirm_fiat_payment)(?![\p{L}\p{N}_])/u,
];
const CITATION = /[[【(]\s*((?:E\d+)(?:\s*[,;]\s*E\d+)*)\s*[\]】)]/gu;
const MARGIN = phrase(
  "марж~|наценк~|надбавк~|спред~|базов~ (?:курс~|ставк~)|биржев~ курс~|себестоимост~|margin|markup|mark-up|spread|base rate|mid-market(?: rate)?|wholesale rate",
);

/** What no reply may show: codes, raw calls, base rate and margin, citations of nothing. */
export const checkSecrets: Check = (context) => [
  ...checkCodes(context),
  ...checkRawCalls(context),
  ...checkCitations(context),
  ...checkMargin(context),
];

function checkCodes(context: GuardContext): Finding[] {
  const folded = foldCase(context.text);
  const known = codesOf(context.facts).filter((code) =>
    folded.includes(foldCase(normaliseText(code))),
  );
  const said = context.sentences.flatMap((sentence) =>
    [...sentence.text.matchAll(CODE_WORD)].flatMap((match) =>
      codesNear(context, sentence.text, match),
    ),
  );
  return [...new Set([...known, ...said])].map((text) => ({
    kind: "code",
    text,
    rule: "unbacked_payout_code",
    hint: "Never write a payout code. The backend sends it as its own message; say only what its result says.",
  }));
}

function codesNear(context: GuardContext, sentence: string, match: RegExpMatchArray): string[] {
  const start = match.index ?? 0;
  const end = start + match[0].length;
  const after = sentence.slice(end, end + 40);
  const label = sentence.slice(Math.max(0, start - 14), end + 12);
  const other = match[1] !== undefined || says(label, OTHER_CODE);
  if (other) return [];
  const spelled = findNumberWords(after)
    .filter((one) => one.words >= 3)
    .map((one) => one.text);
  const before = sentence.slice(Math.max(0, start - 16), start);
  const lead = /([A-Z0-9-]*\d[A-Z0-9-]{2,})\s*(?:[–—-]|is|это)\s*(?:\p{L}+\s){0,2}$/u.exec(
    before,
  )?.[1];
  const shown = [...after.matchAll(CODE_VALUE)].filter(
    (value) => !UNIT_AFTER.test(after.slice((value.index ?? 0) + value[0].length)),
  );
  const values = shown.map((value) => value[0]).filter((value) => !isReference(context, value));
  return [
    ...values,
    ...spelled,
    ...(lead === undefined || isReference(context, lead) ? [] : [lead]),
  ];
}

function isReference(context: GuardContext, value: string): boolean {
  if (/^(?:TRC|ERC|BEP)-?20$/u.test(value)) return true;
  const kinds = ["reference", "phone", "wallet", "hash", "card"];
  return context.identifiers.some((one) => kinds.includes(one.kind) && one.text.includes(value));
}

function checkRawCalls(context: GuardContext): Finding[] {
  return RAW_CALL.flatMap((pattern) => pattern.exec(context.raw)?.[0] ?? [])
    .slice(0, 1)
    .map((text) => ({
      kind: "raw call",
      text: text.slice(0, 80),
      rule: "raw_tool_call",
      hint: "Write plain text for the client: no tool names, no JSON, no tags.",
    }));
}

function checkCitations(context: GuardContext): Finding[] {
  const sent = context.facts.evidence.map((one) => one.id);
  return [...context.text.matchAll(CITATION)].flatMap((match) =>
    (match[1] ?? "")
      .split(/\s*[,;]\s*/u)
      .filter((id) => !sent.includes(id))
      .map((id) => ({
        kind: "citation",
        text: id,
        rule: "unknown_citation",
        hint: `Cite only the passages that were sent: ${sent.join(", ") || "there are none"}.`,
      })),
  );
}

function checkMargin(context: GuardContext): Finding[] {
  return context.sentences
    .filter((sentence) => says(sentence.text, MARGIN) && /\d/.test(sentence.text))
    .map((sentence) => ({
      kind: "internal figure",
      text: sentence.text.trim(),
      rule: "internal_figure",
      hint: "Never speak of base rate or margin; give the sums of the quote.",
    }));
}
