import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ChatModel } from "../../src/domain/chat-model.ts";
import { newId } from "../../src/domain/ids.ts";
import { handleRun } from "../../src/engine/run.ts";
import { messages } from "../../src/store/schema/chat.ts";
import { runs } from "../../src/store/schema/runs.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, openOffice, TENANT } from "../support/office.ts";
import { addLead, type OfficeLead } from "../support/office-lead.ts";

forEachEngine((open) => {
  let office: Office;
  let asked: number;
  let lead: OfficeLead;
  const model: ChatModel = {
    async chat() {
      asked += 1;
      const figures = { inputTokens: null, outputTokens: null, finishReason: null, latencyMs: 1 };
      const journal = { provider: "test", modelId: "test", ...figures };
      return { kind: "failed", error: "no", retryable: false, retryAfterMs: null, journal };
    },
  };
  beforeAll(async () => {
    office = await openOffice(open, model);
  });
  afterAll(() => office.close());

  /** A run whose worker was lost `restarts` times already, and now once more. */
  async function lostRun(restarts: number): Promise<string> {
    asked = 0;
    lead = await addLead(office);
    const { conversationId } = lead;
    const { now, real } = office.time;
    const id = newId();
    await office.tenant(async (tx) => {
      await tx.insert(messages).values({
        ...{ id: newId(), tenantId: TENANT, conversationId, author: "lead", kind: "text" },
        ...{ text: "hello", createdAt: now },
      });
      await tx.insert(runs).values({
        ...{ id, tenantId: TENANT, conversationId, kind: "message", status: "running", restarts },
        ...{ dueAt: now, firstMessageAt: now, createdAt: now },
        ...{ leaseOwner: "dead", leaseToken: "dead", leaseUntil: real - 1 },
      });
    });
    await handleRun(office.engine, { tenantId: TENANT, id }, AbortSignal.timeout(20_000));
    return id;
  }
  const statusOf = async (id: string) => {
    const rows = await office.tenant((tx) => tx.select().from(runs).where(eq(runs.id, id)));
    return rows[0]?.status;
  };

  describe("a run whose worker was lost", () => {
    it("once or twice is gone on with", async () => {
      await lostRun(1);
      expect(asked).toBe(1);
    });

    it("three times is given up without another try: the lead is told, and a person called", async () => {
      const id = await lostRun(2);
      expect(asked).toBe(0);
      expect(await statusOf(id)).toBe("failed");
      const sent = await lead.sent();
      expect(sent.filter(({ purpose }) => purpose === "reply")).toHaveLength(1);
      expect(sent.filter(({ purpose }) => purpose === "card")).toHaveLength(1);
    });
  });
});
