import { isClaimed } from "./claim-mood.ts";
import type { ClaimRule } from "./claim-rule.ts";
import { DEAL_CLAIMS } from "./deal-claims.ts";
import type { Check, GuardContext } from "./guard-context.ts";
import type { Finding } from "./guard-facts.ts";
import { type Outcomes, outcomesOf } from "./outcomes.ts";
import { phrase, says } from "./phrase.ts";
import { foldCase, normaliseText, type Sentence, splitSentences } from "./reply-text.ts";
import { fieldsOf } from "./sources.ts";
import { TRUST_CLAIMS } from "./trust-claims.ts";
import { WORK_CLAIMS } from "./work-claims.ts";

const RULES = [...DEAL_CLAIMS, ...TRUST_CLAIMS, ...WORK_CLAIMS];
const THIRD_PARTY = phrase(
  "третьим лиц~|третьего лица|чуж~ карт~|брат~|сестр~|жена|жены|жене|муж|мужа|друг|друга|мам~|пап~|родственник~|подруг~|не моя|third[- ]party|someone else~|brother~|sister~|wife~|husband~|friend~|mother~|father~|mom~|dad~|relative~|not mine|not my (?:card|account)",
);
const HAGGLES = phrase(
  "скидк~|скинь~|лучше|дешевле|выгоднее|друг~ (?:обменник~|мест~)|торг~|уступ~|match|discount|better|cheaper|another shop|come on|regular|best price|deal",
);
const AGREES = phrase(
  "да|конечно|можно|можете|ок|окей|хорошо|подойдет|подходит|без проблем|договорились|согласен|согласны|идет|sure|yes|ok|okay|fine|no problem|of course|deal|agreed|that works|absolutely",
);
const OPENS = /^[\s"'«(]*$/u;

/** "Done", "paid", "sent", "verified", "an operator is on it": each needs what happened behind it. */
export const checkClaims: Check = (context) => {
  const outcomes = outcomesOf(context.facts);
  const rules = ownRules(context);
  const spoken = context.sentences.filter((sentence) => !rules.has(plain(sentence.text)));
  const told = spoken.flatMap((sentence) =>
    RULES.filter((rule) => !rule.backed(outcomes)).flatMap((rule) => claimsOf(rule, sentence)),
  );
  return [...withoutBacked(context, told), ...givesIn(context, outcomes)];
};

/** Fields in which the backend itself states the rules of the house, word for word. */
const RULE_FIELDS = new Set(["instructions", "kycPolicy", "amlPolicy"]);

/** Sentences of those rules ("only your own funds are accepted") claim nothing about this client. */
function ownRules({ facts }: GuardContext): Set<string> {
  const texts = facts.tool_results
    .flatMap((one) => fieldsOf(one.data))
    .filter((field) => RULE_FIELDS.has(field.key))
    .map((field) => normaliseText(field.value));
  return new Set(texts.flatMap(splitSentences).map((sentence) => plain(sentence.text)));
}

function plain(text: string): string {
  return foldCase(text).replace(/\s+/g, " ").trim();
}

function claimsOf(rule: ClaimRule, sentence: Sentence): Finding[] {
  const text = foldCase(sentence.text).replace(/[’`]/g, "'");
  for (const pattern of rule.patterns) {
    for (const match of text.matchAll(pattern)) {
      const span = { start: match.index, end: match.index + match[0].length };
      if (!isClaimed(text, span, rule.promise === true, sentence.question)) continue;
      const piece = sentence.text.slice(span.start, span.end);
      return [{ kind: "claim", text: piece, rule: rule.rule, hint: rule.hint }];
    }
  }
  return [];
}

/** A discount that a passage itself offers may be told; in an exchange no passage changes terms. */
function withoutBacked(context: GuardContext, findings: Finding[]): Finding[] {
  const { evidence, exchange } = context.sources;
  const offered = !exchange && /скидк|discount|special (?:price|offer)/u.test(evidence.folded);
  const once = findings.filter(
    (one, index) => findings.findIndex((two) => two.rule === one.rule) === index,
  );
  return once.filter((one) => !(one.rule === "rate_negotiation" && offered));
}

/** A bare "yes, fine" to a question about another payer or a better rate gives in just the same. */
function givesIn(context: GuardContext, outcomes: Outcomes): Finding[] {
  const asked = foldCase(context.facts.lead_texts.at(-1) ?? "");
  const payer = says(asked, THIRD_PARTY) && !outcomes.thirdPartyApproved;
  const haggles = says(asked, HAGGLES) && /\d/.test(asked) && context.sources.exchange;
  if (!payer && !haggles) return [];
  const [first] = context.sentences;
  const text = foldCase(first?.text ?? "");
  const match = text.matchAll(AGREES).next().value;
  if (match === undefined || !OPENS.test(text.slice(0, match.index))) return [];
  if (
    says(
      text,
      phrase("не|нет|нельзя|оператор~|только|not|no longer|can't|cannot|operator|only|person"),
    )
  )
    return [];
  return [
    {
      kind: "claim",
      text: match[0],
      rule: payer ? "third_party_approved" : "rate_negotiation",
      hint: "Do not agree to this: only a person decides. Pass the question on.",
    },
  ];
}
