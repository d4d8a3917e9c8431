import { z } from "zod";
import type { Json, JsonObject } from "../domain/json.ts";
import { isDecimal } from "../domain/money.ts";
import type { ToolResult } from "../domain/tool.ts";
import type { AnyTool } from "./contract.ts";
import { maskPersonal } from "./personal-data.ts";
import { withoutSecrets } from "./secret-shapes.ts";

/**
 * What is kept of a tool's result, for logs and for the model alike: the form it promised, none of
 * its secret fields, no keys or stacks, personal data masked. Every result passes here, once.
 */
export function normaliseResult(tool: AnyTool, result: ToolResult): ToolResult {
  const formed = result.ok ? tool.output.safeParse(result.data) : null;
  if (formed && !formed.success) return notOfItsForm(tool);
  const data = (formed ? formed.data : result.data) as JsonObject; // output schemas are objects
  const whole: Cleaning = { secret: secretFieldsOf(tool), shown: tool.shown, own: tool.own };
  const { error } = result;
  return {
    ...result,
    summary: cleanLine(result.summary),
    data: cleanObject(data, whole),
    ...(error ? { error: { code: error.code, message: cleanLine(error.message) } } : {}),
  };
}

function notOfItsForm(tool: AnyTool): ToolResult {
  const message = `${tool.name} gave a result that is not of its own form`;
  return {
    ...{ ok: false, resource_type: "none", resource_id: null, summary: message, data: {} },
    error: { code: "RESULT_INVALID", message },
  };
}

interface Cleaning {
  secret: ReadonlySet<string>;
  shown: readonly string[] | undefined;
  own: readonly string[] | undefined;
}

function cleanObject(data: JsonObject, how: Cleaning): JsonObject {
  const kept = Object.entries(data).filter(([name]) => !how.secret.has(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, cleanValue(value, how, name)]));
}

function cleanValue(value: Json, how: Cleaning, name: string): Json {
  if (typeof value === "string") return cleanText(value, how, name);
  if (Array.isArray(value)) return value.map((one) => cleanValue(one, how, name));
  return value !== null && typeof value === "object" ? cleanObject(value, how) : value;
}

function cleanText(text: string, how: Cleaning, name: string): string {
  const safe = withoutSecrets(text);
  if (how.shown?.includes(name)) return safe;
  if (isDecimal(text) && !CONTACT_FIELD.test(name)) return safe; // a sum, however long
  return maskPersonal(withoutStack(safe), how.own?.includes(name) ? "own" : "others");
}

const CONTACT_FIELD = /phone|mobile|card|passport|account|document/i;

/** Lines for logs, for people and for the model. */
export function cleanLine(text: string): string {
  return maskPersonal(withoutStack(withoutSecrets(text)), "others").slice(0, LONGEST_LINE);
}

const LONGEST_LINE = 1000;

/** Where code stands is nobody's business but the log's. */
function withoutStack(text: string): string {
  return text
    .replace(/\n\s{0,20}at [^\n]{0,500}/g, "")
    .replace(/Traceback \(most recent call last\)[\s\S]*/g, "")
    .replace(
      /(?:file:\/\/)?(?:\/[\w.@-]{1,100}){2,20}\.(?:[cm]?[jt]sx?|py)(?::\d+){0,2}/g,
      "[file]",
    );
}

/** Fields that the output schema marks as `secret`, at any depth. */
function secretFieldsOf(tool: AnyTool): ReadonlySet<string> {
  const known = SECRET_FIELDS.get(tool.output);
  if (known) return known;
  const names = new Set<string>();
  collectSecret(z.toJSONSchema(tool.output, { io: "input" }) as Json, names); // plain JSON by construction
  SECRET_FIELDS.set(tool.output, names);
  return names;
}

const SECRET_FIELDS = new WeakMap<z.ZodType, ReadonlySet<string>>();

function collectSecret(schema: Json, names: Set<string>): void {
  if (schema === null || typeof schema !== "object") return;
  const { properties } = schema as JsonObject;
  for (const [name, field] of Object.entries(isObject(properties) ? properties : {}))
    if (isObject(field) && field.secret === true) names.add(name);
  for (const part of Object.values(schema)) collectSecret(part, names);
}

function isObject(value: Json | undefined): value is JsonObject {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
