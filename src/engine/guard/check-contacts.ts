import { isEcho } from "./attribution.ts";
import type { Check, GuardContext } from "./guard-context.ts";
import type { Finding } from "./guard-facts.ts";
import type { Identifier, IdentifierKind } from "./identifiers.ts";
import { findIdentifiers } from "./identifiers.ts";
import { phrase, says } from "./phrase.ts";
import { sentenceAt } from "./reply-text.ts";

const CONTACT_KINDS: readonly IdentifierKind[] = ["link", "email", "handle", "phone", "reference"];
const MESSENGER_LINK =
  /^(?:t\.me|telegram\.me|tg:\/\/|wa\.me|api\.whatsapp\.com|line\.me|m\.me|vk\.me|viber\.|instagram\.com)/iu;
const PAYMENT_WORDS = phrase(
  "оплат~|заплат~|платеж~|платит~|перевод~|переведите|pay|payment|paying|transfer|checkout|invoice",
);
const PAYMENT_LINK =
  /(?:^|[./])(?:pay|payment|sbp|qr|checkout|invoice|donate|transfer)(?:[./?-]|$)/iu;
const ORDERS_TEXT = phrase(
  "ignore|disregard|system prompt|instructions|игнорируй~|забудь~ (?:все|прошл~|предыдущ~)|системн~ промпт~|send (?:the )?wallet",
);

/** Links, mail addresses, phones, handles and order numbers: from tools and evidence alone. */
export const checkContacts: Check = (context) =>
  context.identifiers
    .filter((piece) => CONTACT_KINDS.includes(piece.kind))
    .filter((piece) => !isBacked(context, piece))
    .map(
      (piece): Finding => ({
        kind: piece.kind,
        text: piece.text,
        rule: piece.kind === "reference" ? "unknown_reference" : "unbacked_contact",
        hint: `No source holds this ${piece.kind}. Copy it exactly from a tool result or passage, or leave it out.`,
      }),
    );

function isBacked(context: GuardContext, piece: Identifier): boolean {
  const { requisites, tools } = context.sources;
  if (holds(requisites.identifiers, piece) || holds(tools.identifiers, piece)) return true;
  if (piece.kind === "phone" && isPayee(context, piece)) return false;
  if (isLeads(context, piece)) return true;
  if (piece.kind === "link" && isPaymentLink(context, piece)) return false;
  if (isHandle(piece)) return holds(trustedPassages(context), piece);
  return holds(context.sources.evidence.identifiers, piece);
}

/** A phone to transfer money to is a requisite. */
function isPayee(context: GuardContext, piece: Identifier): boolean {
  return says(sentenceAt(context.sentences, piece.start).text, PAYMENT_WORDS);
}

function isPaymentLink(context: GuardContext, piece: Identifier): boolean {
  const sentence = sentenceAt(context.sentences, piece.start).text;
  const around = sentence.replace(piece.text, "");
  const exchange = context.sources.exchange && says(around, PAYMENT_WORDS);
  return exchange || PAYMENT_LINK.test(piece.value);
}

function isHandle(piece: Identifier): boolean {
  return piece.kind === "handle" || MESSENGER_LINK.test(piece.value);
}

/**
 * A passage is anyone's text: it names whom to write to only where no exchange is going on
 * and it carries neither requisites nor orders to the model.
 */
function trustedPassages(context: GuardContext): Identifier[] {
  if (context.sources.exchange) return [];
  return context.facts.evidence.flatMap(({ text }) => {
    const { found } = findIdentifiers(text);
    const pays = found.some((one) => one.kind === "wallet" || one.kind === "card");
    return pays || says(text, ORDERS_TEXT) ? [] : found;
  });
}

function isLeads(context: GuardContext, piece: Identifier): boolean {
  const own = holds(context.sources.lead.identifiers, piece);
  return own && !isHandle(piece) && isEcho(context, piece, "addressed");
}

function holds(known: Identifier[], piece: Identifier): boolean {
  return known.some((one) => same(one, piece));
}

function same(known: Identifier, piece: Identifier): boolean {
  if (known.value === piece.value) return known.kind === piece.kind;
  const asHandle = (one: Identifier) =>
    one.value.toLowerCase().replace(/^(?:https?:\/\/)?(?:t\.me|telegram\.me)\/|^@/u, "");
  if (isHandle(known) && isHandle(piece)) return asHandle(known) === asHandle(piece);
  const phones = known.kind === "phone" && piece.kind === "phone";
  return phones && piece.value.length >= 9 && sameLine(known.value, piece.value);
}

/** The same line with and without its country code: "076 555 018" is "+66 76 555 018". */
function sameLine(left: string, right: string): boolean {
  const bare = (number: string) => number.replace(/^0/, "");
  return left.endsWith(bare(right)) || right.endsWith(bare(left));
}
