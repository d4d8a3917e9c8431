const REMOVED = "[removed]";

/** Keys, tokens and passwords by their looks. What has a look of its own stands in no client's answer. */
const SHAPES: RegExp[] = [
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]{0,8000}?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/g,
  /(?<![\w:])\d{8,12}:[A-Za-z0-9_-]{35}(?![\w-])/g, // a Telegram bot
  /(?<!\w)(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,250}/g, // Slack
  /(?<!\w)(?:sk|rk|pk)-[A-Za-z0-9_-]{16,250}/g, // models and payments
  /(?<!\w)(?:(?:sk|rk|pk)_(?:live|test)|whsec)_[A-Za-z0-9_-]{10,250}/g, // Stripe and those like it
  /(?<!\w)(?:gh[oprsu]|github_pat|glpat|hf|npm|cst)[_-][A-Za-z0-9_-]{20,250}/g,
  /(?<!\w)AIza[A-Za-z0-9_-]{35}(?![\w-])/g, // Google
  /(?<!\w)(?:AKIA|ASIA)[0-9A-Z]{16}(?!\w)/g,
  /(?<!\w)eyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{8,2000}/g,
  /(?<!\w)bearer\s{1,4}[A-Za-z0-9._~+/=-]{16,2000}/gi,
  /(?<!\w)[5KL][1-9A-HJ-NP-Za-km-z]{50,51}(?!\w)/g, // a wallet's private key
  /(?<!\w)[xyz]prv[1-9A-HJ-NP-Za-km-z]{80,120}/g,
];

/** A value that only the words before it give away. */
const NAMED =
  /((?:private|secret|api|access|signing|приватн\p{L}{1,3}|секретн\p{L}{1,3}|закрыт\p{L}{1,3})[ _-]?(?:key|token|ключ\p{L}{0,2}|токен\p{L}{0,2})|password|парол\p{L}{1,2})(["']?\s{0,3}(?:[:=—]|is|это)\s{0,3}["']?)(?=[^\s"',;]{0,200}\d)([^\s"',;]{8,200})/giu;
/** Said to be a password, it may be short. */
const PASSWORD =
  /((?<![\p{L}\p{N}])(?:pass(?:word|code|phrase)?|pwd|secret|парол\p{L}{1,2}|секрет\p{L}{0,2})["']?\s{0,3}[:=]\s{0,3}["']?)(?=[^\s"',;]{0,200}[\d!@#$%^&*_+?~])([^\s"',;]{4,200})/giu;
const PASSWORD_SAID =
  /((?<![\p{L}\p{N}])(?:password|passcode|парол\p{L}{1,2})\s{1,3}(?:(?:is|was|это|такой)\s)?["']?)(?=[^\s"',;]{0,200}\d)(?=[^\s"',;]{0,200}\p{L})([^\s"',;]{6,200})/giu;
/** Numbers that open a card, a phone or an account. */
const PIN =
  /((?<![\p{L}\p{N}])(?:cvv2?|cvc2?|otp|pin(?:[- ]?code)?|пин(?:[- ]?код\p{L}{0,2})?|(?:sms|смс)[- ]?(?:code|код\p{L}{0,2})|(?:code|код\p{L}{0,2}) (?:from (?:the )?(?:sms|text)|из (?:смс|sms))|one[- ]time (?:code|password))[^\p{L}\d\n]{0,4}(?:(?:is|это) )?)(\d{3}[ -]\d{3}|\d{3,8})(?!\d)/giu;
const SEED =
  /((?:seed|recovery|mnemonic|сид|мнемони\p{L}{1,4})[ -]?(?:phrase|words|фраз\p{L}{1,2}|слов\p{L}{0,2})?["'\s:=—-]{1,6})((?:\p{Ll}{3,12} ){11,23}\p{Ll}{3,12})/giu;
/** User and password in an address. */
const LOGIN = /(?<!\w)([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s:/@]{1,100}:[^\s/@]{1,200}@/gi;

/**
 * For results of tools, before they are kept or shown to a model. By looks alone: a password
 * without a word before it stays.
 */
export function withoutSecrets(text: string): string {
  const shapeless = SHAPES.reduce((left, shape) => left.replace(shape, REMOVED), text);
  return shapeless
    .replace(NAMED, `$1$2${REMOVED}`)
    .replace(PASSWORD, `$1${REMOVED}`)
    .replace(PASSWORD_SAID, `$1${REMOVED}`)
    .replace(PIN, `$1${REMOVED}`)
    .replace(SEED, `$1${REMOVED}`)
    .replace(LOGIN, `$1${REMOVED}@`);
}
