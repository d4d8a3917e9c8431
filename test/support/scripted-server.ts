import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface SeenRequest {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: Buffer;
}

export type ServerScript = (request: SeenRequest, response: ServerResponse) => void;

export interface ScriptedServer {
  url: string;
  seen: SeenRequest[];
  /** How the next requests are answered. */
  answer(script: ServerScript): void;
  close(): Promise<void>;
}

/** A real HTTP server on a free loopback port whose answers a test chooses. */
export async function startScriptedServer(): Promise<ScriptedServer> {
  const seen: SeenRequest[] = [];
  let script: ServerScript = (_, response) => json(response, 500, {});
  const server = createServer(async (request, response) => {
    const body = await readBody(request);
    const { method = "", url = "", headers } = request;
    const entry = { method, path: url, headers, body };
    seen.push(entry);
    script(entry, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // listening on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    answer(next) {
      script = next;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}
