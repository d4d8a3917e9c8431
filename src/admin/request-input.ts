import { z } from "zod";
import { UserError } from "../domain/errors.ts";
import { furthestIssue } from "../domain/furthest-issue.ts";
import { DECIMAL_PATTERN } from "../domain/money.ts";
import { parseBodyJson } from "./body-json.ts";
import type { AdminContext } from "./context.ts";

/** Money and rates on the wire. A JSON number is refused: it may have lost digits already. */
export const decimalSchema = z
  .string({ error: 'write it as a decimal string such as "32.00", not as a JSON number' })
  .regex(DECIMAL_PATTERN, 'write it as a plain decimal string such as "32.00"');

/** Strict schemas refuse unknown fields; the error names the path. Throws UserError. */
export async function readBody<T>(
  c: AdminContext,
  schema: z.ZodType<T>,
  { mayBeEmpty = false }: { mayBeEmpty?: boolean } = {},
): Promise<T> {
  const text = await c.req.text();
  return parseInput(mayBeEmpty && text.trim() === "" ? {} : parseBodyJson(text), schema);
}

/** The body before it is held against a schema. Throws UserError. */
export async function readJson(c: AdminContext): Promise<unknown> {
  return parseBodyJson(await c.req.text());
}

/** All but `tenant`, which the access check has read. Throws UserError. */
export function readQuery<T>(c: AdminContext, schema: z.ZodType<T>): T {
  const { tenant: _tenant, ...query } = c.req.query();
  return parseInput(query, schema);
}

/** Tells the first problem only, with its path: `items.2.amount`. Throws UserError. */
export function parseInput<T>(value: unknown, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [first] = parsed.error.issues;
  if (!first) throw new UserError("invalid", "The input is not valid");
  const issue = furthestIssue(first);
  if (issue.code === "unrecognized_keys") {
    const path = pathOf([...issue.path, issue.keys[0] ?? ""]);
    throw new UserError("unknown_field", `${path}: there is no such field`, path);
  }
  const path = pathOf(issue.path);
  throw new UserError("invalid", `${path || "body"}: ${issue.message}`, path || undefined);
}

function pathOf(path: readonly PropertyKey[]): string {
  return path.map(String).join(".");
}
