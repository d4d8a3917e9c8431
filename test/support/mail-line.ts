import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

/** What is said at each step; null hangs up without a word, undefined says nothing for ever. */
export interface MailScript {
  greeting?: string | null;
  ehlo?: string | null;
  auth?: string | null;
  mail?: string | null;
  rcpt?: string | null;
  data?: string | null;
  /** After the final dot. */
  end?: string | null | undefined;
}

const WELL = {
  greeting: "220 mail.test ready",
  ehlo: "250-mail.test\r\n250 AUTH PLAIN LOGIN",
  auth: "235 welcome",
  mail: "250 ok",
  rcpt: "250 ok",
  data: "354 go on",
  end: "250 2.0.0 taken as 77",
};

/** A mail server that says exactly what a test wants, also what no server should. */
export async function openMailLine(script: MailScript = {}) {
  const replies = { ...WELL, ...script };
  const heard: string[] = [];
  const messages: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {}); // the client may hang up as it likes
    talk(socket, { replies, heard, messages });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP listener has no path
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    /** The commands, as they came. */
    heard,
    /** Whole messages with headers. */
    messages,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

interface Talk {
  replies: MailScript;
  heard: string[];
  messages: string[];
}

function talk(socket: Socket, { replies, heard, messages }: Talk): void {
  let isMessage = false;
  let lines: string[] = [];
  let rest = "";
  const say = (reply: string | null | undefined) => {
    if (reply === null) socket.destroy();
    else if (reply !== undefined) socket.write(`${reply}\r\n`);
  };
  const take = (line: string) => {
    if (!isMessage) {
      heard.push(line);
      const reply = replies[stepOf(line)];
      if (/^DATA/i.test(line)) isMessage = reply?.startsWith("3") ?? false;
      return say(reply);
    }
    if (line !== ".") return void lines.push(line);
    isMessage = false;
    messages.push(lines.join("\n"));
    lines = [];
    say(replies.end);
  };
  socket.on("data", (chunk) => {
    const whole = (rest + chunk.toString("latin1")).split("\r\n");
    rest = whole.pop() ?? "";
    for (const line of whole) take(line);
  });
  say(replies.greeting);
}

function stepOf(line: string): keyof MailScript {
  if (/^AUTH/i.test(line)) return "auth";
  if (/^MAIL/i.test(line)) return "mail";
  if (/^RCPT/i.test(line)) return "rcpt";
  return /^DATA/i.test(line) ? "data" : "ehlo";
}
