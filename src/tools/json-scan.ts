/** What JSON.parse does not tell. Both look at the text itself and go through it once. */

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
  const open: (Set<string> | null)[] = []; // null: a list
  let mayBeKey = false;
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === "{" || token === "[") open.push(token === "{" ? new Set() : null);
    else if (token === "}" || token === "]") open.pop();
    else if (token !== "," && mayBeKey && isTwice(open.at(-1), token))
      return JSON.parse(token) as string; // a string token of valid JSON
    mayBeKey = token === "{" || token === ",";
  }
  return null;
}

/** Equal keys may be written differently: `"a"` and `"\u0061"`. */
function isTwice(keys: Set<string> | null | undefined, token: string): boolean {
  if (!keys) return false;
  const key = JSON.parse(token) as string; // a string token of valid JSON
  if (keys.has(key)) return true;
  keys.add(key);
  return false;
}
