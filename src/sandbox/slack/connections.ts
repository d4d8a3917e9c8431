import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { isRecord } from "./schema.ts";
import type { Json } from "./state.ts";
import { APP_ID } from "./workspace.ts";

/** Socket mode: several may be open, and each envelope goes to one of them. */
export interface Connections {
  /** The path and query of a new connection; works once. */
  issueTicket(): string;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Sends to the next open connection, in turn. Undefined: there is none. */
  send(text: string): WebSocket | undefined;
  /** Asks every client to come back by a new connection; nothing more is sent to the old ones. */
  refresh(reason: string): void;
  /** Cuts all connections without a word. */
  cut(): void;
  size(): number;
  close(): void;
}

/** Called in the order in which things happen on the sockets. */
export interface ConnectionHandlers {
  onOpen(): void;
  onMessage(message: Json, connection: WebSocket): void;
  onClose(connection: WebSocket): void;
}

const PATH = "/sandbox/slack/socket";
/** More are turned away, as Slack does. */
const LIMIT = 10;
/** The official client gives up after 30 s without a ping. */
const PING_EVERY_MS = 10_000;

/** The Socket Mode connections of the bot. Client pings are answered by `ws` itself. */
export function createConnections(handlers: ConnectionHandlers): Connections {
  const server = new WebSocketServer({ noServer: true });
  const tickets = new Set<string>();
  const open: WebSocket[] = [];
  const pings = setInterval(() => {
    for (const connection of server.clients) connection.ping();
  }, PING_EVERY_MS).unref();

  const accept = (connection: WebSocket): void => {
    connection.on("error", () => connection.terminate());
    connection.on("close", () => {
      const index = open.indexOf(connection);
      if (index >= 0) open.splice(index, 1);
      handlers.onClose(connection);
    });
    connection.on("message", (data) => {
      const message = parse(String(data));
      if (message) handlers.onMessage(message, connection);
    });
    if (open.length >= LIMIT) {
      connection.send(JSON.stringify(disconnect("too_many_websockets")));
      return;
    }
    open.push(connection);
    connection.send(JSON.stringify(hello(open.length)));
    connection.ping();
    handlers.onOpen();
  };

  return {
    issueTicket: () => issueTicket(tickets),
    upgrade(request, socket, head) {
      const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
      const isKnown = tickets.delete(searchParams.get("ticket") ?? "");
      if (pathname !== PATH || !isKnown) return refuse(socket);
      server.handleUpgrade(request, socket, head, accept);
    },
    send(text) {
      const connection = open.shift();
      if (!connection) return undefined;
      open.push(connection);
      connection.send(text);
      return connection;
    },
    refresh(reason) {
      for (const connection of open.splice(0)) connection.send(JSON.stringify(disconnect(reason)));
    },
    cut() {
      open.length = 0;
      for (const connection of server.clients) connection.terminate();
    },
    size: () => open.length,
    close() {
      clearInterval(pings);
      for (const connection of server.clients) connection.terminate();
      server.close();
    },
  };
}

/** Good for one connection. */
function issueTicket(tickets: Set<string>): string {
  const ticket = randomBytes(16).toString("hex");
  tickets.add(ticket);
  return `${PATH}?ticket=${ticket}`;
}

function refuse(socket: Duplex): void {
  socket.end("HTTP/1.1 401 Unauthorized\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
}

function parse(text: string): Json | undefined {
  try {
    const message: unknown = JSON.parse(text);
    return isRecord(message) ? message : undefined;
  } catch {
    return undefined;
  }
}

function hello(connections: number): Json {
  return {
    type: "hello",
    num_connections: connections,
    debug_info: { host: "applink-1", build_number: 10, approximate_connection_time: 18_060 },
    connection_info: { app_id: APP_ID },
  };
}

function disconnect(reason: string): Json {
  return { type: "disconnect", reason, debug_info: { host: "applink-1" } };
}
