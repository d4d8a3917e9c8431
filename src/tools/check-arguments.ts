import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import type { Json } from "../domain/json.ts";
import { storable } from "../store/storable.ts";
import type { AnyTool } from "./contract.ts";

/** Bytes of one call's arguments; what is longer is no call but an attack or a mistake. */
export const MAX_ARGUMENT_BYTES = 65_536;

export interface ArgumentError {
  path: string;
  rule: string;
  message: string;
}

export type CheckedArguments =
  | { ok: true; args: Json }
  | { ok: false; args: Json; errors: ArgumentError[] };

/**
 * Parses whole, then the strict schema, then the tool's own rules. Nothing is repaired or
 * coerced: the error names field and rule and goes back to the model.
 */
export function checkArguments(
  tool: AnyTool,
  call: { arguments: string; cut?: boolean },
): CheckedArguments {
  if (call.cut) return { ok: false, args: null, errors: [CUT] };
  const parsed = parseObject(call.arguments);
  if (!parsed.ok) return { ok: false, args: null, errors: [parsed.error] };
  const checked = tool.parameters.safeParse(parsed.value);
  if (!checked.success)
    return { ok: false, args: parsed.value, errors: checked.error.issues.map(asError) };
  const args = checked.data as Json; // schemas of tools hold plain JSON only
  const refused = tool.check?.(args as never); // the schema above made it the tool's own type
  if (refused) return { ok: false, args, errors: [{ path: "", rule: "check", message: refused }] };
  return { ok: true, args };
}

const CUT: ArgumentError = {
  path: "",
  rule: "cut",
  message: "the answer was cut off; send the call again, shorter",
};

type Parsed = { ok: true; value: Json } | { ok: false; error: ArgumentError };

function parseObject(raw: string): Parsed {
  const wrong = (rule: string, message: string): Parsed => ({
    ok: false,
    error: { path: "", rule, message },
  });
  if (Buffer.byteLength(raw) > MAX_ARGUMENT_BYTES)
    return wrong("size", `arguments are longer than ${MAX_ARGUMENT_BYTES} bytes`);
  const text = raw.trim();
  if (text === "" || text === "null") return { ok: true, value: {} }; // how endpoints say "none"
  if (raw.includes("\0")) return wrong("text", "arguments hold a NUL character");
  try {
    const value = JSON.parse(text) as Json; // JSON by definition
    if (value === null || typeof value !== "object" || Array.isArray(value))
      return wrong("type", "arguments must be one JSON object");
    if (!isDeepStrictEqual(value, storable(value)))
      return wrong("text", "arguments hold a NUL character or half a character");
    return { ok: true, value };
  } catch {
    return wrong("json", "arguments are not one whole JSON object; send the call again");
  }
}

function asError(issue: z.core.$ZodIssue): ArgumentError {
  const path = issue.path.join(".");
  if (issue.code === "unrecognized_keys")
    return { path, rule: "no_extra_fields", message: `unknown fields: ${issue.keys.join(", ")}` };
  return { path, rule: issue.code, message: issue.message };
}
