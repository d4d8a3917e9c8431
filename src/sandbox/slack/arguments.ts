import type { Context } from "hono";
import { invalidArguments, Refusal } from "./refusal.ts";
import { isRecord } from "./schema.ts";
import type { Json } from "./state.ts";

/** Arguments of a call, from a form, a JSON body and the query. */
export async function readArguments(context: Context): Promise<Json> {
  const type = context.req.header("content-type") ?? "";
  const query = context.req.query();
  if (type.includes("json")) return { ...query, ...readObject(await context.req.text()) };
  if (type.includes("form")) return { ...query, ...(await context.req.parseBody()) };
  return query;
}

function readObject(body: string): Json {
  try {
    const parsed: unknown = body === "" ? {} : JSON.parse(body);
    if (isRecord(parsed)) return parsed;
  } catch {
    throw new Refusal("invalid_json");
  }
  throw new Refusal("json_not_object");
}

/** Undefined also for an empty text: Slack takes it for a missing one. */
export function stringOf(args: Json, name: string): string | undefined {
  const value = args[name];
  if (value === undefined || value === null || value === "") return undefined;
  return typeof value === "string" ? value : String(value);
}

/** Throws the refusal that Slack would answer. */
export function required(args: Json, name: string): string {
  const value = stringOf(args, name);
  if (value !== undefined) return value;
  throw invalidArguments([{ message: `missing required field: ${name}`, pointer: "" }]);
}

/** Forms carry words; anything but these is false. */
export function booleanOf(args: Json, name: string): boolean {
  return ["true", "1"].includes(String(args[name]));
}

/** What is no number counts as left out. */
export function numberOf(args: Json, name: string, otherwise: number): number {
  const value = Number(args[name] ?? otherwise);
  return Number.isFinite(value) ? value : otherwise;
}

/** A structured argument: JSON text in a form, a value in a JSON body. */
export function structureOf(args: Json, name: string, wrongCode: string): unknown {
  const value = args[name];
  if (typeof value !== "string") return value ?? undefined;
  if (value === "") return undefined;
  try {
    return JSON.parse(value);
  } catch {
    throw new Refusal(wrongCode);
  }
}
