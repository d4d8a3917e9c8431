import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { StartError } from "./domain/errors.ts";

type Fetch = (request: Request, bindings: HttpBindings) => Response | Promise<Response>;
type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** The one port for messengers, API, health and sandbox. `stop` breaks open connections off. */
export interface HttpServer {
  /** Like `http://127.0.0.1:3000`. */
  origin: string;
  /** What answers from now on; before, everything is 503. */
  serve(fetch: Fetch, upgrade?: Upgrade): void;
  stop(): Promise<void>;
}

/** Longer than clients keep a connection: they close it first, and no request meets a closing one. */
const KEEP_ALIVE_MS = 75_000;

/** Takes the port first: a start that cannot have it fails before anything else is touched. */
export async function openHttpServer(at: { host: string; port: number }): Promise<HttpServer> {
  let answer: Fetch = () => new Response("starting", { status: 503 });
  let onUpgrade: Upgrade = (_request, socket) => void socket.destroy();
  const server = createServer(
    getRequestListener((request, bindings) => answer(request, bindings as HttpBindings), {
      overrideGlobalObjects: false,
    }),
  );
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.on("upgrade", (request, socket, head) => onUpgrade(request, socket, head));
  await listen(server, at);
  const { port } = server.address() as AddressInfo; // listens on TCP
  const host = at.host.includes(":") ? `[${at.host}]` : at.host;
  return {
    origin: `http://${host === "0.0.0.0" ? "127.0.0.1" : host}:${port}`,
    serve(fetch, upgrade) {
      answer = fetch;
      if (upgrade) onUpgrade = upgrade;
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function listen(server: Server, at: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(startError(error, at)));
    server.listen(at.port, at.host, resolve);
  });
}

function startError(error: NodeJS.ErrnoException, at: { host: string; port: number }): StartError {
  if (error.code === "EADDRINUSE")
    return new StartError(
      `PORT: ${at.port} is in use on ${at.host}; stop what uses it, or choose another PORT`,
    );
  if (error.code === "EACCES")
    return new StartError(
      `PORT: ${at.port} needs rights that this user has not; choose a port above 1023`,
    );
  return new StartError(`HOST: cannot listen on ${at.host}:${at.port} (${error.message})`);
}
