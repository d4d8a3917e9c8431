import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ChatModel } from "../../src/domain/chat-model.ts";
import { newId } from "../../src/domain/ids.ts";
import { handleRun } from "../../src/engine/run.ts";
import { contacts, conversations, messages } from "../../src/store/schema/chat.ts";
import { runs } from "../../src/store/schema/runs.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, openOffice, TENANT } from "../support/office.ts";
import { addLead, type OfficeLead } from "../support/office-lead.ts";

const MINUTE = 60_000;

forEachEngine((open) => {
  let office: Office;
  let lead: OfficeLead;
  let asked: string[];
  /** What happens while the model thinks. */
  let meanwhile: () => Promise<unknown>;
  const model: ChatModel = {
    async chat(request) {
      asked.push(String(request.messages[0]?.content));
      await meanwhile();
      const figures = { inputTokens: null, outputTokens: null, finishReason: null, latencyMs: 1 };
      const journal = { provider: "test", modelId: "test", ...figures };
      return { kind: "answer", text: "We have a green door.", calls: [], cut: false, journal };
    },
  };
  beforeAll(async () => {
    office = await openOffice(open, model);
  });
  afterAll(() => office.close());
  beforeEach(async () => {
    lead = await addLead(office);
    asked = [];
    meanwhile = async () => {};
  });

  /** The lead writes at `sentAt`, it comes in now, and the run is played. */
  async function asks(sentAt: number | null = null): Promise<string> {
    const { conversationId } = lead;
    const { now } = office.time;
    const id = newId();
    await office.tenant(async (tx) => {
      await tx.insert(messages).values({
        ...{ id: newId(), tenantId: TENANT, conversationId, author: "lead", kind: "text" },
        ...{ text: "what colour is your door?", sentAt, createdAt: now },
      });
      await tx.insert(runs).values({
        ...{ id, tenantId: TENANT, conversationId, kind: "message", status: "queued" },
        ...{ dueAt: now, firstMessageAt: now, createdAt: now },
      });
    });
    await handleRun(office.engine, { tenantId: TENANT, id }, AbortSignal.timeout(20_000));
    return id;
  }
  const endOf = async (id: string) => {
    const [run] = (await lead.runs()).filter((one) => one.id === id);
    return { status: run?.status, outcome: run?.outcome, endedAt: run?.endedAt };
  };
  const replies = async () =>
    (await lead.sent()).flatMap(({ purpose, content }) =>
      purpose === "reply" && content.kind === "text" ? [content.text] : [],
    );
  const speaks = (mode: "bot" | "operator") =>
    office.tenant((tx) =>
      tx.update(conversations).set({ mode }).where(eq(conversations.id, lead.conversationId)),
    );
  const blocks = (blockedAt: number | null) =>
    office.tenant((tx) =>
      tx.update(contacts).set({ blockedAt }).where(eq(contacts.id, lead.contactId)),
    );

  describe("a run of somebody who blocked the bot", () => {
    it("asks no model, says nothing and is over", async () => {
      await blocks(office.time.now);
      const id = await asks();
      expect(asked).toEqual([]);
      expect(await replies()).toEqual([]);
      expect(await endOf(id)).toEqual({
        status: "cancelled",
        outcome: "blocked",
        endedAt: office.time.now,
      });
    });

    it("does not keep the next turn from being answered", async () => {
      await blocks(office.time.now);
      await asks();
      await blocks(null);
      expect(await endOf(await asks())).toMatchObject({ status: "completed" });
      expect(await replies()).toEqual(["We have a green door."]);
    });
  });

  describe("a run of a conversation in which a person speaks", () => {
    it("asks no model and says nothing", async () => {
      await speaks("operator");
      const id = await asks();
      expect(asked).toEqual([]);
      expect(await replies()).toEqual([]);
      expect(await endOf(id)).toMatchObject({ status: "superseded", outcome: "a person speaks" });
    });

    it("that a person took over while it worked: its draft is kept and never sent", async () => {
      meanwhile = () => speaks("operator");
      const id = await asks();
      expect(asked).toHaveLength(1);
      expect(await replies()).toEqual([]);
      expect(await endOf(id)).toMatchObject({
        status: "superseded",
        outcome: "a person took over",
      });
      const drafts = await office.tenant((tx) =>
        tx.select().from(messages).where(eq(messages.runId, id)),
      );
      expect(drafts).toMatchObject([{ author: "bot", status: "superseded" }]);
    });
  });

  describe("a run that answers words of long ago", () => {
    it("apologises once, and the model is told how old they are", async () => {
      await asks(office.time.now - 42 * MINUTE);
      expect(await replies()).toEqual(["Sorry for the late answer. We have a green door."]);
      expect(asked[0]).toContain("42 minutes old");
      await asks(office.time.now);
      expect((await replies()).at(-1)).toBe("We have a green door.");
    });

    it("does not when they are younger than ten minutes", async () => {
      await asks(office.time.now - 10 * MINUTE + 1);
      expect(await replies()).toEqual(["We have a green door."]);
      expect(asked[0]).not.toContain("minutes old");
    });
  });
});
