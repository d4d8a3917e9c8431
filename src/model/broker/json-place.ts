/** Where a text stops being JSON, from 1; null: nowhere. The parser's own message quotes the text. */
export function placeOfFault(text: string): { line: number; column: number } | null {
  const reader = { text, at: 0 };
  const isWhole = takeValue(reader, 0) && takeSpace(reader) && reader.at === text.length;
  if (isWhole) return null;
  const lines = text.slice(0, reader.at).split("\n");
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}

interface Reader {
  text: string;
  /** What lies before it is JSON so far. */
  at: number;
}

const DEEPEST = 500;
const SPACE = /[ \t\r\n]*/y;
const SCALAR = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;
const STRING = /"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/uy;

function take(reader: Reader, pattern: RegExp): boolean {
  pattern.lastIndex = reader.at;
  const isThere = pattern.test(reader.text);
  if (isThere) reader.at = pattern.lastIndex;
  return isThere;
}

function takeSpace(reader: Reader): boolean {
  return take(reader, SPACE);
}

function takeValue(reader: Reader, depth: number): boolean {
  takeSpace(reader);
  if (depth > DEEPEST) return false;
  if (take(reader, /\{/y)) return takeList(reader, "}", () => takeField(reader, depth));
  if (take(reader, /\[/y)) return takeList(reader, "]", () => takeValue(reader, depth + 1));
  return take(reader, STRING) || take(reader, SCALAR);
}

function takeField(reader: Reader, depth: number): boolean {
  takeSpace(reader);
  return (
    take(reader, STRING) && takeSpace(reader) && take(reader, /:/y) && takeValue(reader, depth + 1)
  );
}

function takeList(reader: Reader, end: "}" | "]", takeOne: () => boolean): boolean {
  const closing = end === "}" ? /\}/y : /\]/y;
  takeSpace(reader);
  if (take(reader, closing)) return true;
  for (;;) {
    if (!takeOne()) return false;
    takeSpace(reader);
    if (take(reader, closing)) return true;
    if (!take(reader, /,/y)) return false;
  }
}
