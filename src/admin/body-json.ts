import { UserError } from "../domain/errors.ts";
import { storable } from "../store/storable.ts";
import { depthOf, duplicateKeyOf } from "../tools/json-scan.ts";

/** Deeper than any schema of the API; a parser's stack holds thousands. */
const MAX_DEPTH = 64;

/** Names that parsers and copies of objects quietly drop. */
const PROTOTYPE_NAMES: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Words of people, often pasted: what no row can hold is dropped from them. */
const FREE_TEXT =
  /^(note|reason|body|guidance|behavior|action_items\.\d+|skills\.\d+\.text|examples\.\d+\.(client|answer))$/;

/**
 * One JSON value. What would be read as another value than the one that was sent is refused: keys
 * that are dropped or stand twice, and in all but free texts NUL and half characters. Throws
 * UserError that names the place.
 */
export function parseBodyJson(text: string): unknown {
  if (text.trim() === "") throw badJson("The body is empty; send one JSON value");
  const depth = depthOf(text);
  if (depth > MAX_DEPTH)
    throw badJson(`The body is nested ${depth} levels deep; send at most ${MAX_DEPTH}`);
  const value = parsed(text);
  const twice = duplicateKeyOf(text);
  if (twice !== null) throw refused(twice, "this field stands twice in one object; send it once");
  refuseOdd(value, "");
  return storable(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // the parser's own words hold parts of the body, which may be a secret
    const at = /position \d+/.exec(error instanceof Error ? error.message : "")?.[0];
    const where = at ? ` (it breaks at ${at})` : "";
    throw badJson(`The body is no valid JSON${where}; send one JSON value`);
  }
}

function refuseOdd(value: unknown, path: string): void {
  if (typeof value === "string") {
    if (!isWhole(value) && !FREE_TEXT.test(path))
      throw refused(path, "holds a NUL character or half a character; leave it out");
    return;
  }
  if (value === null || typeof value !== "object") return;
  for (const [key, part] of Object.entries(value)) {
    const inner = path === "" ? key : `${path}.${key}`;
    if (PROTOTYPE_NAMES.has(key)) throw refused(inner, "no field may have this name");
    if (!isWhole(key))
      throw refused(storable(inner), "the name holds a NUL character or half a character");
    refuseOdd(part, inner);
  }
}

function isWhole(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

function badJson(message: string): UserError {
  return new UserError("bad_json", message);
}

function refused(path: string, why: string): UserError {
  const shown = path.slice(0, 200);
  return new UserError("invalid", `${shown || "body"}: ${why}`, shown || undefined);
}
