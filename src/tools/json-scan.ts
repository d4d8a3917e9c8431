/** What JSON.parse does not tell. All look at the text itself and go through it once. */

/** Strings (the last may lack its end, as the text may be no JSON) and what opens, closes, parts. */
const TOKENS = /"(?:[^"\\]|\\.)*"?|[{}[\],]/gs;

/** The deepest nesting of a text that may be no JSON at all; braces inside strings do not count. */
export function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === "{" || token === "[") deepest = Math.max(deepest, ++depth);
    else if (token === "}" || token === "]") depth -= 1;
  }
  return deepest;
}

/** A key that stands twice in one object of a valid JSON text, of which parsers keep only the last. */
export function duplicateKeyOf(text: string): string | null {
  for (const path of duplicatesIn(text)) return String(path.at(-1));
  return null;
}

/** Where keys stand again in their object; of a valid JSON text. */
export function* duplicatesIn(text: string): Generator<(string | number)[]> {
  const open: Opened[] = [];
  let mayBeKey = false;
  for (const [token] of text.matchAll(TOKENS)) {
    if (token.startsWith('"')) {
      if (mayBeKey && isTwice(open.at(-1), token)) yield open.map(({ at }) => at);
    } else step(open, token);
    mayBeKey = token === "{" || token === ",";
  }
}

function step(open: Opened[], token: string): void {
  const inner = open.at(-1);
  if (token === "{") open.push({ keys: new Set(), at: "" });
  else if (token === "[") open.push({ keys: null, at: 0 });
  else if (token !== ",") open.pop();
  else if (typeof inner?.at === "number") inner.at += 1;
}

/** `at`: the key, or the place in a list, that is read now. */
interface Opened {
  keys: Set<string> | null;
  at: string | number;
}

/** Equal keys may be written differently: `"a"` and `"\u0061"`. */
function isTwice(inner: Opened | undefined, token: string): boolean {
  if (!inner?.keys) return false;
  const key = JSON.parse(token) as string; // a string token of valid JSON
  inner.at = key;
  if (inner.keys.has(key)) return true;
  inner.keys.add(key);
  return false;
}
