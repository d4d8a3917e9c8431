import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { HttpBindings } from "@hono/node-server";
import type { MiddlewareHandler } from "hono";

/** Refuses whatever did not come straight from this machine: the sandbox plays money. */
export function loopbackGuard(): MiddlewareHandler {
  return async (context, next) => {
    // absent when the app is called in the process, without a socket
    const incoming = (context.env as Partial<HttpBindings> | undefined)?.incoming;
    const refusal = incoming && findRefusal(incoming);
    if (refusal) return context.json({ error: { code: "forbidden", message: refusal } }, 403);
    return next();
  };
}

/** Says why the request is not a local one, or undefined when it is. */
export function findRefusal(request: IncomingMessage): string | undefined {
  const { headers } = request;
  if (!isLoopbackAddress(request.socket.remoteAddress)) {
    return "The sandbox answers on the loopback interface only.";
  }
  const forwarded = FORWARDED_HEADERS.find((name) => headers[name] !== undefined);
  if (forwarded) return `The sandbox does not answer through a proxy (header ${forwarded}).`;
  const host = headers.host ?? "";
  if (!isLoopbackHost(host)) return "The sandbox answers to a Host of localhost or 127.0.0.1 only.";
  if (!isOwnOrigin(headers.origin, host)) return "The sandbox refuses requests of other origins.";
  const site = headers["sec-fetch-site"];
  if (site === "cross-site" || site === "same-site") {
    return "The sandbox refuses requests that another site caused.";
  }
  return undefined;
}

const FORWARDED_HEADERS = [
  "forwarded",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-forwarded-port",
  "x-forwarded-server",
  "x-real-ip",
  "x-client-ip",
  "x-original-host",
  "cf-connecting-ip",
  "true-client-ip",
  "via",
];

function isLoopbackAddress(address: string | undefined): boolean {
  if (address === undefined) return false;
  const plain = address.replace(/^::ffff:/, "");
  return plain === "::1" || (isIP(plain) === 4 && plain.startsWith("127."));
}

function isLoopbackHost(host: string): boolean {
  const name = host.replace(/:\d+$/, "").toLowerCase();
  return name === "localhost" || name === "127.0.0.1" || name === "[::1]";
}

/** Another port of this machine is another origin: a page there may be anybody's. */
function isOwnOrigin(origin: string | undefined, host: string): boolean {
  if (origin === undefined) return true;
  return origin.toLowerCase() === `http://${host.toLowerCase()}`;
}
