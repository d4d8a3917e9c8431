import { readFileSync } from "node:fs";
import { messageOf, StartError } from "../../domain/errors.ts";
import { asKey } from "./keys.ts";
import {
  ATTEMPT_LIMIT_MS,
  isEndpoint,
  type ModelEntry,
  parseModelsFile,
  WHOLE_ADDRESS,
} from "./models-file.ts";

/** The models that the bot may ask, as the environment names them. */
export interface ModelPool {
  entries: readonly ModelEntry[];
  /** MODELS_FILE; null: the one model of OPENAI_BASE_URL. */
  file: string | null;
  /** Keys in the environment; null: it has none of that name. */
  keyNamed(name: string): string | null;
}

const ONE_MODEL = "default";
const ITS_KEY = "OPENAI_API_KEY";

/** The pool's one entry where there is no file. */
export function oneModel(
  given: Pick<ModelEntry, "baseUrl" | "model"> & Partial<Pick<ModelEntry, "price">>,
): ModelEntry {
  return {
    ...{ name: ONE_MODEL, baseUrl: given.baseUrl.replace(/\/+$/, ""), model: given.model },
    ...{ apiKeyRef: ITS_KEY, enabled: true, weight: 1, parallel: null },
    ...{ price: given.price ?? null, params: {}, paramsWithTools: {} },
    capabilities: { tools: true, streaming: true, jsonSchema: true },
    timeoutMs: ATTEMPT_LIMIT_MS,
  };
}

/** Where the environment names its models. */
interface Named {
  MODELS_FILE?: string | undefined;
  OPENAI_BASE_URL: string;
  OPENAI_MODEL: string;
  OPENAI_PRICE_IN?: string | undefined;
  OPENAI_PRICE_OUT?: string | undefined;
}

/** Those of MODELS_FILE, else the one of OPENAI_BASE_URL. Throws StartError. */
export function poolOf(named: Named, keyNamed: ModelPool["keyNamed"]): ModelPool {
  const { MODELS_FILE: file, OPENAI_PRICE_IN: input, OPENAI_PRICE_OUT: output } = named;
  if (file !== undefined) return { entries: readModelsFile(file), file, keyNamed };
  const entry = oneModel({
    ...{ baseUrl: named.OPENAI_BASE_URL, model: named.OPENAI_MODEL },
    price: input && output ? { input, output } : null,
  });
  return { entries: [entry], file: null, keyNamed };
}

/** Throws StartError, one line. */
export function refuseBadModels(named: Pick<Named, "MODELS_FILE" | "OPENAI_BASE_URL">): void {
  if (named.MODELS_FILE !== undefined) readModelsFile(named.MODELS_FILE);
  const { OPENAI_BASE_URL: url } = named;
  if (!isEndpoint(url) || WHOLE_ADDRESS.test(url))
    throw new StartError(
      "OPENAI_BASE_URL: wants the address before /chat/completions, like https://api.openai.com/v1, without a login, a query or #",
    );
}

/** Throws StartError, one line: it cannot be read, or what is wrong in it. */
export function readModelsFile(file: string): ModelEntry[] {
  return parseModelsFile(textOf(file), `MODELS_FILE: ${file}`);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new StartError(`MODELS_FILE: ${file} cannot be read: ${messageOf(error)}`);
  }
}

/**
 * A pool of one: the model of that name, or with that name at its endpoint; else the first one's
 * endpoint, asked for another model. What a model with limits of its own costs is not known then.
 */
export function poolOfOne(pool: ModelPool, name: string): ModelPool {
  const { entries } = pool;
  const known =
    entries.find((one) => one.name === name) ?? entries.find((one) => one.model === name);
  if (known) return { ...pool, entries: [{ ...known, enabled: true }] };
  const [first] = entries;
  if (!first) return pool;
  return { ...pool, entries: [{ ...first, model: name, price: null, enabled: true }] };
}

/** A pool that another process is to ask: its keys travel along, by name. */
export interface HandedModels {
  entries: readonly ModelEntry[];
  keys: Readonly<Record<string, string>>;
}

export function poolOfHanded({ entries, keys }: HandedModels): ModelPool {
  const keyNamed = (name: string) => (Object.hasOwn(keys, name) ? (keys[name] ?? null) : null);
  return { entries, file: null, keyNamed };
}

/** What reports call the answering model: of several all that may be asked. */
export function modelIdOf({ entries }: Pick<ModelPool, "entries">): string {
  const asked = entries.filter(({ enabled }) => enabled);
  return [...new Set(asked.map(({ model }) => model))].join(" | ");
}

/** One of them can be called with what the environment has, or a tenant among its secrets. */
export function hasKey(
  { entries, keyNamed }: ModelPool,
  secretNames: ReadonlySet<string>,
): boolean {
  return entries.some(({ enabled, apiKeyRef: ref }) => {
    const isThere = ref === null || secretNames.has(ref) || asKey(keyNamed(ref)) !== null;
    return enabled && isThere;
  });
}
