/** `others`: nothing of it is left; `own`: as much as its owner needs to know it again. */
export type WhosePersonalData = "own" | "others";

const EMAIL = /(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,5}[a-z]{2,20}(?![\w-])/giu;
/** With a plus, or written as in Russia or Thailand: other rows of digits may be sums or numbers. */
const PHONES: RegExp[] = [
  /(?<![\w.])\+\d(?:[\s().-]{0,2}\d){7,14}(?![\w]|\.\d)/g,
  /(?<![\w.,+-])[78][\s(-]{0,2}\d{3}[\s)-]{0,2}\d{3}[\s-]?\d{2}[\s-]?\d{2}(?![\w]|[.,]\d)/g,
  /(?<![\w.,+-])0\d{1,2}[\s-]\d{3}[\s-]\d{3,4}(?![\w]|[.,]\d)/g,
];
const CARD = /(?<![\w.,-])\d(?:[ -]?\d){12,18}(?![\w]|[.,-]\d)/g;
const DOCUMENT = /(?<![\p{L}\d])\d{2} ?\d{2} (?:№ ?)?\d{6}(?!\d)/gu;
const NAMED_DOCUMENT =
  /((?:паспорт|загранпаспорт|удостоверени|passport|id card|driver'?s licen[cs]e)\p{L}{0,3}[^\p{L}\d\n]{0,12}(?:(?:серия|номер|number|no\.?|№)[^\p{L}\d\n]{0,4}){0,2})([A-Z]{0,3} ?\d(?:[ -]?\d){5,11})/giu;

/** Card and document numbers, mail addresses and phones, so that a model is not shown them. */
export function maskPersonal(text: string, whose: WhosePersonalData): string {
  const withoutNumbers = text
    .replace(NAMED_DOCUMENT, (_all, label: string) => `${label}[number]`)
    .replace(DOCUMENT, "[number]")
    .replace(CARD, (digits) => (isCardNumber(digits) ? `•••• ${digits.slice(-4)}` : digits));
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
  const sum = digits.reduce((total, digit, index) => {
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0 && new Set(digits).size > 1;
}
