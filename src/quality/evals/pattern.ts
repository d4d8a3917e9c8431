import { isDeepStrictEqual } from "node:util";
import type { Json, JsonObject } from "../../domain/json.ts";

/** Letters of either case, all languages. */
export function patternOf(text: string): RegExp {
  return new RegExp(text, "iu");
}

export function isPattern(text: string): boolean {
  try {
    patternOf(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Where `actual` is not what is wanted, as `path: wanted …, got …`; empty: it is. Of objects only named
 * fields are compared, at every depth; `{matches: "pattern"}` stands for a text or a number.
 */
export function differences(wanted: Json, actual: Json | undefined, path = ""): string[] {
  if (isMatcher(wanted)) {
    const fits = isPlain(actual) && patternOf(wanted.matches).test(String(actual));
    return fits ? [] : [`${at(path)} wanted to match /${wanted.matches}/, got ${shown(actual)}`];
  }
  if (isObject(wanted) && isObject(actual))
    return Object.entries(wanted).flatMap(([name, value]) =>
      differences(value, Object.hasOwn(actual, name) ? actual[name] : undefined, join(path, name)),
    );
  if (Array.isArray(wanted) && Array.isArray(actual) && wanted.length === actual.length)
    return wanted.flatMap((value, index) =>
      differences(value, actual[index], join(path, String(index))),
    );
  if (isDeepStrictEqual(wanted, actual)) return [];
  return [`${at(path)} wanted ${shown(wanted)}, got ${shown(actual)}`];
}

function isMatcher(value: Json): value is { matches: string } {
  if (!isObject(value)) return false;
  const { matches, ...more } = value;
  return typeof matches === "string" && Object.keys(more).length === 0 && isPattern(matches);
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isPlain(value: Json | undefined): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function at(path: string): string {
  return path === "" ? "value:" : `${path}:`;
}

const MOST_SHOWN = 200;

function shown(value: Json | undefined): string {
  if (value === undefined) return "nothing";
  return JSON.stringify(value).slice(0, MOST_SHOWN);
}
