import { Readable } from "node:stream";
import SMTPConnection, { type SMTPConnectionSendInfo } from "nodemailer/lib/smtp-connection";
import { parseSender, type Sender } from "../../domain/email-address.ts";
import { messageOf } from "../../domain/errors.ts";
import type { Outside } from "../outside.ts";
import { composeLetter, type Letter, messageIdOf } from "./letter.ts";
import { judgeFailure, type MailFailure } from "./mail-failure.ts";
import { type MailServer, mailServerOf } from "./mail-server.ts";

/** `accepted`: the next server took it. Whether anybody gets it nobody here ever learns. */
export type MailOutcome = { kind: "accepted"; messageId: string } | MailFailure;

/** Neither call throws or retries: whether to send again is decided by whoever keeps the books. */
export interface MailClient {
  /** Whom letters come from. */
  sender: string;
  send(letter: Letter, signal: AbortSignal, outside?: Outside): Promise<MailOutcome>;
  /** Connects and logs in; nothing is sent. null: all is well. */
  check(signal: AbortSignal): Promise<MailFailure | null>;
}

/** `timeoutMs` is real time; `url` may hold a password and is never logged. */
export interface MailClientOptions {
  url: string;
  /** `Name <address>`, or the address alone. */
  from: string;
  /** Of the whole conversation with the server. Shorter than the tool's own limit. */
  timeoutMs: number;
}

/** The name in logs of outside calls and in the table of prices. */
export const MAIL_PROVIDER = "mail";

/**
 * A connection for each letter. Throws on a sender that is none: that is for the start to find out.
 */
export function createMailClient({ url, from, timeoutMs }: MailClientOptions): MailClient {
  const server = mailServerOf(url);
  const sender = parseSender(from);
  if (!sender) throw new Error(`"${from}" is no sender of mail`);
  const limit = (signal: AbortSignal) => AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  return {
    sender: from,
    send: (letter, signal, outside) => send(letter, { server, sender, outside }, limit(signal)),
    async check(signal) {
      const line = openLine(server, limit(signal));
      try {
        await line.ready();
        return null;
      } catch (error) {
        return judgeFailure(error, false);
      } finally {
        line.close();
      }
    },
  };
}

interface Sending {
  server: MailServer;
  sender: Sender;
  outside: Outside | undefined;
}

async function send(
  letter: Letter,
  { server, sender, outside }: Sending,
  signal: AbortSignal,
): Promise<MailOutcome> {
  const progress = { isBegun: false };
  const message = await composeLetter(letter, sender);
  const asked = { provider: MAIL_PROVIDER, method: "DATA", endpoint: "/", body: message };
  const tell = outside?.begin(asked);
  const line = openLine(server, signal);
  try {
    await line.ready();
    const { response } = await line.deliver(
      { from: sender.address, to: letter.to, size: message.length },
      Readable.from(oncePulled(message, () => (progress.isBegun = true))),
    );
    tell?.({ status: 250, body: response });
    return { kind: "accepted", messageId: messageIdOf(letter, sender) };
  } catch (error) {
    const failure = judgeFailure(error, progress.isBegun);
    if (failure.status !== null) tell?.({ status: failure.status, body: messageOf(error) });
    return failure;
  } finally {
    line.close();
  }
}

/** The library pulls the message only after the server has asked for it. */
function* oncePulled(message: Buffer, told: () => void): Generator<Buffer> {
  told();
  yield message;
}

/** One conversation with the server; broken off, each of its steps rejects. */
function openLine(server: MailServer, signal: AbortSignal) {
  const connection = new SMTPConnection(server.connection);
  const broken = new Promise<never>((_resolve, reject) => {
    connection.on("error", reject); // stays: a late error without a listener would end the process
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  });
  broken.catch(() => {}); // told by the step that is under way
  const step = <T>(begin: (done: (error: Error | null | undefined, result?: T) => void) => void) =>
    Promise.race([
      broken,
      new Promise<T>((resolve, reject) => {
        begin((error, result) => (error ? reject(error) : resolve(result as T))); // one of the two is given
      }),
    ]);
  return {
    async ready(): Promise<void> {
      await step<void>((done) => connection.connect(done));
      const { login } = server;
      if (login && connection.allowsAuth)
        await step<boolean>((done) => connection.login(login, done));
    },
    deliver: (envelope: { from: string; to: string; size: number }, message: Readable) =>
      step<SMTPConnectionSendInfo>((done) => connection.send(envelope, message, done)),
    close: () => connection.close(),
  };
}
