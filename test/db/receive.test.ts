import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ClickEvent, MembershipEvent, MessageEvent } from "../../src/domain/inbound.ts";
import type { Database } from "../../src/store/database.ts";
import { withOwner, withTenant } from "../../src/store/db.ts";
import { finishInbox } from "../../src/store/inbox.ts";
import { type ReceiveContext, receive } from "../../src/store/receive.ts";
import { contacts, conversations, inbox, messages } from "../../src/store/schema/chat.ts";
import { runs } from "../../src/store/schema/runs.ts";
import { createStaff } from "../../src/store/staff.ts";
import { ensureTenant } from "../../src/store/tenants.ts";
import { forEachEngine } from "../support/database.ts";
import { createRecordedJobs } from "../support/recorded-jobs.ts";

const COALESCE_MS = 1500;
const STARTED_AT = Date.UTC(2026, 10, 1);
let events = 0;

function message(over: Partial<MessageEvent> = {}): MessageEvent {
  events += 1;
  return {
    ...{ kind: "message", messenger: "telegram", channelId: "tg", eventKey: `update-${events}` },
    ...{ chatId: "chat", chatKind: "private", threadId: null, sentAt: STARTED_AT },
    person: { id: "1001", teamId: "", name: "Lea", languageCode: "en", isBot: false },
    ...{ externalId: `message-${events}`, text: "hello", media: [], replyToId: null },
    ...over,
  };
}

function membership(change: MembershipEvent["change"], chatId: string): MembershipEvent {
  const { person, sentAt } = message();
  return {
    ...{ kind: "membership", messenger: "telegram", channelId: "tg", chatKind: "private" },
    ...{ eventKey: `member-${events}`, chatId, threadId: null, person, sentAt, change },
  };
}

forEachEngine((open) => {
  let database: Database;
  let context: ReceiveContext;
  let chat: string;
  const time = { now: STARTED_AT };
  const jobs = createRecordedJobs();
  beforeAll(async () => {
    database = await open();
    context = { db: database.db, jobs, clock: { now: () => time.now }, coalesceMs: COALESCE_MS };
  });
  beforeEach(() => {
    jobs.list.length = 0;
    events += 1;
    chat = `chat-${events}`;
  });
  afterAll(() => database.close());

  const says = (over: Partial<MessageEvent> = {}) =>
    receive(context, "t", message({ chatId: chat, ...over }));
  const inTenant = <T>(work: Parameters<typeof withTenant<T>>[2]) =>
    withTenant(database.db, "t", work);
  const conversation = async () => {
    const rows = await inTenant((tx) =>
      tx.select().from(conversations).where(eq(conversations.chatId, chat)),
    );
    if (rows.length > 1) throw new Error("one chat, two conversations");
    return rows[0];
  };
  const stored = async () => {
    const id = (await conversation())?.id ?? "";
    return {
      texts: (
        await inTenant((tx) =>
          tx.select().from(messages).where(eq(messages.conversationId, id)).orderBy(messages.seq),
        )
      ).map((row) => row.text),
      runs: await inTenant((tx) => tx.select().from(runs).where(eq(runs.conversationId, id))),
    };
  };

  describe("the same thing twice", () => {
    it("by its event key changes nothing", async () => {
      const event = message({ chatId: chat });
      const first = await receive(context, "t", event);
      const again = await receive(context, "t", event);
      expect(first.kind).toBe("run");
      expect(again).toEqual({ kind: "duplicate", inboxId: first.inboxId, answer: null });
      expect(await stored()).toMatchObject({ texts: ["hello"], runs: [{ status: "queued" }] });
      expect(jobs.list).toHaveLength(1);
    });

    it("under another event key is one message still", async () => {
      await says({ externalId: "m-1" });
      expect((await says({ externalId: "m-1" })).kind).toBe("ignored");
      expect((await stored()).texts).toEqual(["hello"]);
      expect(jobs.list).toHaveLength(1);
    });

    it("many times at once is one", async () => {
      const event = message({ chatId: chat });
      const received = await Promise.all([1, 2, 3, 4].map(() => receive(context, "t", event)));
      expect(received.map(({ kind }) => kind).sort()).toEqual([
        "duplicate",
        "duplicate",
        "duplicate",
        "run",
      ]);
      expect((await stored()).texts).toEqual(["hello"]);
    });

    it("a click answered before gives the same answer", async () => {
      const { sentAt, person } = message();
      const click: ClickEvent = {
        ...{ kind: "click", messenger: "telegram", channelId: "tg", eventKey: `click-${chat}` },
        ...{ chatId: chat, chatKind: "group", threadId: null, person, sentAt },
        ...{ messageId: "5", action: "approve", value: "a-1" },
      };
      const first = await receive(context, "t", click);
      expect(first.kind).toBe("desk");
      expect(jobs.take("desk")).toMatchObject([{ id: first.inboxId, afterMs: 2000 }]);
      const answer = { text: "A-1 approved" };
      await inTenant((tx) =>
        finishInbox(tx, { tenantId: "t", id: first.inboxId, answer, now: time.now }),
      );
      const again = await receive(context, "t", click);
      expect(again).toEqual({ kind: "duplicate", inboxId: first.inboxId, answer });
      expect(jobs.take("desk")).toEqual([]);
    });
  });

  describe("a command that somebody passed on", () => {
    const passedOn = { text: "/resume payouts checked", isPassedOn: true as const };

    it("sets nothing going when one of the staff sends it", async () => {
      const identities = [{ messenger: "telegram" as const, teamId: "", userId: "3001" }];
      const admin = { tenantId: "t", name: "Ann", role: "admin" as const, identities };
      await withOwner(database.db, (tx) =>
        ensureTenant(tx, { id: "t", name: "Office", now: time.now }),
      );
      await inTenant((tx) => createStaff(tx, { ...admin, now: time.now }));
      const person = { id: "3001", teamId: "", name: "Ann", isBot: false };
      expect((await says({ ...passedOn, person })).kind).toBe("ignored");
      expect(jobs.list).toEqual([]);
      expect(await conversation()).toBeUndefined();
    });

    it("is a text of a lead", async () => {
      expect((await says(passedOn)).kind).toBe("run");
      expect((await stored()).texts).toEqual(["/resume payouts checked"]);
      expect(jobs.take("desk")).toEqual([]);
    });
  });

  describe("a burst", () => {
    it("joins one queued run, which waits for the last message", async () => {
      await says({ text: "one" });
      time.now += 1000;
      await says({ text: "two" });
      const { texts, runs: queued } = await stored();
      expect(texts).toEqual(["one", "two"]);
      expect(queued).toHaveLength(1);
      expect(queued[0]?.dueAt).toBe(time.now + COALESCE_MS);
      expect(jobs.list.map((job) => job.afterMs)).toEqual([COALESCE_MS, COALESCE_MS]);
    });

    it("without an end starts after four quiet times all the same", async () => {
      const first = time.now;
      for (let step = 0; step < 10; step += 1) {
        await says({ text: `message ${step}` });
        time.now += 1000;
      }
      const { runs: queued } = await stored();
      expect(queued).toHaveLength(1);
      expect(queued[0]?.dueAt).toBe(first + 4 * COALESCE_MS);
      expect(jobs.list.at(-1)?.afterMs).toBe(0);
    });

    it("at once, of a person nobody has seen before, is one run of one conversation", async () => {
      const person = { ...message().person, id: `new-${chat}` };
      const texts = ["one", "two", "three", "four"];
      const received = await Promise.all(texts.map((text) => says({ text, person })));
      expect(received.map(({ kind }) => kind)).toEqual(["run", "run", "run", "run"]);
      const after = await stored();
      expect([...after.texts].sort()).toEqual([...texts].sort());
      expect(after.runs).toHaveLength(1);
    });

    it("while a run works queues exactly one more", async () => {
      await says({ text: "one" });
      await inTenant((tx) => tx.update(runs).set({ status: "running" }));
      await says({ text: "two" });
      await says({ text: "three" });
      const states = (await stored()).runs.map((run) => run.status).sort();
      expect(states).toEqual(["queued", "running"]);
    });
  });

  describe("text that a database refuses", () => {
    it.each([
      ["a NUL", "be\0fore", "before"],
      ["half a surrogate pair", "a\ud800b", "a\ufffdb"],
      ["an emoji, whole", "ok 👍", "ok 👍"],
    ])("%s is stored without what means nothing", async (_name, text, kept) => {
      const media = [{ kind: "document" as const, fileName: text }];
      const person = { ...message().person, name: text };
      expect((await says({ text, media, person })).kind).toBe("run");
      expect((await stored()).texts).toEqual([kept]);
    });
  });

  describe("a message that nobody answers", () => {
    it("of a group is stored as an event and starts nothing", async () => {
      const received = await says({ chatKind: "group" });
      expect(received.kind).toBe("ignored");
      expect(await conversation()).toBeUndefined();
      const rows = await inTenant((tx) =>
        tx.select().from(inbox).where(eq(inbox.id, received.inboxId)),
      );
      expect(rows).toMatchObject([{ status: "ignored", doneAt: time.now }]);
      expect(jobs.list).toEqual([]);
    });

    it("of another bot starts nothing", async () => {
      const person = { ...message().person, isBot: true };
      expect((await says({ person })).kind).toBe("ignored");
      expect(jobs.list).toEqual([]);
    });

    it("in a chat that a person has taken over is kept, and no run starts", async () => {
      await says({ text: "one" });
      jobs.list.length = 0;
      await inTenant((tx) =>
        tx.update(conversations).set({ mode: "operator" }).where(eq(conversations.chatId, chat)),
      );
      await says({ text: "two" });
      expect((await stored()).texts).toEqual(["one", "two"]);
      expect(jobs.list).toEqual([]);
    });
  });

  describe("a lead who blocks the bot", () => {
    const blockedAt = async () => {
      const found = await conversation();
      const rows = await inTenant((tx) =>
        tx
          .select()
          .from(contacts)
          .where(eq(contacts.id, found?.contactId ?? "")),
      );
      return rows[0]?.blockedAt;
    };

    it("is marked, until the block is lifted or the lead writes again", async () => {
      await says();
      await receive(context, "t", membership("blocked", chat));
      expect(await blockedAt()).toBe(time.now);
      await receive(context, "t", membership("unblocked", chat));
      expect(await blockedAt()).toBeNull();
      await receive(context, "t", membership("blocked", chat));
      await says({ text: "back again" });
      expect(await blockedAt()).toBeNull();
    });
  });

  it("the language is the last message's that has words", async () => {
    const language = async () => (await conversation())?.language;
    await says({ text: "Здравствуйте, хочу обменять" });
    expect(await language()).toBe("ru");
    await says({ text: "500 👍" });
    expect(await language()).toBe("ru");
    await says({ text: "can we speak English please" });
    expect(await language()).toBe("en");
  });

  it("two tenants with the same chat have nothing in common", async () => {
    await says({ text: "to t" });
    const other = await receive(context, "u", message({ chatId: chat, text: "to u" }));
    expect(other.kind).toBe("run");
    const seen = await withTenant(database.db, "u", (tx) => tx.select().from(messages));
    expect(seen.map((row) => row.text)).toEqual(["to u"]);
  });
});
