import type { Json, JsonObject } from "../domain/json.ts";
import { depthOf, duplicateKeyOf } from "./json-scan.ts";

/** Bytes of one call's arguments; what is longer is no call but an attack or a mistake. */
export const MAX_ARGUMENT_BYTES = 65_536;
/** The deepest schema has three levels. */
const MAX_DEPTH = 16;

/** For the model, which may mend its call, and for the log. */
export interface ArgumentError {
  /** `inner.count`; empty: the arguments as a whole. */
  path: string;
  rule: ArgumentRule;
  message: string;
}

/** Names that stay: logs, evaluations and reports group by them. */
export type ArgumentRule =
  | "cut"
  | "size"
  | "depth"
  | "json"
  | "duplicate_key"
  | "text"
  | "number"
  | "type"
  | "required"
  | "enum"
  | "min"
  | "max"
  | "format"
  | "email"
  | "date"
  | "no_extra_fields"
  | "prompt_injection"
  | "resource_owner"
  | "resource_missing"
  | "check";

/** `value` of a wrong one is for the record alone. */
export type ParsedArguments =
  | { ok: true; value: JsonObject }
  | { ok: false; value: Json; error: ArgumentError };

/**
 * One whole JSON object or an error: nothing is repaired, and what parsers quietly let through
 * (the last of two equal keys, numbers that lose digits, names of prototypes) is refused.
 */
export function parseArguments(raw: string): ParsedArguments {
  if (Buffer.byteLength(raw) > MAX_ARGUMENT_BYTES)
    return wrong("size", `arguments are longer than ${MAX_ARGUMENT_BYTES} bytes`);
  const text = raw.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "");
  if (text === "" || text === "null") return { ok: true, value: {} }; // how endpoints say "none"
  if (raw.includes("\0")) return wrong("text", "arguments hold a NUL character");
  if (depthOf(text) > MAX_DEPTH)
    return wrong("depth", `arguments are nested deeper than ${MAX_DEPTH}`);
  const value = readJson(text);
  if (value === undefined)
    return wrong("json", "arguments are not one whole JSON object; send the call again");
  if (!isObject(value)) return wrong("type", "arguments must be one JSON object");
  const twice = duplicateKeyOf(text);
  if (twice !== null)
    return wrong("duplicate_key", `the field "${twice.slice(0, 64)}" stands there twice`);
  const odd = oddPart(value, "");
  return odd === null ? { ok: true, value } : { ok: false, value: null, error: odd };
}

function wrong(rule: ArgumentRule, message: string): ParsedArguments {
  return { ok: false, value: null, error: { path: "", rule, message } };
}

function readJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json; // JSON by definition
  } catch {
    return undefined;
  }
}

function isObject(value: Json): value is JsonObject {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

const PROTOTYPE_NAMES: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

function oddPart(value: Json, path: string): ArgumentError | null {
  if (typeof value === "string") return oddText(value, path);
  if (typeof value === "number") return oddNumber(value, path);
  if (value === null || typeof value !== "object") return null;
  for (const [key, part] of Object.entries(value)) {
    const name = oddText(key, path) ?? oddName(key, path);
    const odd = name ?? oddPart(part, path === "" ? key : `${path}.${key}`);
    if (odd) return odd;
  }
  return null;
}

function oddText(text: string, path: string): ArgumentError | null {
  if (!text.includes("\0") && text.isWellFormed()) return null;
  return { path, rule: "text", message: "a NUL character or half a character" };
}

function oddName(key: string, path: string): ArgumentError | null {
  if (!PROTOTYPE_NAMES.has(key)) return null;
  return { path, rule: "no_extra_fields", message: `unknown fields: ${key}` };
}

function oddNumber(number: number, path: string): ArgumentError | null {
  if (Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number)))
    return null;
  return { path, rule: "number", message: "a number that is too large to be kept exactly" };
}
