import { StartError } from "../../domain/errors.ts";
import { parseUrl } from "../../domain/web-address.ts";
import { decodeText } from "./case-lines.ts";
import { oneLine } from "./fault.ts";
import { isObject } from "./record.ts";

/** What is asked of a bot. `base`: its address, with or without /api/admin. */
export interface ExportRequest {
  base: URL;
  status: string;
  limit: number;
  /** null: the one that the token belongs to. */
  tenant: string | null;
  token: string;
}

const ROUTE = "quality/tool-call-regression-cases/export.jsonl";
const ANSWER_LIMIT_MS = 60_000;
/** Five thousand cases of some forty kilobytes. */
const MOST_BYTES = 200_000_000;

/** Whole address of the export; no token in it. */
export function exportUrl({ base, status, limit, tenant }: Omit<ExportRequest, "token">): URL {
  const url = routeUrl({ base, tenant: null }, ROUTE);
  url.searchParams.set("status", status);
  url.searchParams.set("limit", String(limit));
  if (tenant !== null) url.searchParams.set("tenant", tenant);
  return url;
}

function routeUrl({ base, tenant }: Pick<ExportRequest, "base" | "tenant">, route: string): URL {
  const prefix = base.pathname.replace(/\/+$/, "").replace(/\/api\/admin$/, "");
  const url = new URL(`${prefix}/api/admin/${route}`, base.origin);
  if (tenant !== null) url.searchParams.set("tenant", tenant);
  return url;
}

/** The export's text. Throws StartError, one line with the next step and without the token. */
export function fetchExport(request: ExportRequest): Promise<string> {
  return fetchText(request, exportUrl(request));
}

/** What another route of the same bot answers. Throws StartError like `fetchExport`. */
export async function fetchJson(request: ExportRequest, route: string): Promise<unknown> {
  const text = await fetchText(request, routeUrl(request, route));
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new StartError(`GET /${route}: is no JSON; check --api-base`, { cause });
  }
}

async function fetchText(request: ExportRequest, url: URL): Promise<string> {
  const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
  try {
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${request.token}`, accept: "application/x-ndjson" },
      redirect: "manual",
      signal,
    });
    const body = decodeText(await readBytes(response));
    const refusal = refusalOf({ response, body, url, tenant: request.tenant });
    if (refusal !== null) throw new StartError(refusal.replaceAll(request.token, "***"));
    return body;
  } catch (cause) {
    if (cause instanceof StartError) throw cause;
    throw new StartError(unreachable(url, cause), { cause });
  }
}

async function readBytes(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MOST_BYTES)
      throw new StartError("The answer is longer than 200 MB; ask for less with --limit");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

interface Answer {
  response: Response;
  body: string;
  url: URL;
  tenant: string | null;
}

/** null: the body is the export. */
function refusalOf({ response, body, url, tenant }: Answer): string | null {
  const { status, headers } = response;
  const place = `${url.origin}${url.pathname}`;
  if (status >= 300 && status < 400) return redirected(place, headers.get("location"), url);
  const isPage = /\bhtml\b/i.test(headers.get("content-type") ?? "") || /^\s*</.test(body);
  if (status === 401)
    return `${place} refuses the token (401); set QUALITY_LAB_TOKEN to one that has not expired: npm run tokens -- create --staff ID`;
  if (status === 200 && isPage)
    return `${place} answers with a web page, not with cases; --api-base must be the bot's own address, without a login page before it`;
  if (status === 200) return null;
  const said = isPage ? "" : saidIn(body);
  return `${place} answers ${status}${said && `: ${said}`}; ${nextStep(status, tenant)}`;
}

function nextStep(status: number, tenant: string | null): string {
  if (status === 403) return "use a token of a person who may read this tenant";
  if (status === 404)
    return tenant === null
      ? "check --api-base, and that the bot has this version"
      : "check --api-base and --tenant";
  if (status === 429 || status >= 500) return "try again later, and look into the bot's log";
  return "check --api-base, --status, --limit and --tenant";
}

function redirected(place: string, location: string | null, from: URL): string {
  const to =
    location !== null && URL.canParse(location, from.href) ? new URL(location, from) : null;
  const where = to ? `to ${to.origin}` : "elsewhere";
  return `${place} redirects ${where}, and the token is not sent on; give the bot's last address as --api-base`;
}

/** The message of the API's error, else nothing. */
function saidIn(body: string): string {
  try {
    const answer: unknown = JSON.parse(body);
    const error = isObject(answer) ? answer.error : null;
    const message = isObject(error) ? error.message : null;
    return typeof message === "string" ? oneLine(message, 200) : "";
  } catch {
    return "";
  }
}

function unreachable(url: URL, error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError")
    return `${url.origin} did not answer whole within ${ANSWER_LIMIT_MS / 1000} s; look at the bot, or ask for less with --limit`;
  return `${url.origin} cannot be reached (${oneLine(reasonOf(error), 120)}); check --api-base, and that the bot runs`;
}

/** `fetch failed` says nothing; its cause has the code. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  const { code } = cause as { code?: unknown };
  return typeof code === "string" ? code : cause.message;
}

/** What is wrong with an address as `--api-base`; null: nothing. */
export function baseProblem(text: string): string | null {
  const url = parseUrl(text);
  if (!url || !/^https?:$/.test(url.protocol))
    return "--api-base: wants an address like https://bot.example.com";
  if (url.username || url.password) return "--api-base: write it without user and password";
  return null;
}
