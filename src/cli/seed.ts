import {
  type Answered,
  loadDeskRequests,
  refusalOf,
  sendRequests,
  toRequest,
} from "../admin/desk-requests.ts";
import { messageOf, StartError } from "../domain/errors.ts";
import { parseUrl } from "../domain/web-address.ts";

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
  const headers = { authorization: `Bearer ${token}` };
  try {
    const answers = await sendRequests(loadDeskRequests(), async (request) => {
      const sent = toRequest(request, headers);
      const target = new URL(request.path, base);
      const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
      const response = await fetch(new Request(target, sent), { signal });
      return { status: response.status, body: await bodyOf(response) };
    });
    for (const answer of answers) write(lineOf(answer));
    write(`${answers.length} requests were sent to ${base.origin}`);
    const closed = answers.find((one) => isOpening(one) && refusalOf(one) !== null);
    if (closed) write(stillClosed(closed));
  } catch (error) {
    throw new StartError(`The desk could not be seeded: ${messageOf(error)}`, { cause: error });
  }
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return { text: text.slice(0, 200) };
  }
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
  const { status } = answer;
  if (status === "skipped") return "skipped, it belongs to something that was there already";
  const refusal = refusalOf(answer);
  if (refusal !== null) return `refused: ${refusal}`;
  return status === 409 ? "was there already" : "done";
}
