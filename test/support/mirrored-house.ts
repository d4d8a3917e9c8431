import type { Messenger } from "../../src/domain/messenger.ts";
import { createClock, type ShiftableClock } from "../../src/lib/clock.ts";
import { createOutbound, type Outbound } from "../../src/outbound/deliver.ts";
import type { Database } from "../../src/store/database.ts";
import { type Tx, withTenant } from "../../src/store/db.ts";
import { type Destination, upsertDestination } from "../../src/store/destinations.ts";
import type { MirroredTurn } from "../../src/store/mirror.ts";
import { type OutgoingRow, writeOutgoing } from "../../src/store/outbox.ts";
import { macOf } from "../../src/store/row-mac.ts";
import { contacts, conversations, messages, outbox } from "../../src/store/schema/chat.ts";
import { addMessage } from "../../src/store/transcript.ts";
import { Backstage, type PlayedMessenger } from "./bot-played-messengers.ts";

const tenantId = "t1";

/** A tenant with one bot account, its review chat, and leads whose turns are written as runs do. */
export interface MirroredHouse {
  played: PlayedMessenger;
  messenger: Messenger;
  clock: ShiftableClock;
  outbound: Outbound;
  inTenant<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** The chat also serves this. */
  serves(purpose: "review" | "operators", chatId?: string): Promise<void>;
  /** Somebody nobody has seen before; the id of their conversation. */
  lead(name: string, chatId?: string): Promise<string>;
  /** The lead writes; the message's place. */
  says(lead: string, text: string): Promise<number>;
  /** The bot answers what the lead wrote up to a place; the reply's message id. */
  replies(lead: string, text: string, turn: MirroredTurn): Promise<string>;
  turn(lead: string, asked: string, answer: string): Promise<string>;
  write(...rows: OutgoingRow[]): Promise<string[]>;
  rows(): Promise<(typeof outbox.$inferSelect)[]>;
  /** Works until nothing is due. */
  drain(forwardMs?: number): Promise<void>;
  close(): Promise<void>;
}

export async function openHouse(
  database: Database,
  play: () => Promise<PlayedMessenger>,
): Promise<MirroredHouse> {
  const played = await play();
  const { messenger } = played.create(new Backstage().options());
  const clock = createClock();
  const log = { info() {}, warn() {}, error() {} };
  const messengers = new Map([[messenger.channelId, messenger]]);
  const outbound = createOutbound({ db: database.db, clock, messengers, log });
  const inTenant: MirroredHouse["inTenant"] = (work) => withTenant(database.db, tenantId, work);
  const jobs = { enqueue: async () => {}, wakeDelivery: () => outbound.wake() };
  const write = (tx: Tx, rows: OutgoingRow[]) =>
    writeOutgoing(tx, { jobs, tenantId, now: clock.now() }, rows);
  let known = 0;
  const house: MirroredHouse = {
    ...{ played, messenger, clock, outbound, inTenant },
    async serves(purpose, chatId = played.reviewChat) {
      const { channelId, name } = messenger;
      const place: Destination = { channelId, messenger: name, chatId };
      await inTenant((tx) =>
        upsertDestination(tx, { ...place, tenantId, purpose, now: clock.now() }),
      );
    },
    async lead(name, chatId) {
      known += 1;
      const id = `${Date.now()}-${known}`;
      const at = { createdAt: clock.now() };
      await inTenant(async (tx) => {
        await tx.insert(contacts).values({ id: `k-${id}`, tenantId, name, ...at });
        const place = {
          ...{ id, tenantId, contactId: `k-${id}`, chatId: chatId ?? `gone-${id}` },
          ...{ channelId: messenger.channelId, messenger: messenger.name },
        };
        await tx.insert(conversations).values({
          ...{ ...place, mac: macOf(tx, "conversations", place), language: "en" as const },
          ...{ ...at, updatedAt: clock.now() },
        });
      });
      return id;
    },
    says: (lead, text) =>
      inTenant(async (tx) => {
        const row = { author: "lead" as const, kind: "text" as const, text, tenantId };
        const id = `m-${crypto.randomUUID()}`;
        const added = await tx
          .insert(messages)
          .values({ id, conversationId: lead, createdAt: clock.now(), ...row })
          .returning({ seq: messages.seq });
        return added[0]?.seq ?? 0;
      }),
    replies: (lead, text, mirror) =>
      inTenant(async (tx) => {
        const row = { author: "bot" as const, kind: "text" as const, text, tenantId, runId: null };
        const message = await addMessage(tx, { conversationId: lead, now: clock.now(), ...row });
        const rows = await tx.select().from(conversations);
        const chat = rows.find(({ id }) => id === lead);
        const { channelId = "", chatId = "" } = chat ?? {};
        await write(tx, [
          {
            ...{ channelId, chatId, purpose: "reply", conversationId: lead, mirror },
            ...{ content: { kind: "text", text }, messageId: message.id },
          },
        ]);
        return message.id;
      }),
    async turn(lead, asked, answer) {
      const upToSeq = await house.says(lead, asked);
      return house.replies(lead, answer, { upToSeq, calls: [] });
    },
    write: (...rows) => inTenant((tx) => write(tx, rows)),
    rows: () => inTenant((tx) => tx.select().from(outbox).orderBy(outbox.seq)),
    async drain(forwardMs = 0) {
      while ((await outbound.runOnce()) > 0) clock.setOffset(clock.offsetMs + forwardMs);
    },
    async close() {
      await outbound.stop();
      await played.close();
    },
  };
  return house;
}
