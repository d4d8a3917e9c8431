import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { Hono } from "hono";
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from "smtp-server";
import type { Fault } from "./faults.ts";
import { readMail } from "./mail-text.ts";
import type { World, WorldPart } from "./world.ts";

const MAIL_FROM = "Countersign sandbox <bot@sandbox.example>";
const MAX_MAIL_BYTES = 10_000_000;

interface Mail {
  from: string;
  to: string;
  subject: string;
  text: string;
  message_id: string;
  at: number;
}

/**
 * Plays a mail server on a port of its own: everything sent is kept, nothing leaves. `wishedPort`: 0
 * takes any.
 */
export function createSmtpPart(world: World, wishedPort = 0): WorldPart {
  let mails: Mail[] = [];
  const mailbox = createMailbox(world, wishedPort);
  return {
    name: "smtp",
    apply(event) {
      if (event.kind === "world.reset") mails = [];
      if (event.kind === "smtp.mail") mails.push({ ...(event.data as Mail), at: event.at });
    },
    rootControl: new Hono().get("/mail", (c) => c.json(mails)),
    waiting: () => mailbox.waiting(),
    env: () => ({ SMTP_URL: `smtp://127.0.0.1:${mailbox.port()}`, MAIL_FROM }),
    start: () => mailbox.start(),
    stop: () => mailbox.stop(),
  };
}

interface Mailbox {
  port(): number;
  waiting(): string[];
  start(): Promise<void>;
  stop(): Promise<void>;
}

function createMailbox(world: World, wishedPort: number): Mailbox {
  const sockets = new Map<number, Socket>();
  const timers = new Set<NodeJS.Timeout>();
  let receiving = 0;
  const smtp = createSmtp(async (stream, session) => {
    receiving += 1;
    try {
      await receive(stream, session, { world, sockets, timers });
    } finally {
      receiving -= 1;
    }
  });
  const listener = createServer((socket) => accept(socket, { world, sockets, smtp }));
  return {
    port: () => portOf(listener),
    waiting: () => (receiving > 0 ? [`mail: ${receiving} being received`] : []),
    start: () => listenAt(listener, wishedPort),
    stop: () =>
      new Promise((resolve) => {
        for (const timer of timers) clearTimeout(timer);
        for (const socket of sockets.values()) socket.destroy();
        listener.close(() => resolve());
      }),
  };
}

/** At the wished port, or at any free one when that is taken. */
async function listenAt(listener: Server, wishedPort: number): Promise<void> {
  const listening = (port: number) =>
    new Promise<void>((resolve, reject) => {
      listener.once("error", reject);
      listener.listen(port, "127.0.0.1", () => {
        listener.off("error", reject);
        resolve();
      });
    });
  try {
    await listening(wishedPort);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE" || wishedPort === 0) throw error;
    await listening(0);
  }
}

function portOf(listener: Server): number {
  const address = listener.address() as AddressInfo | null; // a TCP listener has no path
  if (!address) throw new Error("The sandbox mail server has no port before start()");
  return address.port;
}

type Receive = (stream: SMTPServerDataStream, session: SMTPServerSession) => Promise<void>;

function createSmtp(receive: Receive): SMTPServer {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    disableReverseLookup: true,
    logger: false,
    size: MAX_MAIL_BYTES,
    onAuth: (auth, _session, callback) => callback(null, { user: auth.username ?? "sandbox" }),
    onData(stream, session, callback) {
      receive(stream, session).then(
        () => callback(null),
        (error: Error) => callback(error),
      );
    },
  });
  server.on("error", () => {}); // a client that hangs up is the client's matter
  return server;
}

/** A server that is down resets the connection before its greeting. */
function accept(
  socket: Socket,
  { world, sockets, smtp }: { world: World; sockets: Map<number, Socket>; smtp: SMTPServer },
): void {
  socket.on("error", () => {});
  if (world.faults.take("smtp", ["down"])) {
    socket.resetAndDestroy();
    return;
  }
  const port = socket.remotePort ?? 0;
  sockets.set(port, socket);
  socket.once("close", () => sockets.delete(port));
  smtp.connect(socket);
}

interface Reception {
  world: World;
  sockets: Map<number, Socket>;
  timers: Set<NodeJS.Timeout>;
}

/** Resolves for 250 and rejects with `responseCode` otherwise; faults hit whole messages only. */
async function receive(
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
  { world, sockets, timers }: Reception,
): Promise<void> {
  const raw = await readAll(stream);
  const socket = sockets.get(session.remotePort);
  const fault = world.faults.take("smtp", [
    "status",
    "timeout",
    "latency",
    "drop_response_after_effect",
  ]);
  if (fault?.kind === "status") throw refusal(fault);
  if (fault?.kind === "latency") await wait(fault.delay_ms ?? 1000, { socket, timers });
  if (fault?.kind === "timeout") {
    await wait(fault.delay_ms ?? 600_000, { socket, timers });
    socket?.destroy();
    return;
  }
  world.journal.append("smtp.mail", mailOf(raw, session));
  if (fault?.kind === "drop_response_after_effect") socket?.destroy();
}

async function readAll(stream: SMTPServerDataStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer); // the stream is in byte mode
  return Buffer.concat(chunks).toString("latin1");
}

function refusal(fault: Fault): Error {
  const status = fault.status ?? 451;
  const text = status >= 500 ? "5.7.1 Message refused" : "4.3.2 Try again later";
  return Object.assign(new Error(text), { responseCode: status });
}

function mailOf(raw: string, session: SMTPServerSession): Omit<Mail, "at"> {
  const { mailFrom, rcptTo } = session.envelope;
  const read = readMail(raw);
  return {
    from: mailFrom ? mailFrom.address : "",
    to: rcptTo.map((recipient) => recipient.address).join(", "),
    subject: read.subject,
    text: read.text,
    message_id: read.messageId,
  };
}

function wait(
  ms: number,
  { socket, timers }: { socket?: Socket; timers: Set<NodeJS.Timeout> },
): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    timers.add(timer);
    socket?.once("close", done);
    function done() {
      clearTimeout(timer);
      timers.delete(timer);
      resolve();
    }
  });
}
