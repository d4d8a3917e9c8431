import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import type { MessengerEdge } from "../../src/bot/edge.ts";

export interface EdgeServer {
  /** Where a messenger delivers to. */
  address: string;
  /** What answers from now on; before, nobody is there. */
  serve(edge: MessengerEdge): void;
  close(): Promise<void>;
}

/** A free port of this machine that hands requests to an edge, as the product's routes do. */
export async function openEdgeServer(): Promise<EdgeServer> {
  let edge: MessengerEdge | undefined;
  const answer = (request: Request) =>
    edge?.takeRequest?.(request) ?? new Response(null, { status: 503 });
  const server = createServer(getRequestListener(answer, { overrideGlobalObjects: false }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // listens on TCP
  return {
    address: `http://127.0.0.1:${port}/events`,
    serve(given) {
      edge = given;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
