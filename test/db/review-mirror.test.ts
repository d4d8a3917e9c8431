import { eq } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Messenger } from "../../src/domain/messenger.ts";
import { createOutbound } from "../../src/outbound/deliver.ts";
import type { Database } from "../../src/store/database.ts";
import { withOwner } from "../../src/store/db.ts";
import { mirrorLead } from "../../src/store/mirror-lead.ts";
import { receive } from "../../src/store/receive.ts";
import { conversations, outbox, reviewThreads } from "../../src/store/schema/chat.ts";
import { destinations } from "../../src/store/schema/tenancy.ts";
import { ensureTenant } from "../../src/store/tenants.ts";
import { playSlack, playTelegram } from "../support/bot-played-messengers.ts";
import { forEachEngine } from "../support/database.ts";
import { type MirroredHouse, openHouse } from "../support/mirrored-house.ts";

forEachEngine((openDatabase) => {
  let database: Database;
  let house: MirroredHouse;
  beforeAll(async () => {
    database = await openDatabase();
    await withOwner(database.db, (tx) => ensureTenant(tx, { id: "t1", name: "Desk", now: 0 }));
  });
  afterAll(() => database.close());
  afterEach(async () => {
    await house.close();
    await house.inTenant(async (tx) => {
      await tx.delete(outbox);
      await tx.delete(reviewThreads);
      await tx.delete(destinations);
    });
  });

  const inReview = () => house.played.messages(house.played.reviewChat);
  /** What stands in the review chat, by thread. */
  async function threads(): Promise<Record<string, string[]>> {
    const found: Record<string, string[]> = {};
    for (const { threadId, text } of await inReview()) {
      if (threadId !== null) found[threadId] = [...(found[threadId] ?? []), text];
    }
    return found;
  }
  const threadRows = () => house.inTenant((tx) => tx.select().from(reviewThreads));
  const mirrors = async () => (await house.rows()).filter(({ purpose }) => purpose === "mirror");

  describe.each([
    ["Telegram", playTelegram],
    ["Slack", playSlack],
  ])("a review chat in %s", (name, play) => {
    beforeEach(async () => {
      house = await openHouse(database, play);
      await house.serves("review");
    }, 30_000);

    test("shows each turn in the thread of its own conversation", async () => {
      const [lena, omar] = [await house.lead("Lena"), await house.lead("Omar")];
      await house.turn(lena, "hello", "Good day!");
      await house.turn(omar, "rates?", "33.5");
      await house.turn(lena, "where are you?", "In the old town.");
      await house.drain();
      expect(Object.values(await threads())).toEqual([
        ["> hello\nGood day!", "> where are you?\nIn the old town."],
        ["> rates?\n33.5"],
      ]);
      expect(await threadRows()).toMatchObject([{ status: "open" }, { status: "open" }]);
    });

    test("keeps which post shows which reply", async () => {
      const lena = await house.lead("Lena");
      const replyId = await house.turn(lena, "hello", "Good day!");
      await house.drain();
      const post = (await inReview()).find(({ text }) => text.includes("Good day!"));
      const row = (await mirrors()).find(({ messageId }) => messageId === replyId);
      expect(row).toMatchObject({ status: "sent", externalIds: [post?.id] });
    });

    test("shows all that is not answered yet, and nothing twice", async () => {
      const lena = await house.lead("Lena");
      await house.says(lena, "one");
      await house.turn(lena, "two", "Both seen.");
      const upToSeq = await house.says(lena, "three");
      await house.says(lena, "four, for the next run");
      await house.replies(lena, "Third seen.", { upToSeq, calls: [] });
      await house.drain();
      expect(Object.values(await threads())).toEqual([
        ["> one\n> two\nBoth seen.", "> three\nThird seen."],
      ]);
    });

    test("begins with what is not answered, when a conversation is older than it", async () => {
      await house.inTenant((tx) => tx.delete(destinations));
      const lena = await house.lead("Lena");
      await house.turn(lena, "long ago", "Long answered.");
      await house.serves("review");
      await house.turn(lena, "today", "Now.");
      await house.drain();
      expect(Object.values(await threads())).toEqual([["> today\nNow."]]);
    });

    test("shows what the lead writes while a person speaks, once, and goes on after it", async () => {
      const lena = await house.lead("Lena");
      await house.turn(lena, "hello", "Good day!");
      const upToSeq = await house.says(lena, "are you human?");
      const now = house.clock.now();
      const write = { jobs: { wakeDelivery() {} }, tenantId: "t1", now };
      const alone = { conversationId: lena, upToSeq };
      for (let times = 0; times < 2; times += 1)
        await house.inTenant((tx) => mirrorLead(tx, write, alone));
      await house.turn(lena, "thanks", "Welcome.");
      await house.drain();
      expect(Object.values(await threads())).toEqual([
        ["> hello\nGood day!", "> are you human?", "> thanks\nWelcome."],
      ]);
    });

    test("shows a message at once when it comes while a person speaks", async () => {
      const lena = await house.lead("Lena", house.played.leadChat);
      await house.inTenant((tx) =>
        tx.update(conversations).set({ mode: "operator" }).where(eq(conversations.id, lena)),
      );
      const { name: messenger, channelId } = house.messenger;
      const event = {
        ...{ kind: "message" as const, messenger, channelId, eventKey: `e-${lena}` },
        ...{ chatId: house.played.leadChat, chatKind: "private" as const, threadId: null },
        person: { id: `u-${lena}`, teamId: "", name: "Lena", isBot: false },
        ...{ sentAt: 0, externalId: "1", text: "are you there?", replyToId: null },
        media: [{ kind: "photo" as const }],
      };
      const jobs = { enqueue: async () => {}, wakeDelivery() {} };
      const context = { db: database.db, jobs, clock: house.clock, coalesceMs: 0 };
      await receive(context, "t1", event);
      await house.drain();
      expect(Object.values(await threads())).toEqual([["> [photo] are you there?"]]);
      await house.inTenant((tx) => tx.delete(conversations).where(eq(conversations.id, lena)));
    });

    test("shows notices, and of a payout's code only that it was sent", async () => {
      const lena = await house.lead("Lena");
      const { channelId } = house.messenger;
      const chatId = `gone-${lena}`;
      const notice = { channelId, chatId, purpose: "notice" as const, conversationId: lena };
      const code = { kind: "secret_text" as const, text: "Code: {secret}.", orderId: "o1" };
      await house.write({ ...notice, content: { kind: "text", text: "Time is over." } });
      await house.write({ ...notice, content: code });
      const said = { kind: "text" as const, text: "the staff said it" };
      await house.write({ ...notice, content: said, mirror: null });
      await house.write({ ...notice, chatId: "elsewhere", content: said });
      await house.drain();
      expect(Object.values(await threads())).toEqual([
        ["Time is over.", "[code sent, ends in ••]"],
      ]);
    });

    test("opens a thread anew when somebody deleted it, and loses no word", async () => {
      const lena = await house.lead("Lena");
      await house.turn(lena, "one", "1");
      await house.drain();
      const [thread] = await threadRows();
      await house.played.deleteThread(thread?.threadId ?? "");
      await house.turn(lena, "two", "2");
      await house.turn(lena, "three", "3");
      await house.drain();
      const fresh = (await threadRows())[0];
      expect(fresh).toMatchObject({ status: "open" });
      expect(fresh?.threadId).not.toBe(thread?.threadId);
      expect((await threads())[fresh?.threadId ?? ""]).toEqual(["> two\n2", "> three\n3"]);
      expect((await mirrors()).every(({ status }) => status === "sent")).toBe(true);
    });

    test("has a thread once although the answer to its opening was lost", async () => {
      await house.played.fault("drop_response_after_effect");
      const lena = await house.lead("Lena");
      // nothing for the lead goes first, so that the fault hits the thread
      const now = house.clock.now();
      const upToSeq = await house.says(lena, "hello");
      const write = { jobs: { wakeDelivery() {} }, tenantId: "t1", now };
      await house.inTenant((tx) => mirrorLead(tx, write, { conversationId: lena, upToSeq }));
      await house.drain(5000);
      expect(Object.values(await threads())).toEqual([["> hello"]]);
      expect(await threadRows()).toMatchObject([{ status: "open" }]);
    });

    test("that refuses stops nothing, and is tried again with the next turn", async () => {
      await house.inTenant((tx) => tx.delete(destinations));
      const unknown = name === "Slack" ? "C0NOWHERE" : "-1009999999999";
      await house.serves("review", unknown);
      const lena = await house.lead("Lena", house.played.leadChat);
      await house.turn(lena, "hello", "Good day!");
      await house.drain();
      const rows = await house.rows();
      expect(rows.map(({ purpose, status }) => [purpose, status])).toEqual([
        ["reply", "sent"],
        ["mirror", "failed"],
        ["mirror", "failed"],
      ]);
      expect(await threadRows()).toEqual([]);
      await house.turn(lena, "and now?", "Still here.");
      await house.drain();
      const answers = await house.played.messages(house.played.leadChat);
      expect(answers.map(({ text }) => text)).toEqual(["Good day!", "Still here."]);
    });
  });

  describe("a busy group", () => {
    beforeEach(async () => {
      house = await openHouse(database, playTelegram);
      await house.serves("review", house.played.operatorsChat);
    }, 30_000);

    const card = (title: string) => ({
      ...{ channelId: house.messenger.channelId, chatId: house.played.operatorsChat },
      ...{ purpose: "card" as const },
      content: { kind: "card" as const, card: { title, facts: [], footer: [], buttons: [] } },
    });
    const shown = async () =>
      (await house.played.messages(house.played.operatorsChat)).map(({ text }) => text);

    test("that is no forum shows each turn with the client's name", async () => {
      const lena = await house.lead("Lena");
      await house.turn(lena, "hello", "Good day!");
      await house.turn(lena, "rates?", "33.5");
      await house.drain();
      expect(await shown()).toEqual(["Lena:\n> hello\nGood day!", "Lena:\n> rates?\n33.5"]);
      expect(await threadRows()).toMatchObject([{ status: "flat", threadId: null }]);
    });

    test("gets its cards before mirrors that were written earlier", async () => {
      const lena = await house.lead("Lena");
      for (const word of ["a", "b", "c"]) await house.turn(lena, word, word);
      await house.write(card("Payout"));
      await house.drain();
      expect((await shown())[0]).toContain("Payout");
    });

    test("keeps room for cards: mirrors are put off in product time when it has to rest", async () => {
      const lena = await house.lead("Lena");
      for (let turn = 0; turn < 20; turn += 1) await house.turn(lena, `${turn}`, "ok");
      await house.drain();
      const sent = (await shown()).length;
      expect(sent).toBeLessThan(20);
      const waiting = (await mirrors()).filter(({ status }) => status === "queued");
      expect(waiting[0]?.dueAt).toBeGreaterThan(house.clock.now() + 5_000);
      await house.write(card("Payout"), card("Identity"));
      await house.drain();
      expect((await shown()).slice(sent)).toEqual(["Payout", "Identity"]);
    });

    test("gets a card although a mirror hangs", async () => {
      let letGo = () => {};
      const hanging = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      const slow: Messenger = {
        ...house.messenger,
        async deliver(delivery, signal) {
          const { kind } = delivery.content;
          if (kind === "thread") await hanging;
          return house.messenger.deliver(delivery, signal);
        },
      };
      const outbound = createOutbound({
        ...{ db: database.db, clock: house.clock, log: { info() {}, warn() {}, error() {} } },
        messengers: new Map([[slow.channelId, slow]]),
      });
      const lena = await house.lead("Lena");
      const upToSeq = await house.says(lena, "hello");
      const write = { jobs: { wakeDelivery() {} }, tenantId: "t1", now: house.clock.now() };
      await house.inTenant((tx) => mirrorLead(tx, write, { conversationId: lena, upToSeq }));
      const mirror = outbound.runOnce();
      await house.write(card("Payout"));
      expect(await outbound.runOnce()).toBe(1);
      expect(await shown()).toEqual(["Payout"]);
      letGo();
      await mirror;
      await outbound.stop();
    });

    test("that becomes a supergroup takes its threads along", async () => {
      const lena = await house.lead("Lena");
      await house.turn(lena, "hello", "Good day!");
      await house.drain();
      await house.played.play("telegram/migrate", { chat_id: Number(house.played.operatorsChat) });
      await house.turn(lena, "rates?", "33.5");
      await house.drain();
      const [thread] = await threadRows();
      expect(thread?.chatId).not.toBe(house.played.operatorsChat);
      const moved = await house.played.messages(thread?.chatId ?? "");
      expect(moved.map(({ text }) => text)).toEqual(["Lena:\n> rates?\n33.5"]);
      const [row] = await house.inTenant((tx) =>
        tx
          .select()
          .from(outbox)
          .where(eq(outbox.chatId, thread?.chatId ?? "")),
      );
      expect(row?.status).toBe("sent");
    });
  });
});
