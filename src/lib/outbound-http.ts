import { lookup } from "node:dns/promises";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { isPublicAddress } from "./public-address.ts";

/** Fetches addresses that tenants, leads or documents name; those of the owner go elsewhere. */
export interface OutboundHttp {
  /** GET. Never throws and never retries. */
  fetchUrl(url: string, limits: FetchLimits): Promise<Fetched>;
}

/** All of them hold at once; the first one that is reached ends the request. */
export interface FetchLimits {
  maxBytes: number;
  /** For everything: names, redirects, and the last byte. */
  timeoutMs: number;
  /** Media types that are taken, like `text/html`; absent: any. */
  accept?: readonly string[];
  signal?: AbortSignal;
}

/** `url`: the last one after redirects. `refused`: we would not, whatever the other side says. */
export type Fetched =
  | { kind: "fetched"; url: string; contentType: string; body: Buffer }
  /** It answered, but not with what was asked for. */
  | { kind: "status"; url: string; status: number }
  | { kind: "refused"; url: string; reason: RefusalReason }
  | { kind: "unreachable"; url: string; cause: unknown };

/** Why we did not fetch it, or not to its end. */
export type RefusalReason =
  | "not_a_url"
  | "not_https"
  | "user_info"
  | "private_address"
  | "too_many_redirects"
  | "too_large"
  | "wrong_type";

/** `family`: 4 or 6. */
export interface Address {
  address: string;
  family: number;
}

/** What tests put in the place of DNS and of the list of public addresses. */
export interface OutboundHttpOptions {
  resolve?(host: string): Promise<readonly Address[]>;
  isAllowed?(address: string): boolean;
  /** Certificate authorities besides the well-known ones, PEM. */
  ca?: string;
}

const MOST_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Checks the address of every hop and connects to that very address, so that a name cannot point
 * elsewhere in between.
 */
export function createOutboundHttp(options: OutboundHttpOptions = {}): OutboundHttp {
  const hop: HopParts = {
    resolve: options.resolve ?? resolveAll,
    isAllowed: options.isAllowed ?? isPublicAddress,
    ca: options.ca,
  };
  return {
    async fetchUrl(start, limits) {
      const timer = AbortSignal.timeout(limits.timeoutMs);
      const signal = limits.signal ? AbortSignal.any([timer, limits.signal]) : timer;
      let url = start;
      for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
        const step = await fetchOnce(hop, url, { ...limits, signal });
        if (step.kind !== "redirect") return step;
        url = step.to;
      }
      return { kind: "refused", url, reason: "too_many_redirects" };
    },
  };
}

interface HopParts {
  resolve(host: string): Promise<readonly Address[]>;
  isAllowed(address: string): boolean;
  ca: string | undefined;
}

type HopLimits = FetchLimits & { signal: AbortSignal };
type Hop = Fetched | { kind: "redirect"; to: string };

async function fetchOnce(parts: HopParts, text: string, limits: HopLimits): Promise<Hop> {
  const refused = (reason: RefusalReason): Hop => ({ kind: "refused", url: text, reason });
  const url = parseUrl(text);
  if (!url) return refused("not_a_url");
  if (url.protocol !== "https:") return refused("not_https");
  if (url.username !== "" || url.password !== "") return refused("user_info");
  try {
    const addresses = await addressesOf(parts, url, limits.signal);
    // one near address among several is enough: the next look-up could choose it
    if (!addresses.every(({ address }) => parts.isAllowed(address)))
      return refused("private_address");
    const response = await open(url, { ...parts, addresses, limits });
    return await read(response, url, limits);
  } catch (cause) {
    return { kind: "unreachable", url: text, cause };
  }
}

function parseUrl(text: string, base?: URL): URL | null {
  return URL.canParse(text, base?.href) ? new URL(text, base) : null;
}

/** Never empty. A host that is written as an address stands for itself. */
async function addressesOf(
  { resolve }: HopParts,
  { hostname }: URL,
  signal: AbortSignal,
): Promise<readonly Address[]> {
  const literal = hostname.replace(/^\[|\]$/g, "");
  if (isIP(literal)) return [{ address: literal, family: isIP(literal) }];
  const found = await untilAborted(resolve(hostname), signal);
  if (found.length === 0) throw new Error(`${hostname} has no address`);
  return found;
}

function resolveAll(host: string): Promise<Address[]> {
  return lookup(host, { all: true });
}

interface Opening extends HopParts {
  addresses: readonly Address[];
  limits: HopLimits;
}

/** Connects to the addresses that were judged, whatever the name means by now. */
function open(url: URL, { addresses, ca, limits }: Opening): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      agent: false,
      lookup: pinned(addresses),
      signal: limits.signal,
      headers: {
        accept: limits.accept?.join(", ") ?? "*/*",
        // a small body that unpacks into a large one would pass the limit
        "accept-encoding": "identity",
        "user-agent": "Countersign",
      },
      ...(ca === undefined ? {} : { ca }),
    });
    sent.once("response", resolve);
    sent.on("error", reject);
    sent.end();
  });
}

function pinned(addresses: readonly Address[]): LookupFunction {
  return (_host, { all }, callback) => {
    const [first] = addresses;
    if (all) callback(null, [...addresses]);
    else callback(null, first?.address ?? "", first?.family);
  };
}

async function read(response: IncomingMessage, url: URL, limits: HopLimits): Promise<Hop> {
  try {
    const { statusCode: status = 0, headers } = response;
    const to = REDIRECTS.has(status) ? parseUrl(headers.location ?? "", url) : null;
    if (to && headers.location) return { kind: "redirect", to: to.href };
    if (status !== 200) return { kind: "status", url: url.href, status };
    const contentType = headers["content-type"] ?? "";
    const isPacked = (headers["content-encoding"] ?? "identity") !== "identity";
    if (isPacked || !isAccepted(contentType, limits.accept))
      return { kind: "refused", url: url.href, reason: "wrong_type" };
    const body = await readBody(response, limits.maxBytes);
    if (body === null) return { kind: "refused", url: url.href, reason: "too_large" };
    return { kind: "fetched", url: url.href, contentType, body };
  } finally {
    response.destroy();
  }
}

function isAccepted(contentType: string, accept: readonly string[] | undefined): boolean {
  const [type = ""] = contentType.split(";");
  return accept === undefined || accept.includes(type.trim().toLowerCase());
}

/** null: it is longer than that; the rest is not read. */
async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer | null> {
  if (Number(response.headers["content-length"] ?? 0) > maxBytes) return null;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** For work that cannot be aborted itself: looking a name up. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const give = () => reject(signal.reason);
    if (signal.aborted) give();
    signal.addEventListener("abort", give, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", give));
  });
}
