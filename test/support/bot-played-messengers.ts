import { createHmac } from "node:crypto";
import type { EdgeLog, EdgeOptions, MessengerEdge } from "../../src/bot/edge.ts";
import { createSlackBot } from "../../src/bot/slack/bot.ts";
import { createTelegramBot } from "../../src/bot/telegram/bot.ts";
import type { Desk, DeskAnswer, FormRequest } from "../../src/domain/desk.ts";
import { type InboundEvent, isDeskEvent } from "../../src/domain/inbound.ts";
import type { Delivery } from "../../src/domain/messenger.ts";
import { createClock } from "../../src/lib/clock.ts";
import type { Received } from "../../src/store/receive.ts";
import { openWorkspace } from "./slack-workspace.ts";
import { openTelegramWorld } from "./telegram-world.ts";

export interface ShownMessage {
  id: string;
  text: string;
  buttons: string[];
  /** Kinds in Telegram, names in Slack. */
  files: string[];
  threadId: string | null;
}

/** A file as a person sends it; `size` claims another one than the bytes have. */
export interface SentFile {
  name: string;
  mimeType: string;
  bytes?: Uint8Array;
  size?: number;
}

/** One messenger with its people, played the same way whichever it is. */
export interface PlayedMessenger {
  leadChat: string;
  operatorsChat: string;
  reviewChat: string;
  /** With an address events are delivered there, once `listen` was called. */
  create(options: EdgeOptions, but?: { badToken?: boolean; address?: string }): MessengerEdge;
  listen(address: string): Promise<void>;
  /** What the messenger would send to that address, with the given proof of who it is. */
  forge(address: string, body: string, proof: "right" | "wrong"): Promise<number>;
  /** The control API: plays people and moves the world. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of an HTTP API, looked into by tests
  play(path: string, body?: object): Promise<any>;
  /** A call of the messenger's own API in the bot's name. */
  call(method: string, body: Record<string, unknown>): Promise<void>;
  /** What the messenger has not got rid of. */
  waiting(): Promise<string[]>;
  /** The lead writes. */
  write(text: string): Promise<void>;
  /** The lead sends a file, under words if they like; the message's id. */
  sendFile(file: SentFile, words?: string): Promise<string>;
  /** Alice, an operator, presses a button; what she alone is told. */
  press(messageId: string, label: string): Promise<string | null>;
  /** Alice fills in what she was asked for. */
  fillIn(text: string): Promise<void>;
  command(text: string): Promise<void>;
  messages(chatId: string): Promise<ShownMessage[]>;
  fault(kind: string, details?: object): Promise<void>;
  /** The lead's last message is delivered a second time. */
  redeliver(): Promise<void>;
  /** The person stops the bot; only Telegram has it. */
  block(userId: string): Promise<void>;
  /** The first message of a thread in the review chat, or the topic, is deleted. */
  deleteThread(threadId: string): Promise<void>;
  close(): Promise<void>;
}

/** Proves to the bot that a delivery is the messenger's. */
export const DELIVERY_SECRET = "played-delivery-secret";

export async function playTelegram(): Promise<PlayedMessenger> {
  const world = await openTelegramWorld();
  const operators = -1002000000001;
  const alice = { chat_id: operators, user_id: 2001 };
  let lastUpdate: unknown;
  const shown = async (chatId: string) =>
    (await world.chat(Number(chatId))).map((message) => ({
      id: String(message.message_id),
      text: String(message.text ?? ""),
      fromBot: message.from_bot === true,
      buttons: (message.buttons as { label: string }[][]).flat().map(({ label }) => label),
      files: message.media ? [String(message.media)] : [],
      threadId: message.thread_id === undefined ? null : String(message.thread_id),
    }));
  return {
    leadChat: "1001",
    operatorsChat: String(operators),
    reviewChat: "-1002000000002",
    create: (options, but) =>
      createTelegramBot({
        ...options,
        token: but?.badToken ? "1:wrong" : (world.env.TELEGRAM_BOT_TOKEN ?? ""),
        apiRoot: world.env.TELEGRAM_API_ROOT ?? "",
        ...(but?.address === undefined
          ? {}
          : {
              webhook: {
                url: but.address,
                secret: async () => DELIVERY_SECRET,
                checkEveryMs: 20,
              },
            }),
      }),
    listen: async () => {}, // the bot has told its address itself
    async forge(address, body, proof) {
      const secret = proof === "right" ? DELIVERY_SECRET : "made-up";
      const headers = { "x-telegram-bot-api-secret-token": secret };
      return (await fetch(address, { method: "POST", headers, body })).status;
    },
    play: async (path, body) => (await world.play(path, body)).body,
    call: async (method, body) => void (await world.call(method, body)),
    async waiting() {
      const { body } = await world.get("/sandbox/api/idle?timeout_ms=0");
      return (body.waiting ?? []) as string[];
    },
    async write(text) {
      const said = { chat_id: 1001, user_id: 1001, text };
      lastUpdate = (await world.play("telegram/messages", said)).body.update_id;
    },
    async sendFile({ name, mimeType, bytes, size }, words) {
      const file = { base64: toBase64(bytes), file_size: size };
      const content = mimeType.startsWith("image/")
        ? { photo: file }
        : { document: { ...file, file_name: name, mime_type: mimeType } };
      const sent = { chat_id: 1001, user_id: 1001, ...content, caption: words };
      return String((await world.play("telegram/messages", sent)).body.message_id);
    },
    redeliver: async () => void (await world.play("telegram/redeliver", { update_id: lastUpdate })),
    async press(messageId, label) {
      const pressed = { ...alice, message_id: Number(messageId), label };
      const { body } = await world.play("telegram/buttons", pressed);
      const answer = body.answer as { text?: string } | null;
      return answer?.text ?? null;
    },
    async fillIn(text) {
      const prompt = (await shown(String(operators))).filter((message) => message.fromBot).at(-1);
      const reply = { ...alice, text, reply_to_message_id: Number(prompt?.id) };
      await world.play("telegram/messages", reply);
    },
    command: async (text) => void (await world.play("telegram/messages", { ...alice, text })),
    messages: async (chatId) => (await shown(chatId)).filter((message) => message.fromBot),
    fault: async (kind, details) =>
      void (await world.play("faults", { service: "telegram", kind, count: 1, ...details })),
    block: async (userId) =>
      void (await world.play("telegram/block", { user_id: Number(userId), blocked: true })),
    async deleteThread(threadId) {
      const topic = { chat_id: -1002000000002, message_thread_id: Number(threadId) };
      await world.call("deleteForumTopic", topic);
    },
    close: () => world.stop(),
  };
}

export async function playSlack(): Promise<PlayedMessenger> {
  const workspace = await openWorkspace();
  const alice = { channel: "C0OPERATORS", user: "U0ALICE" };
  const env = workspace.sandbox.env();
  let lastEvent: unknown;
  return {
    leadChat: "D0LEAD",
    operatorsChat: "C0OPERATORS",
    reviewChat: "C0REVIEW",
    create: (options, but) =>
      createSlackBot({
        ...options,
        botToken: but?.badToken ? "xoxb-wrong" : (env.SLACK_BOT_TOKEN ?? ""),
        way:
          but?.address === undefined
            ? { kind: "socket", appToken: env.SLACK_APP_TOKEN ?? "" }
            : { kind: "http", signingSecret: DELIVERY_SECRET },
        apiUrl: env.SLACK_API_URL ?? "",
      }),
    async listen(url) {
      const target = { url, signing_secret: DELIVERY_SECRET };
      const { verified } = await workspace.control("slack/request-url", target);
      if (!verified) throw new Error("the bot did not send the challenge back");
    },
    async forge(address, body, proof) {
      const secret = proof === "right" ? DELIVERY_SECRET : "made-up";
      const headers = { "content-type": "application/json", ...signedForSlack(secret, body) };
      return (await fetch(address, { method: "POST", headers, body })).status;
    },
    play: (path, body) => workspace.control(path, body ?? {}),
    call: async (method, body) => void (await workspace.web.apiCall(method, body)),
    waiting: async () => workspace.waiting(),
    async write(text) {
      const said = { channel: "D0LEAD", user: "U0LEAD", text };
      lastEvent = (await workspace.control("slack/messages", said)).event_id;
    },
    async sendFile({ name, mimeType, bytes, size }, text) {
      const files = [{ name, mimetype: mimeType, base64: toBase64(bytes), size }];
      const sent = { channel: "D0LEAD", user: "U0LEAD", text, files };
      return (await workspace.control("slack/messages", sent)).ts;
    },
    redeliver: async () =>
      void (await workspace.control("slack/redeliver", { event_id: lastEvent })),
    async press(messageId, label) {
      const { answer, responses } = await workspace.control("slack/buttons", {
        ...alice,
        ts: messageId,
        label,
      });
      return answer?.text ?? responses?.[0]?.text ?? null;
    },
    async fillIn(text) {
      const [view] = await workspace.control("slack/views");
      await workspace.control(`slack/views/${view.id}/submit`, {
        user: "U0ALICE",
        values: { Reason: text },
      });
    },
    async command(text) {
      const [command, ...rest] = text.split(" ");
      await workspace.control("slack/commands", { ...alice, command, text: rest.join(" ") });
    },
    async messages(chatId) {
      const all = await workspace.messages(chatId);
      return all
        .filter((message) => message.user === "U0BOT" && !message.ephemeral_for)
        .map((message) => ({
          id: message.ts,
          text: message.text,
          buttons: (message.buttons as { label: string }[]).map(({ label }) => label),
          files: ((message.files ?? []) as { name: string }[]).map(({ name }) => name),
          threadId: message.thread_ts ?? null,
        }));
    },
    fault: async (kind, details) => workspace.fault({ kind: kind as "down", count: 1, ...details }),
    block: async () => {},
    deleteThread: async (ts) => void (await workspace.web.chat.delete({ channel: "C0REVIEW", ts })),
    close: () => workspace.close(),
  };
}

/** The headers of Slack's signature. */
export function signedForSlack(
  secret: string,
  body: string,
  at = Date.now(),
): Record<string, string> {
  const stamp = String(Math.floor(at / 1000));
  const mac = createHmac("sha256", secret).update(`v0:${stamp}:${body}`).digest("hex");
  return { "x-slack-request-timestamp": stamp, "x-slack-signature": `v0=${mac}` };
}

function toBase64(bytes: Uint8Array | undefined): string | undefined {
  return bytes && Buffer.from(bytes).toString("base64");
}

/** What stands behind an edge: keeps what came in, once each, and answers as it is told. */
export class Backstage {
  readonly events: InboundEvent[] = [];
  readonly logged: string[] = [];
  answer: DeskAnswer | null = { text: "noted" };
  form: FormRequest | null = null;
  formErrors: Record<string, string> = {};
  /** Errors that the next stores end with. */
  storeFails: Error[] = [];
  readonly handled: string[] = [];
  readonly #ids = new Map<string, string>();

  options(): EdgeOptions {
    const line = (_: object, message: string) => void this.logged.push(message);
    const log: EdgeLog = { info: line, warn: line, error: line };
    return {
      channelId: "channel-1",
      tenantId: "tenant-1",
      receive: (event) => this.#receive(event),
      desk: this.#desk(),
      clock: createClock(),
      log,
      isCommand: (name) => name === "pending",
    };
  }

  /** Waits until so many events came in. */
  reach(count: number): Promise<InboundEvent[]> {
    return until(() => (this.events.length >= count ? this.events : undefined));
  }

  async #receive(event: InboundEvent): Promise<Received> {
    const failure = this.storeFails.shift();
    if (failure) throw failure;
    const known = this.#ids.get(event.eventKey);
    if (known) return { kind: "duplicate", inboxId: known, answer: this.answer };
    const inboxId = `inbox-${this.events.length}`;
    this.#ids.set(event.eventKey, inboxId);
    this.events.push(event);
    return { kind: isDeskEvent(event) ? "desk" : "run", inboxId };
  }

  #desk(): Desk {
    return {
      formFor: async () => this.form,
      checkForm: () => this.formErrors,
      handle: async ({ inboxId }) => {
        this.handled.push(inboxId);
        return this.answer;
      },
    };
  }
}

/** Looks again and again until there is something, for at most ten seconds. */
export async function until<T>(look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const giveUpAt = Date.now() + 10_000;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > giveUpAt) throw new Error("what was waited for did not happen");
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

export function delivery(
  chatId: string,
  content: Delivery["content"],
  over: Partial<Delivery> = {},
): Delivery & { parts: string[] } {
  const parts: string[] = [];
  return {
    outboxId: "outbox-1",
    chatId,
    threadId: null,
    content,
    sentParts: [],
    onPart: async (id) => void parts.push(id),
    onStep: async () => {},
    parts,
    ...over,
  };
}
