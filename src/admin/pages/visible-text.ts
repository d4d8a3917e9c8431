/**
 * Controls, bidi marks and characters that nobody sees: with them one text can look like another.
 * Line ends and tabs stay; so does the joiner inside an emoji.
 */
const UNSEEN =
  /(?![\n\t])(?:\u{034F}|\u{17B4}|\u{17B5}|\u{180B}|\u{180C}|\u{180D}|\u{180F}|[\p{Cc}\p{Zl}\p{Zp}\u{115F}\u{1160}\u{2800}\u{3164}\u{FFA0}]|(?!(?<=\p{Extended_Pictographic}\u{FE0F}?\p{EMod}?)\u{200D}(?=\p{Extended_Pictographic}))\p{Cf})/gu;

/** A piece of text as it is, or the name of a character that would not be seen. */
export type Piece = { kind: "text"; text: string } | { kind: "unseen"; name: string };

/** Splits a text so that every character of it can be shown. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(UNSEEN)) {
    if (match.index > from) pieces.push({ kind: "text", text: text.slice(from, match.index) });
    pieces.push({ kind: "unseen", name: nameOf(match[0]) });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ kind: "text", text: text.slice(from) });
  return pieces;
}

/** The same where no elements can stand: what nobody sees is named in the text. */
export function visibleText(text: string): string {
  return piecesOf(text)
    .map((piece) => (piece.kind === "text" ? piece.text : piece.name))
    .join("");
}

/** JSON for people, with unseen characters as escapes. */
export function visibleJson(value: unknown): string {
  return (JSON.stringify(value, null, 2) ?? "").replace(UNSEEN, (character) =>
    Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
      .map((code) => `\\u${code.toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}
