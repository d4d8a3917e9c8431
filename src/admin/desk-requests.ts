import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { EXISTS_ALREADY } from "../domain/errors.ts";

/** examples/desk: a sample exchange office as a list of admin requests. */
export const EXAMPLE_DESK = fileURLToPath(new URL("../../examples/desk", import.meta.url));

/** One step of setting up a desk, as a request to the API. */
export interface AdminRequest {
  method: "GET" | "POST" | "PUT" | "PATCH";
  /** `{name}` stands for the id that an earlier request saved under this name. */
  path: string;
  body?: unknown;
  saveIdAs?: string;
}

/** `body` is empty when the answer was no object. */
export interface Answered {
  request: AdminRequest;
  /** Left out: it needs the id of something that was there already. */
  status: number | "skipped";
  body: Record<string, unknown>;
}

/** Why it was refused, when that is not because it exists already; null: it was not. */
export function refusalOf({ status, body }: Answered): string | null {
  if (status !== 409) return null;
  const error = z.object({ error: z.object({ message: z.string() }) }).safeParse(body);
  const message = error.data?.error.message ?? "no reason told";
  return message === EXISTS_ALREADY ? null : message;
}

/** Over HTTP with a token, or in the process without one. */
export type Send = (request: AdminRequest) => Promise<{ status: number; body: unknown }>;

const entrySchema = z.strictObject({
  method: z.enum(["POST", "PUT", "PATCH"]),
  path: z.string().startsWith("/api/admin/"),
  body: z.unknown().optional(),
  save_id_as: z.string().optional(),
  /** A folder of Markdown files: one request for each, with `source` and `body`. */
  documents: z.string().optional(),
});

/** Reads `requests.json` of a folder, with its documents put in. */
export function loadDeskRequests(folder: string = EXAMPLE_DESK): AdminRequest[] {
  const text = readFileSync(join(folder, "requests.json"), "utf8");
  return z
    .array(entrySchema)
    .parse(JSON.parse(text))
    .flatMap(({ method, path, body, save_id_as: saveIdAs, documents }): AdminRequest[] =>
      documents === undefined
        ? [{ method, path, body, ...(saveIdAs ? { saveIdAs } : {}) }]
        : documentsIn(folder, documents).map((document) => ({ method, path, body: document })),
    );
}

/**
 * Sends them in order. A conflict (409) is left as it is: mostly the thing exists already, see
 * `refusalOf`. Any other refusal throws and names the request.
 */
export async function sendRequests(
  requests: readonly AdminRequest[],
  send: Send,
): Promise<Answered[]> {
  const ids = new Map<string, string>();
  const answers: Answered[] = [];
  for (const request of requests) {
    const path = withIds(request.path, ids);
    if (path === null) {
      answers.push({ request, status: "skipped", body: {} });
      continue;
    }
    const { status, body } = await send({ ...request, path });
    if (status >= 400 && status !== 409)
      throw new Error(`${request.method} ${path} was answered ${status}: ${JSON.stringify(body)}`);
    const fields = z.record(z.string(), z.unknown()).catch({}).parse(body);
    if (request.saveIdAs && typeof fields.id === "string") ids.set(request.saveIdAs, fields.id);
    answers.push({ request, status, body: fields });
  }
  return answers;
}

/** For `Admin.fetch` and `Admin.handleAs`, which take whole requests. */
export function toRequest(request: AdminRequest, headers: Record<string, string> = {}): Request {
  return new Request(`http://localhost${request.path}`, {
    method: request.method,
    headers: { "content-type": "application/json", ...headers },
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
  });
}

function documentsIn(folder: string, documents: string): { source: string; body: string }[] {
  return readdirSync(join(folder, documents))
    .filter((file) => file.endsWith(".md"))
    .sort()
    .map((file) => ({
      source: `${documents}/${file}`,
      body: readFileSync(join(folder, documents, file), "utf8"),
    }));
}

function withIds(path: string, ids: ReadonlyMap<string, string>): string | null {
  const wanted = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
  if (wanted.some((name) => !ids.has(name))) return null;
  return path.replace(/\{(\w+)\}/g, (_whole, name: string) => ids.get(name) ?? "");
}
