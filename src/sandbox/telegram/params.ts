import type { Context } from "hono";
import { badRequest } from "./errors.ts";
import { parseMultipart } from "./multipart.ts";

/**
 * The parameters of one call. Clients send JSON, forms or multipart, so a number may come as
 * text and an object as text that holds JSON.
 */
export interface Params {
  text(name: string): string | undefined;
  integer(name: string): number | undefined;
  flag(name: string): boolean;
  json(name: string): unknown;
  /** An uploaded part. */
  file(name: string): File | undefined;
}

/** Throws TelegramError 400 for a body that is no JSON object. */
export async function readParams(context: Context): Promise<Params> {
  const values: Record<string, unknown> = { ...context.req.query() };
  if (context.req.method === "POST") Object.assign(values, await readBody(context));
  return toParams(values);
}

async function readBody(context: Context): Promise<Record<string, unknown>> {
  const type = context.req.header("Content-Type") ?? "";
  if (type.startsWith("multipart/")) {
    const parts = parseMultipart(Buffer.from(await context.req.arrayBuffer()), type);
    if (parts) return parts;
    throw badRequest("can't parse request multipart form");
  }
  if (type.startsWith("application/x-www-form-urlencoded")) return context.req.parseBody();
  const text = await context.req.text();
  if (text === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch {
    // falls through to the platform's answer
  }
  throw badRequest("can't parse request JSON object");
}

/** From JSON, a form or a query: values are read by kind, and objects may come as text. */
export function toParams(values: Record<string, unknown>): Params {
  return {
    text(name) {
      const value = values[name];
      if (value === undefined || value === null || value instanceof File) return undefined;
      return typeof value === "object" ? JSON.stringify(value) : String(value);
    },
    integer(name) {
      const value = values[name];
      const number = typeof value === "string" && value !== "" ? Number(value) : value;
      return Number.isSafeInteger(number) ? (number as number) : undefined;
    },
    flag(name) {
      const value = values[name];
      return value === true || value === 1 || /^(true|yes|1)$/i.test(String(value));
    },
    json(name) {
      const value = values[name];
      if (typeof value !== "string") return value ?? undefined;
      if (value === "") return undefined;
      try {
        return JSON.parse(value);
      } catch {
        throw badRequest(`can't parse ${name.replace("_", " ")} JSON object`);
      }
    },
    file(name) {
      const value = values[name];
      return value instanceof File ? value : undefined;
    },
  };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
