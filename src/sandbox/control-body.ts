import type { Context } from "hono";
import { type ZodType, z } from "zod";

/** A refusal of the control API: `{"error":{"code","message","path"?}}` with this status. */
export class ControlError extends Error {
  readonly status: 400 | 403 | 404 | 409;
  readonly code: string;
  readonly path: string | undefined;

  constructor(refusal: {
    status: 400 | 403 | 404 | 409;
    code: string;
    message: string;
    path?: string;
  }) {
    super(refusal.message);
    this.name = "ControlError";
    this.status = refusal.status;
    this.code = refusal.code;
    this.path = refusal.path;
  }

  toBody(): { error: { code: string; message: string; path?: string } } {
    const { code, message, path } = this;
    return { error: path === undefined ? { code, message } : { code, message, path } };
  }
}

/** Reads and checks the JSON body. Throws ControlError 400 that names the first wrong field. */
export async function readBody<T>(context: Context, schema: ZodType<T>): Promise<T> {
  const text = await context.req.text();
  return parseInput(schema, text === "" ? {} : parseJson(text));
}

/** Checks a value that came from outside. Throws ControlError 400. */
export function parseInput<T>(schema: ZodType<T>, value: unknown): T {
  const result = z.safeParse(schema, value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const path = issue?.path.join(".") ?? "";
  throw new ControlError({
    status: 400,
    code: "invalid_body",
    message: `${path === "" ? "body" : path}: ${issue?.message ?? "is not valid"}`,
    path,
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ControlError({
      status: 400,
      code: "invalid_json",
      message: "The body is not valid JSON; send application/json.",
    });
  }
}
