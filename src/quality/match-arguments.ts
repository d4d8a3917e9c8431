import { canonicalJson, type Json } from "../domain/json.ts";
import { findsIn } from "./find-text.ts";
import { keptJson } from "./kept-words.ts";

/** Where arguments differ from those that are wanted. `path`: `.a.0.b`; empty: the whole. */
export interface ArgumentDifference {
  path: string;
  wanted: Json;
  got: Json | undefined;
  /** The expression took too long to tell. */
  tooSlow?: true;
}

/**
 * Of objects only the named fields are compared, of lists every item; `{"matches": "regex"}` wants a
 * text or a number that the expression finds something in; what is no expression is a plain value.
 * A case holds no secrets: what came is also as wanted when it reads so without its own.
 */
export function differencesOf(
  wanted: Json,
  got: Json | undefined,
  path = "",
): ArgumentDifference[] {
  const pattern = patternOf(wanted);
  if (pattern) return differenceOfText(pattern, { path, wanted, got });
  if (Array.isArray(wanted)) {
    if (!Array.isArray(got) || got.length !== wanted.length) return [{ path, wanted, got }];
    return wanted.flatMap((one, index) => differencesOf(one, got[index], `${path}.${index}`));
  }
  if (wanted !== null && typeof wanted === "object") {
    if (got === null || typeof got !== "object" || Array.isArray(got))
      return [{ path, wanted, got }];
    return Object.entries(wanted).flatMap(([name, value]) =>
      differencesOf(value, Object.hasOwn(got, name) ? got[name] : undefined, `${path}.${name}`),
    );
  }
  if (got === undefined) return [{ path, wanted, got }];
  const text = canonicalJson(wanted);
  return text === canonicalJson(got) || text === canonicalJson(keptAt(path, got))
    ? []
    : [{ path, wanted, got }];
}

/** Somewhere in it stands an expression, not a value. */
export function holdsPattern(wanted: Json): boolean {
  if (wanted === null || typeof wanted !== "object") return false;
  return patternOf(wanted) !== null || Object.values(wanted).some(holdsPattern);
}

function patternOf(wanted: Json): RegExp | null {
  if (wanted === null || typeof wanted !== "object" || Array.isArray(wanted)) return null;
  const { matches, ...others } = wanted;
  if (typeof matches !== "string" || Object.keys(others).length > 0) return null;
  return expressionOf(matches);
}

function differenceOfText(pattern: RegExp, difference: ArgumentDifference): ArgumentDifference[] {
  const { got } = difference;
  if (typeof got !== "string" && typeof got !== "number") return [difference];
  const isFound = findsIn(pattern, String(got));
  if (isFound === null) return [{ ...difference, tooSlow: true }];
  if (isFound) return [];
  const kept = String(keptAt(difference.path, got));
  return kept !== String(got) && findsIn(pattern, kept) ? [] : [difference];
}

/** As a case would hold it at this place: some names alone make a value a secret. */
function keptAt(path: string, got: Json): Json {
  return keptJson(got, [], path.slice(path.lastIndexOf(".") + 1));
}

/** Letters of either case, all languages; null: the text is no expression. */
export function expressionOf(text: string): RegExp | null {
  try {
    return new RegExp(text, "iu");
  } catch {
    return null;
  }
}
