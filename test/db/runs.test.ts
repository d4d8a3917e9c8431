import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newId } from "../../src/domain/ids.ts";
import { type Reply, sendReply } from "../../src/engine/run-end.ts";
import { newLease, openTurn, type Turn } from "../../src/engine/turn.ts";
import { dropLeasesOfOtherBoots } from "../../src/store/boot-leases.ts";
import { LeaseLostError } from "../../src/store/lease.ts";
import { recordOutcome } from "../../src/store/outcomes.ts";
import { type ReceiveContext, receive } from "../../src/store/receive.ts";
import { claimRun, updateOwnRun } from "../../src/store/runs.ts";
import { conversations, messages } from "../../src/store/schema/chat.ts";
import { runs } from "../../src/store/schema/runs.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, one, openOffice, TENANT } from "../support/office.ts";

const REPLY: Reply = { text: "Hello!", status: "completed", origin: "model", findings: [] };
const COALESCE_MS = 1500;
let chats = 0;

forEachEngine((open) => {
  let office: Office;
  let context: ReceiveContext;
  let chatId: string;
  beforeAll(async () => {
    office = await openOffice(open);
    const { db, jobs, clock } = office;
    context = { db, jobs, clock, coalesceMs: COALESCE_MS };
  });
  beforeEach(() => {
    chats += 1;
    chatId = `run-chat-${chats}`;
    office.jobs.list.length = 0;
  });
  afterAll(() => office.close());

  async function says(text: string) {
    const event = {
      ...{ kind: "message" as const, messenger: "telegram" as const, channelId: "tg", chatId },
      ...{ eventKey: newId(), externalId: newId(), chatKind: "private" as const, threadId: null },
      ...{ sentAt: office.time.now, text, media: [], replyToId: null },
      person: { id: chatId, teamId: "", name: "Lea", languageCode: "en", isBot: false },
    };
    await receive(context, TENANT, event);
    const where = eq(conversations.chatId, chatId);
    const found = await one(office.tenant((tx) => tx.select().from(conversations).where(where)));
    return found.id;
  }
  const runsOf = (conversationId: string) =>
    office.tenant((tx) =>
      tx.select().from(runs).where(eq(runs.conversationId, conversationId)).orderBy(runs.id),
    );
  const texts = async (conversationId: string, status: "kept" | "superseded") => {
    const of = and(eq(messages.conversationId, conversationId), eq(messages.status, status));
    const rows = await office.tenant((tx) =>
      tx.select().from(messages).where(of).orderBy(messages.seq),
    );
    return rows.filter((row) => row.author === "bot").map((row) => row.text);
  };
  const claim = (id: string) =>
    office.tenant((tx) =>
      claimRun(tx, {
        ...{ tenantId: TENANT, id, now: office.time.now, realNow: office.time.real },
        lease: newLease({ bootId: "boot-1", realNow: () => office.time.real }),
      }),
    );
  const queued = async (text = "hello") => {
    const conversationId = await says(text);
    const [run] = (await runsOf(conversationId)).filter((row) => row.status === "queued");
    if (!run) throw new Error("no run was queued");
    return { conversationId, id: run.id };
  };
  const due = () => {
    office.time.now += COALESCE_MS;
  };
  async function opened(id: string): Promise<Turn> {
    const lease = newLease(office.engine);
    const turn = await office.tenant((tx) =>
      openTurn(tx, office.engine, { tenantId: TENANT, id }, lease),
    );
    if (!turn) throw new Error("the run cannot be opened");
    return turn;
  }

  describe("a run", () => {
    it("is taken only when it is due, and once", async () => {
      const { id } = await queued();
      expect(await claim(id)).toBeNull();
      due();
      const taken = await Promise.all([claim(id), claim(id), claim(id)]);
      expect(taken.filter(Boolean)).toHaveLength(1);
    });

    it("works alone in its conversation, and the next one waits for it", async () => {
      const first = await queued("one");
      due();
      await claim(first.id);
      const second = await queued("two");
      due();
      expect(await claim(second.id)).toBeNull();
      await office.tenant((tx) =>
        tx.update(runs).set({ status: "completed" }).where(eq(runs.id, first.id)),
      );
      expect(await claim(second.id)).not.toBeNull();
    });

    it("is taken over only after its lease ended, and the worker that lost it writes nothing", async () => {
      const { id } = await queued();
      due();
      const first = await claim(id);
      office.time.real += 14_999;
      expect(await claim(id)).toBeNull();
      office.time.real += 2;
      const second = await claim(id);
      expect(second?.run).toMatchObject({ restarts: 1, status: "running" });
      const own = { tenantId: TENANT, id, token: first?.run.leaseToken ?? "" };
      const late = office.tenant((tx) => updateOwnRun(tx, own, { status: "completed" }));
      await expect(late).rejects.toThrow(LeaseLostError);
    });

    it("of a process that is gone is free at once after an embedded start", async () => {
      const { id } = await queued();
      due();
      await claim(id);
      const drop = { tenantIds: [TENANT], realNow: office.time.real };
      await dropLeasesOfOtherBoots(office.db, { ...drop, owner: "boot-1" });
      expect(await claim(id)).toBeNull();
      await dropLeasesOfOtherBoots(office.db, { ...drop, owner: "boot-2" });
      expect(await claim(id)).not.toBeNull();
    });

    it("that is over stays over", async () => {
      const { id } = await queued();
      due();
      const turn = await opened(id);
      await sendReply(office.engine, turn, REPLY);
      expect(await claim(id)).toBeNull();
      await expect(sendReply(office.engine, turn, REPLY)).rejects.toThrow(LeaseLostError);
    });
  });

  describe("a reply", () => {
    it("is sent when the lead has written nothing since", async () => {
      const { conversationId, id } = await queued();
      due();
      expect(await sendReply(office.engine, await opened(id), REPLY)).toBe(true);
      expect(await texts(conversationId, "kept")).toEqual(["Hello!"]);
      expect(await runsOf(conversationId)).toMatchObject([{ status: "completed" }]);
    });

    it("is held back while the lead writes on, twice at most; then the rest is answered later", async () => {
      const { conversationId, id } = await queued("one");
      due();
      const turn = await opened(id);
      const drafts: boolean[] = [];
      for (const text of ["two", "three", "four"]) {
        await says(text);
        drafts.push(await sendReply(office.engine, turn, { ...REPLY, text: `before ${text}` }));
      }
      expect(drafts).toEqual([false, false, true]);
      expect(await texts(conversationId, "superseded")).toEqual(["before two", "before three"]);
      expect(await texts(conversationId, "kept")).toEqual(["before four"]);
      const states = (await runsOf(conversationId)).map((run) => run.status).sort();
      expect(states).toEqual(["completed", "queued", "superseded", "superseded"]);
    });

    it("is not sent when a person took over meanwhile", async () => {
      const { conversationId, id } = await queued();
      due();
      const turn = await opened(id);
      await office.tenant((tx) =>
        tx.update(conversations).set({ mode: "operator" }).where(eq(conversations.chatId, chatId)),
      );
      await sendReply(office.engine, turn, REPLY);
      expect(await texts(conversationId, "kept")).toEqual([]);
      expect(await runsOf(conversationId)).toMatchObject([{ status: "superseded" }]);
    });
  });

  describe("an outcome", () => {
    const outcome = (conversationId: string, approvalId = newId(), waitMs = 0) =>
      office.tenant((tx) =>
        recordOutcome(tx, office.jobs, {
          ...{ tenantId: TENANT, conversationId, approvalId, waitMs, now: office.time.now },
          line: "A-1 is now completed; tell the lead; do not call it again.",
        }),
      );

    it("joins the lead's queued run", async () => {
      const { conversationId } = await queued();
      await outcome(conversationId);
      expect(await runsOf(conversationId)).toMatchObject([{ kind: "message", status: "queued" }]);
    });

    it("joins the run at work, which goes on with it before it answers", async () => {
      const { conversationId, id } = await queued();
      due();
      const turn = await opened(id);
      await outcome(conversationId);
      expect(await sendReply(office.engine, turn, REPLY)).toBe(false);
      expect(turn.view.transcript.messages.at(-1)).toMatchObject({ kind: "event" });
      expect(await sendReply(office.engine, turn, REPLY)).toBe(true);
      expect(await runsOf(conversationId)).toHaveLength(1);
    });

    it("starts one continuation when the conversation rests, however often it is told", async () => {
      const { conversationId, id } = await queued();
      due();
      await sendReply(office.engine, await opened(id), REPLY);
      office.jobs.list.length = 0;
      const approvalId = newId();
      await outcome(conversationId, approvalId, 60_000);
      await outcome(conversationId, approvalId, 60_000);
      const after = await runsOf(conversationId);
      expect(after).toMatchObject([
        { kind: "message", status: "completed" },
        { kind: "continuation", approvalId, dueAt: office.time.now + 60_000 },
      ]);
      expect(office.jobs.list).toMatchObject([{ kind: "run", id: after[1]?.id, afterMs: 60_000 }]);
    });

    it("starts nothing where a person speaks with the lead", async () => {
      const { conversationId } = await queued();
      await office.tenant(async (tx) => {
        await tx.delete(runs).where(eq(runs.conversationId, conversationId));
        const where = eq(conversations.id, conversationId);
        await tx.update(conversations).set({ mode: "operator" }).where(where);
      });
      await outcome(conversationId);
      expect(await runsOf(conversationId)).toEqual([]);
    });
  });
});
