import { z } from "zod";
import { StartError } from "../../domain/errors.ts";
import type { JsonObject } from "../../domain/json.ts";
import { amount, isDecimal } from "../../domain/money.ts";
import { valueAt } from "../../domain/value-at.ts";
import { isObject, jsonOf } from "../untrusted.ts";
import { placeOfFault } from "./json-place.ts";
import { isNoRef, mayBeKey } from "./key-shape.ts";

/** One model behind one OpenAI-compatible endpoint, as MODELS_FILE tells of it. */
export interface ModelEntry {
  /** Of our own choice: how journals, ratings and errors call it. */
  name: string;
  /** Without a slash at the end. */
  baseUrl: string;
  /** As the endpoint calls it. */
  model: string;
  /** Names a secret, never holds one; null: the endpoint wants no key. */
  apiKeyRef: string | null;
  enabled: boolean;
  /** Only proportions count; 0 is asked rarely. */
  weight: number;
  /** Most calls at once, over all scopes; null: no limit. */
  parallel: number | null;
  /** USD for a million tokens, decimal strings; null: costs are unknown. */
  price: { input: string; output: string } | null;
  /** Fields of every request. */
  params: JsonObject;
  /** Further fields of requests with tools; they win over `params`. */
  paramsWithTools: JsonObject;
  capabilities: { tools: boolean; streaming: boolean; jsonSchema: boolean };
  /** Real time of one attempt. */
  timeoutMs: number;
}

/** Throws StartError, one line that names the file, the model and the path of what is wrong. */
export function parseModelsFile(text: string, file: string): ModelEntry[] {
  const { models, problems } = examineModelsFile(text, file);
  if (problems.length === 0) return models;
  const more = problems.length > MOST_SHOWN ? `; and ${problems.length - MOST_SHOWN} more` : "";
  throw new StartError(`${problems.slice(0, MOST_SHOWN).join("; ")}${more}`);
}

/** Everything that is wrong with a file; its models only when nothing is. */
export function examineModelsFile(
  text: string,
  file: string,
): { models: ModelEntry[]; problems: string[] } {
  const plain = text.replace(/^\uFEFF/, "");
  const value = jsonOf(plain);
  if (value === undefined)
    return { models: [], problems: [`${file}: is no JSON${placeIn(plain)}`] };
  const { version = VERSION } = isObject(value) ? value : {};
  if (version !== VERSION) {
    const found = typeof version === "number" ? String(version) : "something else";
    return { models: [], problems: [`${file}: version: found ${found}, expected ${VERSION}`] };
  }
  const parsed = fileSchema.safeParse(value);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => problemOf(issue, value));
    return { models: [], problems: problems.map((problem) => `${file}: ${problem}`) };
  }
  const twice = nameTwice(parsed.data.models.map(({ name }) => name));
  if (twice !== undefined) {
    const problem = `${file}: model "${twice}": name: stands twice; give each model its own`;
    return { models: [], problems: [problem] };
  }
  return { models: parsed.data.models.map(entryOf), problems: [] };
}

/** Its message quotes nothing: a file of the wrong kind may be a key. */
function placeIn(text: string): string {
  if (text.trim() === "") return ": it is empty";
  const place = placeOfFault(text);
  return place ? `: look at line ${place.line}, column ${place.column}` : "";
}

const VERSION = 1;
const MOST_SHOWN = 3;
export const ATTEMPT_LIMIT_MS = 60_000;
const LONGEST_MS = 600_000;
const MOST_WEIGHT = 1_000;
const MOST_PARALLEL = 10_000;

/** What a request is about is for the caller to say, and keys go into `api_key_ref`. */
const RESERVED =
  /^(model|messages|tools|stream|stream_options|n|response_format|metadata|api_?key|authorization)$/i;

export const WHOLE_ADDRESS = /\/completions\/*$/i;
const BASE_ALONE = "the address before /chat/completions: leave /chat/completions away";

const price = z.union([
  z.number().nonnegative().max(1_000_000),
  z.string().refine((text) => isDecimal(text)),
]);
const params = z
  .record(z.string(), z.json())
  .refine((fields) => !Object.keys(fields).some((name) => RESERVED.test(name)));

const modelSchema = z
  .strictObject({
    name: z
      .string()
      .regex(/^[\w.:@/-]{1,100}$/)
      .refine((text) => !mayBeKey(text)),
    base_url: z
      .string()
      .refine((text) => !WHOLE_ADDRESS.test(text), { params: { wants: BASE_ALONE } })
      .refine(isEndpoint),
    model: z.string().trim().min(1).max(200),
    api_key_ref: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/)
      .refine((text) => !isNoRef(text))
      .nullish(),
    enabled: z.boolean().optional(),
    weight: z.number().min(0).max(MOST_WEIGHT).optional(),
    parallel: z.int().min(1).max(MOST_PARALLEL).optional(),
    price_in: price.optional(),
    price_out: price.optional(),
    params: params.optional(),
    params_with_tools: params.optional(),
    capabilities: z
      .strictObject({
        tools: z.boolean().optional(),
        streaming: z.boolean().optional(),
        json_schema: z.boolean().optional(),
      })
      .optional(),
    timeout_ms: z.int().min(100).max(LONGEST_MS).optional(),
  })
  .superRefine((model, context) => {
    if ((model.price_in === undefined) === (model.price_out === undefined)) return;
    const missing = model.price_in === undefined ? "price_in" : "price_out";
    context.addIssue({ code: "custom", path: [missing], input: undefined });
  });

const fileSchema = z.strictObject({
  version: z.literal(VERSION).optional(),
  models: z.array(modelSchema).min(1),
});

const WANTS: Record<string, string> = {
  models: "a list of at least one model",
  name: "1 to 100 letters, digits and . : @ / _ - that do not look like a key",
  base_url:
    "an http(s) address like https://api.openai.com/v1, without a login, a query, # or spaces",
  model: "the model's name at its endpoint",
  api_key_ref:
    "the name of an environment variable or of a secret, made of words (never the key itself), or null for none",
  enabled: "true or false",
  weight: `a number from 0 to ${MOST_WEIGHT}`,
  parallel: `a whole number from 1 to ${MOST_PARALLEL}`,
  price_in: "USD for a million tokens, a number or a decimal in quotes; both prices or none",
  price_out: "USD for a million tokens, a number or a decimal in quotes; both prices or none",
  params: "an object of request fields, none of them model, messages, tools, stream or a key",
  params_with_tools:
    "an object of request fields, none of them model, messages, tools, stream or a key",
  capabilities: "an object of tools, streaming and json_schema, each true or false",
  timeout_ms: `whole milliseconds from 100 to ${LONGEST_MS}`,
};

/** Words of one problem; a value is never shown where a key may stand by mistake. */
function problemOf(issue: z.core.$ZodIssue, value: unknown): string {
  const { path } = issue;
  const at = path.map(String);
  const where = at[0] === "models" && at.length > 1 ? modelLabel(value, path[1]) : "";
  const inner = where === "" ? at : at.slice(2);
  const shown = inner.map((part) => (isShowable(part) ? part : "…")).join(".");
  const prefix = [where, shown].filter((part) => part !== "").join(": ");
  if (issue.code === "unrecognized_keys") {
    const names = issue.keys.map((key) => (isShowable(key) ? `"${key}"` : UNSHOWN)).join(", ");
    return [prefix, `does not know ${names}; see docs/models.md`].filter(Boolean).join(": ");
  }
  const wants = wantsOf(issue) ?? WANTS[inner[0] ?? ""] ?? 'an object like {"models":[…]}';
  return [prefix, `${isMissing(value, path) ? "is missing, " : ""}wants ${wants}`]
    .filter(Boolean)
    .join(": ");
}

const UNSHOWN = "a field whose name may be a key and is not shown";

function isShowable(name: string): boolean {
  return /^[\w-]{1,40}$/.test(name) && !mayBeKey(name);
}

function wantsOf(issue: z.core.$ZodIssue): string | undefined {
  const wants: unknown = issue.code === "custom" ? issue.params?.wants : undefined;
  return typeof wants === "string" ? wants : undefined;
}

function modelLabel(value: unknown, index: PropertyKey | undefined): string {
  const name = valueAt(value, ["models", index ?? 0, "name"]);
  const place = `models[${String(index)}]`;
  const isKnown = typeof name === "string" && modelSchema.shape.name.safeParse(name).success;
  return isKnown ? `model "${name}"` : place;
}

function isMissing(value: unknown, path: readonly PropertyKey[]): boolean {
  return path.length > 0 && valueAt(value, path) === undefined;
}

/** `new URL` drops an empty query, an empty fragment and spaces; what is asked later is the text. */
/** An address that `/chat/completions` can be put behind. */
export function isEndpoint(text: string): boolean {
  if (/[\s?#\\]/.test(text) || !URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username + password === "";
}

function nameTwice(names: readonly string[]): string | undefined {
  return names.find((name, at) => names.indexOf(name) !== at);
}

function entryOf(model: z.infer<typeof modelSchema>): ModelEntry {
  const { price_in: input, price_out: output, capabilities = {} } = model;
  return {
    ...{ name: model.name, baseUrl: model.base_url.replace(/\/+$/, ""), model: model.model },
    ...{ apiKeyRef: model.api_key_ref ?? null, enabled: model.enabled ?? true },
    ...{ weight: model.weight ?? 0, parallel: model.parallel ?? null },
    price:
      input === undefined || output === undefined
        ? null
        : { input: amount(input).toFixed(), output: amount(output).toFixed() },
    params: (model.params ?? {}) as JsonObject, // z.json() took it
    paramsWithTools: (model.params_with_tools ?? {}) as JsonObject,
    capabilities: {
      tools: capabilities.tools ?? true,
      streaming: capabilities.streaming ?? true,
      jsonSchema: capabilities.json_schema ?? true,
    },
    timeoutMs: model.timeout_ms ?? ATTEMPT_LIMIT_MS,
  };
}
