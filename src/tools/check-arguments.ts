import type { z } from "zod";
import type { CandidateSource } from "../domain/candidate.ts";
import type { Json, JsonObject } from "../domain/json.ts";
import type { AnyTool } from "./contract.ts";
import { type ArgumentError, type ArgumentRule, parseArguments } from "./parse-arguments.ts";
import { findInjections } from "./prompt-injection.ts";

const MOST_ERRORS = 20;

/** `args` is kept for the record also when they are wrong; only those with `ok` may go on. */
export type CheckedArguments =
  | { ok: true; args: Json }
  | { ok: false; args: Json; errors: ArgumentError[] };

/**
 * Parses whole, then the strict schema, then looks for orders to the machine in texts, then asks
 * the tool's own rule. Nothing is repaired or coerced: the error names field and rule and goes back
 * to the model.
 */
export function checkArguments(
  tool: AnyTool,
  call: { arguments: string; cut?: boolean },
  source: CandidateSource = "model",
): CheckedArguments {
  if (call.cut) return { ok: false, args: null, errors: [CUT] };
  const parsed = parseArguments(call.arguments);
  if (!parsed.ok) return { ok: false, args: parsed.value, errors: [parsed.error] };
  const checked = tool.parameters.safeParse(parsed.value);
  if (!checked.success) {
    const issues = checked.error.issues.slice(0, MOST_ERRORS);
    const errors = issues.map((issue) => schemaError(issue, parsed.value));
    return { ok: false, args: parsed.value, errors };
  }
  const args = checked.data as JsonObject; // schemas of tools hold plain JSON only
  const injected = source === "desk" ? [] : findInjections(tool, args); // staff write their own rules
  if (injected.length > 0) return { ok: false, args, errors: injected };
  const refused = tool.check?.(args as never); // the schema above made it the tool's own type
  if (refused) return { ok: false, args, errors: [{ path: "", rule: "check", message: refused }] };
  return { ok: true, args };
}

const CUT: ArgumentError = {
  path: "",
  rule: "cut",
  message: "the answer was cut off; send the call again, shorter",
};

function schemaError(issue: z.core.$ZodIssue, args: JsonObject): ArgumentError {
  const path = issue.path.join(".");
  if (issue.code === "unrecognized_keys") {
    const names = issue.keys.join(", ").slice(0, 200);
    return { path, rule: "no_extra_fields", message: `unknown fields: ${names}` };
  }
  if (issue.path.length > 0 && isAbsent(args, issue.path))
    return { path, rule: "required", message: "is required" };
  const rule = ruleOf(issue);
  return { path, rule, message: OWN_WORDS[rule] ?? issue.message };
}

function isAbsent(args: JsonObject, path: readonly PropertyKey[]): boolean {
  let at: Json | undefined = args;
  for (const key of path) {
    if (at === null || typeof at !== "object") return false;
    if (!Object.hasOwn(at, key)) return true;
    at = (at as JsonObject)[String(key)];
  }
  return false;
}

function ruleOf(issue: z.core.$ZodIssue): ArgumentRule {
  switch (issue.code) {
    case "invalid_value":
      return "enum";
    case "too_small":
      return "min";
    case "too_big":
      return "max";
    case "invalid_format":
      return FORMATS.get(issue.format) ?? "format";
    case "not_multiple_of":
      return "format";
    case "custom":
      return "check";
    default:
      return "type";
  }
}

const FORMATS = new Map<string, ArgumentRule>([
  ["email", "email"],
  ["date", "date"],
  ["datetime", "date"],
]);

const OWN_WORDS: Partial<Record<ArgumentRule, string>> = {
  email: "must be an e-mail address",
  date: "must be a real date, written like 2026-05-31",
};
