import {
  type Answered,
  loadDeskRequests,
  refusalOf,
  type Send,
  sendRequests,
  toRequest,
} from "../admin/desk-requests.ts";
import { messageOf, StartError } from "../domain/errors.ts";
import { parseUrl } from "../domain/web-address.ts";
import { type Completed, completePerson, isNewPerson } from "./seed-staff.ts";

const ANSWER_LIMIT_MS = 30_000;

/**
 * Sends examples/desk to a bot's admin API. `token`: ADMIN_TOKEN of a tenant in set-up, or an
 * admin's. Throws StartError with one line when the bot refuses or cannot be reached.
 */
export async function seed(options: {
  url: string;
  token: string;
  write(line: string): void;
}): Promise<void> {
  const { url, token, write } = options;
  const base = parseUrl(url);
  if (!base) throw new StartError(`--url: ${url} is no URL; write it as http://127.0.0.1:3000`);
  const send = sendTo(base, token);
  try {
    await refuseRealBot(base, token);
    const people: Completed[] = [];
    const answers = await sendRequests(loadDeskRequests(), async (request) => {
      const answer = await send(request);
      // at once: after the desk is open ADMIN_TOKEN can do it no more
      if (answer.status === 409 && isNewPerson(request))
        people.push(await completePerson(request, send));
      return answer;
    });
    for (const answer of answers) write(lineOf(answer));
    for (const line of people.flatMap(({ lines }) => lines)) write(line);
    const missing = people.flatMap((person) => person.missing);
    write(`${answers.length} requests were sent to ${base.origin}`);
    const closed = answers.find((one) => isOpening(one) && refusalOf(one) !== null);
    if (closed) write(stillClosed(closed));
    if (missing.length > 0) throw new Error(missing.join("; "));
  } catch (error) {
    throw new StartError(`The desk could not be seeded: ${messageOf(error)}`, { cause: error });
  }
}

/** The example's wallet, card and people are nobody's: no client may be told to pay there. */
async function refuseRealBot(base: URL, token: string): Promise<void> {
  const response = await fetch(new URL("/api/admin/tenants", base), {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
  });
  const { world } = (await bodyOf(response)) as { world?: string };
  if (world === "real")
    throw new Error(
      "this bot talks to real people, and the example desk's wallet and card are nobody's; set your own desk up as docs/setup.md says",
    );
}

function sendTo(base: URL, token: string): Send {
  const headers = { authorization: `Bearer ${token}` };
  return async (request) => {
    const sent = toRequest(request, headers);
    const target = new URL(request.path, base);
    const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
    const response = await fetch(new Request(target, sent), { signal });
    return { status: response.status, body: await bodyOf(response) };
  };
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return { text: text.slice(0, 200) };
  }
}

function isNewTenant({ method, path }: Answered["request"]): boolean {
  return method === "POST" && path === "/api/admin/tenants";
}

function isOpening({ request }: Answered): boolean {
  return request.path.endsWith("/open");
}

function stillClosed(answer: Answered): string {
  return `The desk is still being set up (${refusalOf(answer)}). An admin without a token gets one with: npm run tokens -- create --staff ID (the ids: GET /api/admin/staff); then send ${answer.request.method} ${answer.request.path} with it`;
}

function lineOf(answer: Answered): string {
  const { request, body } = answer;
  const line = `${request.method} ${request.path}: ${wordFor(answer)}`;
  if (typeof body.token !== "string") return line;
  return `${line}; a personal token, shown this once: ${body.token}`;
}

function wordFor(answer: Answered): string {
  const { status, request } = answer;
  // what it is called is the next request's to say
  if (status === 409 && (isNewPerson(request) || isNewTenant(request))) return "was there already";
  if (status === "skipped") return "skipped, it belongs to something that was there already";
  const refusal = refusalOf(answer);
  if (refusal !== null) return `refused: ${refusal}`;
  return status === 409 ? "was there already" : "done";
}
