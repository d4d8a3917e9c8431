/** The last two characters; of a code so short that they would tell it, none. */
export function maskedCode(code: string): string {
  const characters = Array.from(code);
  return characters.length > 3 ? `••${characters.slice(-2).join("")}` : "••••";
}

/** Fewer letters and digits than this quote no code. */
const FEWEST_CHARACTERS = 3;
/** A code this long is no part of a sum or a word by chance. */
const LONG_CODE = 6;

/** So many spaces, dashes and other signs may stand between two characters of a quote. */
const WIDEST_GAP = 3;

/** Could a code stand in the text at all? */
export function mayQuoteCode(text: string): boolean {
  return charactersOf(text).length >= FEWEST_CHARACTERS;
}

/**
 * Every quote of a code in the text gives way to its mask, whatever case it is written in and
 * whatever stands between its characters. A short code counts only where it stands alone: its
 * digits may be part of a sum.
 */
export function maskCodes(text: string, codes: readonly string[]): string {
  return codes.reduce(maskCode, text);
}

function maskCode(text: string, code: string): string {
  const wanted = charactersOf(code);
  if (wanted.length < FEWEST_CHARACTERS) return text;
  const written = charactersOf(text);
  const kept: string[] = [];
  let end = 0;
  for (let at = 0; at + wanted.length <= written.length; at += 1) {
    const first = written[at];
    const last = written[at + wanted.length - 1];
    if (!first || !last || !isQuote(written, at, wanted)) continue;
    kept.push(text.slice(end, first.start), maskedCode(code));
    end = last.end;
    at += wanted.length - 1;
  }
  return kept.join("") + text.slice(end);
}

function isQuote(written: readonly Character[], at: number, wanted: readonly Character[]): boolean {
  const isWritten = wanted.every(({ folded }, index) => {
    const here = written[at + index];
    return (
      here?.folded === folded && (index === 0 || gap(written[at + index - 1], here) <= WIDEST_GAP)
    );
  });
  if (!isWritten || wanted.length >= LONG_CODE) return isWritten;
  const end = at + wanted.length;
  return gap(written[at - 1], written[at]) > 0 && gap(written[end - 1], written[end]) > 0;
}

/** Signs between two neighbours; beside the text's ends there is no neighbour. */
function gap(before: Character | undefined, after: Character | undefined): number {
  return before && after ? after.start - before.end : Number.POSITIVE_INFINITY;
}

/** A letter or digit, and where it stands. */
interface Character {
  folded: string;
  start: number;
  end: number;
}

function charactersOf(text: string): Character[] {
  return Array.from(text.matchAll(/[\p{L}\p{N}]/gu), ({ 0: sign, index }) => ({
    folded: sign.toLowerCase(),
    start: index,
    end: index + sign.length,
  }));
}
