/** `others`: nothing of it is left; `own`: as much as its owner needs to know it again. */
export type WhosePersonalData = "own" | "others";

const EMAIL = /(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,5}[a-z]{2,20}(?![\w-])/giu;
/** With a plus, or written as in Russia or Thailand: other rows of digits may be sums or numbers. */
const PHONES: RegExp[] = [
  /(?<![\w.])\+\d(?:[\s().-]{0,2}\d){7,14}(?![\w]|\.\d)/g,
  /(?<![\w.,+-])[78][\s(-]{0,2}\d{3}[\s)-]{0,2}\d{3}[\s-]?\d{2}[\s-]?\d{2}(?![\w]|[.,]\d)/g,
  /(?<![\w.,+-])0\d{1,2}[\s-]\d{3}[\s-]\d{3,4}(?![\w]|[.,]\d)/g,
];
const CARD_LENGTH = { least: 13, most: 19 };
/**
 * Where a card may begin: by how cards are written, also among other numbers, and by all digits of a
 * run, however they stand.
 */
const CARD_START =
  /(?<![\w.,-])(?=\d)(?=(\d{4}([ -])\d{4}\2\d{4}\2\d{4}(?![\w]|[.,-]\d)|\d{4}[ -]\d{6}[ -]\d{5}(?![\w]|[.,-]\d)|\d{13,19}(?![\w]|[.,-]\d))?)(?:(?<!\d[ -])(?=(\d(?:[ -]?\d){12,18}(?![\w]|[.,-]\d))))?/g;
const DOCUMENT = /(?<![\p{L}\d])\d{2} ?\d{2} (?:№ ?)?\d{6}(?![\p{L}\d])/gu;
const NAMED_DOCUMENT =
  /((?:паспорт|загранпаспорт|удостоверени|passport|id card|driver'?s licen[cs]e)\p{L}{0,3}[^\p{L}\d\n]{0,12}(?:(?:серия|номер|number|no\.?|№)[^\p{L}\d\n]{0,4}){0,2})([A-Z]{0,3} ?\d(?:[ -]?\d){5,11})/giu;

/** Card and document numbers. */
export function maskNumbers(text: string): string {
  const withoutDocuments = text
    .replace(NAMED_DOCUMENT, (_all, label: string) => `${label}[number]`)
    .replace(DOCUMENT, "[number]");
  return maskCards(withoutDocuments);
}

function maskCards(text: string): string {
  const kept: string[] = [];
  let done = 0;
  for (const { index, 1: written, 3: run } of text.matchAll(CARD_START)) {
    const card = [run, written].find((digits) => digits && isCardNumber(digits));
    if (!card || index < done) continue;
    kept.push(text.slice(done, index), `•••• ${card.slice(-4)}`);
    done = index + card.length;
  }
  return kept.join("") + text.slice(done);
}

/** The same, mail addresses and phones, so that a model is not shown them. */
export function maskPersonal(text: string, whose: WhosePersonalData): string {
  const withoutNumbers = maskNumbers(text);
  const isOwn = whose === "own";
  const withoutMail = withoutNumbers.replace(EMAIL, (address) =>
    isOwn ? `${address.slice(0, 1)}***${address.slice(address.lastIndexOf("@"))}` : "[e-mail]",
  );
  return PHONES.reduce(
    (left, phone) =>
      left.replace(phone, (digits) =>
        isOwn ? `***${digits.replace(/\D/g, "").slice(-4)}` : "[phone]",
      ),
    withoutMail,
  );
}

/** Luhn's sum. */
function isCardNumber(text: string): boolean {
  const digits = [...text.replace(/\D/g, "")].reverse().map(Number);
  if (digits.length < CARD_LENGTH.least || digits.length > CARD_LENGTH.most) return false;
  const sum = digits.reduce((total, digit, index) => {
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0 && new Set(digits).size > 1;
}
