import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Answer, Refusal } from "./api-client.ts";
import { type Guards, redirectWith } from "./guard.ts";
import type { PagesContext } from "./page-context.ts";

/** A field of a form as text; a file or nothing is "". */
export function formField(form: Record<string, unknown>, name: string): string {
  const value = form[name];
  return typeof value === "string" ? value : "";
}

interface Outcome<T> {
  answer: Answer<T>;
  /** Where a change leads, and what is said there. */
  done: { path: string; notice: string };
  /** The same page with what was typed and what the API says of it. */
  again(error: Refusal): Response | Promise<Response>;
}

/** A change leads on to a page that can be reloaded; a refusal shows the form again. */
export async function settle<T>(
  c: PagesContext,
  guards: Guards,
  { answer, done, again }: Outcome<T>,
): Promise<Response> {
  if (answer.ok) return redirectWith(c, guards, done);
  c.status(answer.status as ContentfulStatusCode); // an answer's own
  return again(answer.error);
}
