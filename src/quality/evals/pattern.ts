import type { Json } from "../../domain/json.ts";
import { differencesOf, expressionOf } from "../match-arguments.ts";

/** Letters of either case, all languages. */
export function patternOf(text: string): RegExp {
  return new RegExp(text, "iu");
}

export function isPattern(text: string): boolean {
  return expressionOf(text) !== null;
}

/** Where `actual` is not what is wanted, as `path: wanted …, got …`; empty: it is. */
export function differences(wanted: Json, actual: Json | undefined): string[] {
  return differencesOf(wanted, actual).map(({ path, wanted: one, got, tooSlow }) => {
    const pattern = isMatcher(one) ? `to match /${one.matches}/` : shown(one);
    const why = tooSlow ? " (the expression takes too long)" : "";
    return `${at(path.slice(1))} wanted ${pattern}, got ${shown(got)}${why}`;
  });
}

function isMatcher(value: Json): value is { matches: string } {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return false;
  const { matches, ...more } = value;
  return typeof matches === "string" && Object.keys(more).length === 0 && isPattern(matches);
}

function at(path: string): string {
  return path === "" ? "value:" : `${path}:`;
}

const MOST_SHOWN = 200;

function shown(value: Json | undefined): string {
  if (value === undefined) return "nothing";
  return JSON.stringify(value).slice(0, MOST_SHOWN);
}
