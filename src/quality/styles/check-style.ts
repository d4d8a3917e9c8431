import { STYLE_LIMITS, type StyleDraft } from "../../domain/style.ts";
import { findIdentifiers, type IdentifierKind } from "../../engine/guard/identifiers.ts";
import { injectionIn } from "../../tools/prompt-injection.ts";
import { withoutSecrets } from "../../tools/secret-shapes.ts";
import { governedIn } from "./governed-topics.ts";
import { orderIn } from "./style-orders.ts";

/** `path` as in `examples.0.answer`; `message` goes on after it. */
export interface StyleProblem {
  path: string;
  message: string;
}

/** What may not stand in a style; `skillIds`: those that there are. */
export function styleProblems(draft: StyleDraft, skillIds: ReadonlySet<string>): StyleProblem[] {
  const { guidance, examples, skills } = draft;
  const { length } = guidance;
  return [
    ...(length > STYLE_LIMITS.guidance
      ? [told("guidance", `has ${length} characters; at most ${STYLE_LIMITS.guidance} are taken`)]
      : []),
    ...problem("guidance", textProblem(guidance)),
    ...(examples.length > STYLE_LIMITS.examples
      ? [told("examples", `are ${examples.length}; at most ${STYLE_LIMITS.examples} are taken`)]
      : []),
    ...examples.flatMap(({ client, answer }, at) => [
      ...problem(`examples.${at}.client`, sizeProblem(client) ?? clientProblem(client)),
      ...problem(`examples.${at}.answer`, sizeProblem(answer) ?? textProblem(answer)),
    ]),
    ...(skills.length > STYLE_LIMITS.skills
      ? [told("skills", `are ${skills.length}; at most ${STYLE_LIMITS.skills} are taken`)]
      : []),
    ...skills.flatMap((id, at) => problem(`skills.${at}`, skillIdProblem(id, at, draft, skillIds))),
  ];
}

/** null: the text may stand in a style. */
export function textProblem(text: string): string | null {
  const order = orderIn(text);
  return (
    shapeProblem(text) ??
    (order && `${order}; guidance speaks of tone and wording, tools and rules stand elsewhere`) ??
    governedProblem(text)
  );
}

/** The sentence, what it settles, and what to do instead; null: the backend's things are left to it. */
export function governedProblem(text: string, how: { strict?: boolean } = {}): string | null {
  const found = governedIn(text, how);
  if (!found) return null;
  const { sentence, topic } = found;
  return `says in "${cut(sentence)}" what is to be done about "${cut(topic)}", which the backend decides; say only how to speak of it, or change the rule under Policies`;
}

function cut(text: string): string {
  return text.length > MOST_QUOTED ? `${text.slice(0, MOST_QUOTED)}…` : text;
}

const MOST_QUOTED = 160;

/** Of a skill's text. */
export function skillProblem(text: string): string | null {
  if (text.length > STYLE_LIMITS.skillText)
    return `has ${text.length} characters; at most ${STYLE_LIMITS.skillText} are taken`;
  return textProblem(text);
}

/** Clients ask for anything; only what would pass for more than words is refused. */
function clientProblem(text: string): string | null {
  const isInjected = injectionIn(text, "words") !== null;
  return (
    shapeProblem(text) ??
    (isInjected ? "speaks to the system; write what a client would ask about the business" : null)
  );
}

/** Of any text that is kept with a style. */
export function shapeProblem(text: string): string | null {
  if (UNSHOWN.test(text) || !text.isWellFormed())
    return "holds characters that cannot be shown; write plain text";
  if (withoutSecrets(text) !== text)
    return `holds ${lineOfSecret(text)}what looks like a key, a token or a password; take it out, and change it if it is one`;
  const [found] = findIdentifiers(text).found;
  return found ? `holds ${KINDS[found.kind]}; ${FROM_TOOLS}` : null;
}

/** Where it stands, without a word of it. */
function lineOfSecret(text: string): string {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => withoutSecrets(line) !== line);
  return lines.length > 1 && at >= 0 ? `in line ${at + 1} ` : "";
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const UNSHOWN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;
const FROM_TOOLS =
  "such things come from tools and the knowledge base alone, and the reply guard would block them";
const KINDS: Record<IdentifierKind, string> = {
  link: "a link",
  email: "a mail address",
  handle: "a handle",
  wallet: "a wallet's address",
  wallet_part: "a part of a wallet's address",
  hash: "a transaction's hash",
  reference: "an order's number",
  card: "a card's number",
  card_part: "a part of a card's number",
  phone: "a phone number",
};

function sizeProblem(text: string): string | null {
  if (text.trim() === "") return "is empty; write the words, or take the example out";
  return text.length > STYLE_LIMITS.exampleText
    ? `has ${text.length} characters; at most ${STYLE_LIMITS.exampleText} are taken`
    : null;
}

function skillIdProblem(
  id: string,
  at: number,
  { skills }: StyleDraft,
  known: ReadonlySet<string>,
): string | null {
  if (!known.has(id)) return `there is no skill ${id.slice(0, 60)}; add it first`;
  return skills.indexOf(id) < at ? `${id} stands twice` : null;
}

function problem(path: string, message: string | null): StyleProblem[] {
  return message === null ? [] : [told(path, message)];
}

function told(path: string, message: string): StyleProblem {
  return { path, message };
}
