const LATIN_KEYS = "qwertyuiop[]asdfghjkl;'zxcvbnm,.`";
const RUSSIAN_KEYS = "йцукенгшщзхъфывапролджэячсмитьбюё";
const TO_RUSSIAN = new Map([...LATIN_KEYS].map((key, at) => [key, RUSSIAN_KEYS[at] ?? key]));
const TO_LATIN = new Map([...RUSSIAN_KEYS].map((key, at) => [key, LATIN_KEYS[at] ?? key]));
const SHIFTED: [RegExp, string][] = [
  [/\{/g, "["],
  [/\}/g, "]"],
  [/:/g, ";"],
  [/"/g, "'"],
  [/</g, ","],
  [/>/g, "."],
  [/~/g, "`"],
];
const SOUNDS: [string, string][] = [
  ["shch", "щ"],
  ["sch", "щ"],
  ["zh", "ж"],
  ["kh", "х"],
  ["ts", "ц"],
  ["tz", "ц"],
  ["ch", "ч"],
  ["sh", "ш"],
  ["yu", "ю"],
  ["ju", "ю"],
  ["iu", "ю"],
  ["ya", "я"],
  ["ja", "я"],
  ["ia", "ия"],
  ["yo", "е"],
  ["jo", "е"],
  ["ye", "е"],
  ["iy", "ий"],
  ["yy", "ый"],
  ["ay", "ай"],
  ["ey", "ей"],
  ["oy", "ой"],
  ["uy", "уй"],
  ["''", "ъ"],
  ["'", "ь"],
  ..."aа bб cк dд eе fф gг hх iи jй kк lл mм nн oо pп qк rр sс tт uу vв wв xкс yы zз"
    .split(" ")
    .map((pair): [string, string] => [pair.slice(0, 1), pair.slice(1)]),
];

/** "ghbdtn" typed with the wrong layout is "привет"; punctuation keys are letters there. */
export function fromLatinKeys(text: string): string {
  const plain = SHIFTED.reduce((all, [from, to]) => all.replace(from, to), text.toLowerCase());
  return mapped(plain, TO_RUSSIAN).replace(/ё/g, "е");
}

/** "руддщ" typed with the wrong layout is "hello". */
export function fromRussianKeys(text: string): string {
  return mapped(text.toLowerCase(), TO_LATIN);
}

/** "kurs obmena" is "курс обмена". */
export function fromTranslit(text: string): string {
  const source = text.toLowerCase();
  let out = "";
  let at = 0;
  while (at < source.length) {
    const sound = SOUNDS.find(([latin]) => source.startsWith(latin, at));
    out += sound === undefined ? (source[at] ?? "") : sound[1];
    at += sound === undefined ? 1 : sound[0].length;
  }
  return out;
}

function mapped(text: string, keys: ReadonlyMap<string, string>): string {
  return [...text].map((letter) => keys.get(letter) ?? letter).join("");
}
