import {
  type ClientRequest,
  Agent as HttpAgent,
  request as http,
  type IncomingMessage,
} from "node:http";
import { Agent as HttpsAgent, request as https } from "node:https";
import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { ClientOptions } from "openai";

type Fetch = NonNullable<ClientOptions["fetch"]>;

/** A chat answer is a few kilobytes; what is longer than this is none. */
export const MOST_BODY_BYTES = 8 * 1024 * 1024;

/** Servers close idle connections, some after five seconds: the longer one lies, the less it is worth. */
const IDLE_MS = 15_000;

/**
 * A `fetch` for the openai client without what makes Node's own dear: web streams, and a response
 * that is built for browsers. Text goes out, headers and a body come in. It does not follow
 * redirects: the key is for one address. The signal holds until the last byte of the body.
 * Nothing is sent twice: where a kept connection turns out to be closed, nobody knows what the
 * endpoint has read, and an answer costs money. That is a failed attempt like any other.
 */
export function createLeanFetch(): Fetch {
  // of a connection in use this timeout only tells, and nobody listens
  const kept = { keepAlive: true, timeout: IDLE_MS };
  const agents: Agents = { http: new HttpAgent(kept), https: new HttpsAgent(kept) };
  const leanFetch = async (input: unknown, init: RequestInit = {}): Promise<LeanResponse> =>
    send({ url: new URL(String(input)), init, agents });
  return leanFetch as unknown as Fetch; // the client reads what LeanResponse has
}

interface Agents {
  http: HttpAgent;
  https: HttpsAgent;
}

interface Sending {
  url: URL;
  init: RequestInit;
  agents: Agents;
}

function send(sending: Sending): Promise<LeanResponse> {
  const { init } = sending;
  return new Promise((resolve, reject) => {
    const { signal } = init;
    if (signal?.aborted) return reject(signal.reason);
    const sent = open(sending);
    let response: IncomingMessage | null = null;
    const give = () => {
      const reason = asError(signal?.reason);
      response?.destroy(reason);
      sent.destroy(reason);
    };
    const settle = () => signal?.removeEventListener("abort", give);
    signal?.addEventListener("abort", give, { once: true });
    sent.once("response", (got) => {
      response = got;
      got.once("close", settle);
      resolve(new LeanResponse(sending.url.href, got));
    });
    sent.on("error", (error) => {
      settle();
      reject(error);
    });
    sent.end(init.body ?? undefined);
  });
}

function open({ url, init, agents }: Sending): ClientRequest {
  const isHttps = url.protocol === "https:";
  const options = {
    method: init.method ?? "GET",
    headers: headersOf(init),
    agent: agents[isHttps ? "https" : "http"],
  };
  return isHttps ? https(url, options) : http(url, options);
}

function headersOf({ headers, body }: RequestInit): Record<string, string> {
  const given = Object.fromEntries(headers instanceof Headers ? headers : new Headers(headers));
  const all: Record<string, string> = { "accept-encoding": "identity", ...given };
  if (typeof body === "string") all["content-length"] = String(Buffer.byteLength(body));
  return all;
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error("aborted");
}

/** As much of a `Response` as the openai client and ours read; the body is read once. */
class LeanResponse {
  readonly url: string;
  readonly status: number;
  readonly ok: boolean;
  readonly headers: Headers;
  readonly body: AsyncIterable<Buffer>;
  readonly #stream: Readable;

  constructor(url: string, response: IncomingMessage) {
    this.url = url;
    this.status = response.statusCode ?? 0;
    this.ok = this.status >= 200 && this.status < 300;
    this.headers = new Headers(pairsOf(response.rawHeaders));
    this.#stream = decoded(response);
    this.body = bounded(this.#stream);
  }

  text(): Promise<string> {
    return wholeText(this.#stream);
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }
}

function pairsOf(raw: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) pairs.push([raw[at] ?? "", raw[at + 1] ?? ""]);
  return pairs;
}

/** Packed only where a server does not heed what was asked for. */
function decoded(response: IncomingMessage): Readable {
  const decoder = decoderOf(response.headers["content-encoding"]?.trim().toLowerCase());
  // an error of either side ends the other, and comes out of the reading
  return decoder ? pipeline(response, decoder, () => {}) : response;
}

function decoderOf(encoding: string | undefined) {
  switch (encoding) {
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    default:
      return null;
  }
}

/** By events: iterating costs as much again as all the rest of a small answer. */
function wholeText(stream: Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    stream.on("data", (chunk: Buffer) => {
      size += chunk.byteLength;
      if (size > MOST_BODY_BYTES) stream.destroy(tooLong());
      else chunks.push(chunk);
    });
    stream.once("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
    stream.on("error", reject);
    // an error is told before; this is what is left
    stream.once("close", () => reject(new Error("the answer broke off")));
  });
}

function tooLong(): Error {
  return new Error(`the answer is longer than ${MOST_BODY_BYTES} bytes`);
}

async function* bounded(stream: Readable): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > MOST_BODY_BYTES) throw tooLong();
    yield chunk;
  }
}
