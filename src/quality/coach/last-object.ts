/** Braces that nothing closes; each costs a look through the rest of the text. */
const MOST_OPEN = 50;

/** Models think aloud first and put fences around: the last whole JSON object of a text; null: none. */
export function lastObjectIn(text: string): object | null {
  let last: object | null = null;
  let open = 0;
  for (let at = text.indexOf("{"); at >= 0 && open < MOST_OPEN; ) {
    const end = endOf(text, at);
    if (end === null) open += 1;
    else last = objectOf(text.slice(at, end)) ?? last;
    at = text.indexOf("{", end ?? at + 1);
  }
  return last;
}

/** Behind the brace that closes the one at `start`; braces in strings do not count. */
function endOf(text: string, start: number): number | null {
  TOKENS.lastIndex = start;
  let depth = 0;
  for (let match = TOKENS.exec(text); match; match = TOKENS.exec(text)) {
    if (match[0] === "{") depth += 1;
    if (match[0] === "}") depth -= 1;
    if (depth === 0) return TOKENS.lastIndex;
  }
  return null;
}

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}]/gs;

function objectOf(text: string): object | null {
  try {
    return JSON.parse(text) as object; // it begins with a brace
  } catch {
    return null;
  }
}
