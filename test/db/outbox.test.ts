import { eq } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Messenger, Outgoing } from "../../src/domain/messenger.ts";
import { createClock } from "../../src/lib/clock.ts";
import { createOutbound, type Outbound, type OutboundOptions } from "../../src/outbound/deliver.ts";
import { type Database, openEmbedded, prepareDatabase } from "../../src/store/database.ts";
import { withTenant } from "../../src/store/db.ts";
import { upsertDestination } from "../../src/store/destinations.ts";
import { type OutgoingRow, resendUncertain, writeOutgoing } from "../../src/store/outbox.ts";
import { claimDelivery } from "../../src/store/outbox-claim.ts";
import { approvalCards } from "../../src/store/schema/approvals.ts";
import { contacts, conversations, outbox } from "../../src/store/schema/chat.ts";
import { destinations } from "../../src/store/schema/tenancy.ts";
import {
  Backstage,
  type PlayedMessenger,
  playSlack,
  playTelegram,
  until,
} from "../support/bot-played-messengers.ts";
import { withTestKey } from "../support/row-key.ts";

const tenantId = "t1";
const quiet = { info() {}, warn() {}, error() {} };
let database: Database;
let clock = createClock();
let played: PlayedMessenger;
let messenger: Messenger;
let outbound: Outbound;

beforeAll(async () => {
  database = withTestKey(await openEmbedded({ dir: null, durable: false }));
  await prepareDatabase(database, "sandbox");
});
afterAll(() => database.close());

async function open(play: () => Promise<PlayedMessenger>): Promise<void> {
  played = await play();
  messenger = played.create(new Backstage().options()).messenger;
  clock = createClock();
  outbound = makeOutbound();
}

afterEach(async () => {
  await outbound.stop();
  await played.close();
  await inTenant((tx) => tx.delete(outbox));
});

function makeOutbound(over: Partial<OutboundOptions> = {}): Outbound {
  const messengers = new Map([[messenger.channelId, messenger]]);
  return createOutbound({ db: database.db, clock, messengers, log: quiet, ...over });
}

function inTenant<T>(work: Parameters<typeof withTenant<T>>[2]): Promise<T> {
  return withTenant(database.db, tenantId, work);
}

function row(content: Outgoing | string, over: Partial<OutgoingRow> = {}): OutgoingRow {
  return {
    channelId: messenger.channelId,
    chatId: played.leadChat,
    purpose: "reply",
    content: typeof content === "string" ? { kind: "text", text: content } : content,
    ...over,
  };
}

function card(id: string, over: Partial<OutgoingRow> = {}): OutgoingRow {
  const content = cardContent();
  return row(content, { id, purpose: "card", chatId: played.operatorsChat, ...over });
}

function cardContent(outcome?: string): Extract<Outgoing, { kind: "card" }> {
  const buttons = [{ label: "Approve", action: "approve", value: "a-1" }];
  return { kind: "card", card: { title: "Payout", facts: [], footer: [], buttons, outcome } };
}

function write(...rows: OutgoingRow[]): Promise<string[]> {
  const jobs = { enqueue: async () => {}, wakeDelivery: () => outbound.wake() };
  return inTenant((tx) => writeOutgoing(tx, { jobs, tenantId, now: clock.now() }, rows));
}

async function stored(id: string) {
  const rows = await inTenant((tx) => tx.select().from(outbox).where(eq(outbox.id, id)));
  if (!rows[0]) throw new Error(`no row ${id}`);
  return rows[0];
}

async function texts(chatId: string): Promise<string[]> {
  return (await played.messages(chatId)).map((message) => message.text);
}

/** Works until nothing is due; `forwardMs` moves the clock before each further look. */
async function drain(forwardMs = 0): Promise<void> {
  while ((await outbound.runOnce()) > 0) clock.setOffset(clock.offsetMs + forwardMs);
}

describe("a Telegram chat", () => {
  beforeEach(() => open(playTelegram), 30_000);

  test("gets its messages in the order they were written", async () => {
    await write(row("one"), row("two"), row("three"));
    await drain();
    expect(await texts("1001")).toEqual(["one", "two", "three"]);
  });

  test("wakes the loop, which sends without anybody asking", async () => {
    await outbound.start();
    const [id = ""] = await write(row("hello"));
    await until(async () => (await stored(id)).status === "sent" || undefined);
    expect(await texts("1001")).toEqual(["hello"]);
    expect((await stored(id)).externalIds).toHaveLength(1);
  });

  test("waits as long as Telegram asks, also in the next process, and keeps the order", async () => {
    await played.fault("status", { status: 429, retry_after: 3600 });
    await write(row("first"), row("second"));
    await drain();
    outbound = makeOutbound({ alone: true });
    clock.setOffset(3_599_000);
    await drain();
    expect(await texts("1001")).toEqual([]);
    clock.setOffset(3_601_000);
    await drain();
    expect(await texts("1001")).toEqual(["first", "second"]);
  });

  test("sees a reply once when the answer was lost, and the next reply after it", async () => {
    await played.fault("drop_response_after_effect");
    const [lost = "", next = ""] = await write(row("lost"), row("next"));
    await drain(5000);
    expect(await texts("1001")).toEqual(["lost", "next"]);
    expect((await stored(lost)).status).toBe("uncertain");
    expect((await stored(next)).status).toBe("sent");
  });

  test("gets an uncertain reply again only when a person asks for it", async () => {
    await played.fault("drop_response_after_effect");
    const [id = ""] = await write(row("lost"));
    await drain(5000);
    const jobs = { enqueue: async () => {}, wakeDelivery: () => {} };
    const ask = () =>
      inTenant((tx) => resendUncertain(tx, { jobs, tenantId, now: clock.now() }, id));
    expect(await ask()).toBe(true);
    expect(await ask()).toBe(false);
    await drain();
    expect(await texts("1001")).toEqual(["lost", "lost"]);
    expect((await stored(id)).status).toBe("sent");
  });

  test("gets a card once more after a lost answer, and not a third time", async () => {
    await played.fault("drop_response_after_effect", { count: 5 });
    await write(card("card-lost"));
    await drain(5000);
    expect(await texts(played.operatorsChat)).toHaveLength(2);
    expect((await stored("card-lost")).status).toBe("uncertain");
  });

  test("keeps where a card stands, and edits it there", async () => {
    await write(
      card("card-1", { approvalId: "a-1" }),
      row(
        { kind: "card_edit", card: cardContent("Approved by Alice").card, cardOutboxId: "card-1" },
        { purpose: "card_edit", chatId: played.operatorsChat },
      ),
    );
    await drain();
    const [shown, ...others] = await played.messages(played.operatorsChat);
    expect(others).toEqual([]);
    expect(shown).toMatchObject({ buttons: [], text: expect.stringContaining("Approved by") });
    const cards = await inTenant((tx) => tx.select().from(approvalCards));
    expect(cards).toMatchObject([{ approvalId: "a-1", externalId: shown?.id }]);
  });

  test("drops the edit of a card that was never sent", async () => {
    const lost = card("card-2", { chatId: "777777" });
    const [, edit = ""] = await write(
      lost,
      row(
        { kind: "card_edit", card: cardContent("Rejected").card, cardOutboxId: "card-2" },
        { purpose: "card_edit", chatId: played.operatorsChat },
      ),
    );
    await drain(5000);
    expect((await stored("card-2")).status).toBe("failed");
    expect((await stored(edit)).status).toBe("cancelled");
  });

  test("of a lead who blocked the bot is left alone, others are not", async () => {
    await inTenant(async (tx) => {
      const at = clock.now();
      await tx.insert(contacts).values({ id: "c1", tenantId, name: "Lena", createdAt: at });
      const place = { channelId: messenger.channelId, messenger: "telegram" as const };
      await tx.insert(conversations).values({
        ...{ id: "v1", tenantId, contactId: "c1", chatId: "1001", language: "en" as const },
        ...{ ...place, createdAt: at, updatedAt: at },
      });
    });
    await played.block("1001");
    const [first = "", second = ""] = await write(row("a"), row("b"), card("card-3"));
    await drain();
    expect((await stored(first)).status).toBe("failed");
    expect((await stored(second)).status).toBe("cancelled");
    expect((await stored("card-3")).status).toBe("sent");
    const known = await inTenant((tx) => tx.select().from(contacts));
    expect(known[0]?.blockedAt).not.toBeNull();
  });

  test("that moved gets its card once, under the new id", async () => {
    const place = { channelId: messenger.channelId, messenger: "telegram" as const };
    const purpose = "operators" as const;
    await inTenant((tx) =>
      upsertDestination(tx, { ...place, tenantId, chatId: "-4001", purpose, now: clock.now() }),
    );
    const moved = movingMessenger(messenger, { from: "-4001", to: played.operatorsChat });
    outbound = makeOutbound({ messengers: new Map([[messenger.channelId, moved]]) });
    await write(card("card-4", { chatId: "-4001" }));
    await drain();
    expect(await texts(played.operatorsChat)).toHaveLength(1);
    const places = await inTenant((tx) => tx.select().from(destinations));
    expect(places).toMatchObject([{ chatId: played.operatorsChat }]);
  });

  test("gets the code in a text whose row does not hold it", async () => {
    outbound = makeOutbound({ decryptCode: async (_, orderId) => `CODE-${orderId}` });
    const [id = ""] = await write(
      row({ kind: "secret_text", text: "Code: {secret}", orderId: "o1" }),
    );
    await drain();
    expect(await texts("1001")).toEqual(["Code: CODE-o1"]);
    expect(JSON.stringify(await stored(id))).not.toContain("CODE-");
  });

  test("is never served by two workers at once", async () => {
    const [first = "", second = ""] = await write(row("one"), row("two"));
    const claim = (id: string, leaseToken: string) =>
      claimDelivery(database.db, {
        ...{ tenantId, id, leaseToken, now: clock.now(), realNow: Date.now() },
      });
    expect(await claim(second, "w0")).toBeNull();
    expect(await claim(first, "w1")).toMatchObject({ uncertain: false });
    expect(await claim(first, "w2")).toBeNull();
    expect(await outbound.runOnce()).toBe(0);
  });

  test("after a kill while a reply was being sent the reply stays uncertain", async () => {
    const [id = "", next = ""] = await write(row("was it sent?"), row("next"));
    const claim = { tenantId, id, leaseToken: "dead", now: clock.now(), realNow: Date.now() };
    await claimDelivery(database.db, claim);
    outbound = makeOutbound({ alone: true });
    await outbound.start();
    await until(async () => (await stored(next)).status === "sent" || undefined);
    expect((await stored(id)).status).toBe("uncertain");
    expect(await texts("1001")).toEqual(["next"]);
  });
});

describe("a Slack channel", () => {
  beforeEach(() => open(playSlack), 30_000);

  test("has a message once although the answer was lost", async () => {
    await played.fault("drop_response_after_effect");
    const [id = ""] = await write(row("hello & <bye>"));
    await drain(5000);
    const shown = await played.messages("D0LEAD");
    expect(shown).toHaveLength(1);
    expect(await stored(id)).toMatchObject({ status: "sent", externalIds: [shown[0]?.id] });
  });

  test("gets the message that a killed process did not send", async () => {
    const [id = ""] = await write(row("never left"));
    const claim = { tenantId, id, leaseToken: "dead", now: clock.now(), realNow: Date.now() };
    await claimDelivery(database.db, claim);
    outbound = makeOutbound({ alone: true });
    await outbound.start();
    await until(async () => (await stored(id)).status === "sent" || undefined);
    expect(await texts("D0LEAD")).toEqual(["never left"]);
  });

  test("goes on after the part whose answer was lost", async () => {
    await played.fault("drop_response_after_effect");
    const [id = ""] = await write(row(`${"a".repeat(3000)}\n\n${"b".repeat(3000)}`));
    await drain(5000);
    expect(await texts("D0LEAD")).toEqual(["a".repeat(3000), "b".repeat(3000)]);
    expect((await stored(id)).externalIds).toHaveLength(2);
  });
});

/** The group became a supergroup: its old id answers with the new one. */
function movingMessenger(real: Messenger, move: { from: string; to: string }): Messenger {
  return {
    ...real,
    deliver: async (delivery, signal) =>
      delivery.chatId === move.from
        ? { kind: "moved", chatId: move.to }
        : real.deliver(delivery, signal),
  };
}
