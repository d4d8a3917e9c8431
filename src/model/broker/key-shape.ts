/** Of keys; names of variables hardly begin with them, and hardly any model. */
const PREFIX =
  /^(?:(?:sk|rk|gsk|csk|gh[pousr]|github_pat|glpat|nvapi)[-_]|AIza|eyJ|A[KS]IA[A-Z0-9]{16}$)/i;
/** Also providers are called like that, and their models. */
const PREFIX_OR_PROVIDER = /^(?:pk|xai|hf|r8|fw|pplx|tgp)[-_]/i;
/** `XAI_API_KEY` and `HF_TOKEN` are names all the same. */
const NAMES_A_KEY = /(?:key|token|secret)_?\d{0,3}$/i;

/** A key in the place of the name of its variable. Names are words, with a figure here and there. */
export function isNoRef(text: string): boolean {
  const startsLikeKey = PREFIX.test(text) || PREFIX_OR_PROVIDER.test(text);
  if (startsLikeKey && !NAMES_A_KEY.test(text)) return true;
  return hasScrambledPart(text) || runsOfDigits(text) > 5 || isMixed(text.replaceAll("_", ""));
}

/** A key in the place of a word of another kind, like the name of a model. */
export function mayBeKey(text: string): boolean {
  return PREFIX.test(text) || hasScrambledPart(text);
}

/** What is shorter than this is a word, whatever it is made of. */
const SHORT = 8;
const LONG_WORD = 24;

function hasScrambledPart(text: string): boolean {
  return text.split(/[^\p{L}\p{N}]+/u).some(isScrambled);
}

/** Letters, capitals and figures in turn, or one word without an end. */
function isScrambled(part: string): boolean {
  if (part.length <= SHORT) return false;
  const digits = part.replace(/\D/g, "").length;
  if (runsOfDigits(part) > 2 || (digits > 4 && digits < part.length)) return true;
  if (part.length > LONG_WORD && !/\p{Ll}\p{Lu}/u.test(part)) return true;
  const isInMidst = part.length >= 2 * SHORT && /\p{L}\d+\p{L}/u.test(part);
  return (isInMidst && !HOLDS_KEY_WORD.test(part)) || isMixed(part);
}

function isMixed(text: string): boolean {
  if (text.length < 2 * SHORT || HOLDS_KEY_WORD.test(text)) return false;
  return /\p{Ll}/u.test(text) && /\p{Lu}/u.test(text) && turnsOf(text) * 3 > text.length;
}

/** `openAiApiKeyForUs` changes as often as a key does, and says what it is. */
const HOLDS_KEY_WORD = /(?:^|\p{Ll})(?:key|Key|Token|Secret)(?!\p{Ll})/u;

/** How often a letter of one kind, or a figure, stands beside one of another. */
function turnsOf(part: string): number {
  const kinds = part
    .replace(/\p{Ll}/gu, "a")
    .replace(/\p{Lu}/gu, "A")
    .replace(/\d/g, "0");
  return kinds.replace(/(.)\1*/gu, "$1").length - 1;
}

function runsOfDigits(text: string): number {
  return text.match(/\d+/g)?.length ?? 0;
}
