/** Only the beginning of a long text is read. */
const LONGEST_READ = 2_000;

// Words of Russian end where no letter follows: `\b` knows only Latin ones.
const START = String.raw`(?<![\p{L}\d])`;
const END = String.raw`(?![\p{L}\d])`;

const RU_PERSON = String.raw`(?:оператор|менеджер|человек|сотрудник|специалист|админ|администратор)\p{L}{0,3}`;
const RU_WISH = String.raw`(?:позов|соедин|переключ|свяж|переда|дай|нуж[ен]|хочу|хотел|можно|поговор|пообщ|кликн|подключ|приглас)\p{L}{0,6}`;
const EN_PERSON = `(?:operator|human|manager|person|agent|someone|somebody|representative|support staff)s?`;
const EN_WISH = String.raw`(?:call|talk|speak|chat|connect|get|transfer|want|need|give|have|put|pass|reach|contact|send)\p{L}{0,3}`;

const RULES: readonly RegExp[] = [
  new RegExp(`${START}${RU_WISH}(?:[ ,]+\\p{L}{1,12}){0,4}[ ,]+${RU_PERSON}${END}`, "u"),
  new RegExp(`^[\\s,.!]*(?:оператор|менеджер)\\p{L}{0,3}${END}`, "u"),
  new RegExp(`${START}жив(?:ой|ого|ым|ому)[ ,]+${RU_PERSON}${END}`, "u"),
  new RegExp(`${START}${EN_WISH}(?:[ ,]+[\\p{L}']{1,8}){0,5}[ ,]+${EN_PERSON}${END}`, "u"),
  new RegExp(`^[\\s,.!]*(?:operator|manager|human|agent)${END}`, "u"),
  new RegExp(`${START}(?:real|live)[ ,]+${EN_PERSON}${END}`, "u"),
];

/** Does the client ask for a person? By word rules alone, before any model reads the text. */
export function asksForPerson(text: string): boolean {
  const plain = text.slice(0, LONGEST_READ).toLowerCase().replace(/ё/gu, "е");
  return plain
    .split(/[\n.?!;]+/u)
    .some((sentence) => RULES.some((rule) => rule.test(sentence.replace(/\s+/gu, " ").trim())));
}
