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
  let lead: OfficeLead;
  let operator: string;
  const model: ChatModel = {
    async chat() {
      const figures = { inputTokens: null, outputTokens: null, finishReason: null, latencyMs: 1 };
      const journal = { provider: "test", modelId: "test", ...figures };
      return { kind: "answer", text: "An operator said no to it.", calls: [], cut: false, journal };
    },
  };
  beforeAll(async () => {
    office = await openOffice(open, model);
    operator = await office.person();
  });
  afterAll(() => office.close());

  const plays = (id: string) =>
    handleRun(office.engine, { tenantId: TENANT, id }, AbortSignal.timeout(20_000));

  /** A payout that was rejected; nobody has told the lead yet. */
  async function rejected(reason: string | null) {
    lead = await addLead(office);
    const approval = await lead.asksPayout();
    await office.decides(approval.id, operator, { decision: "reject", reason });
    office.time.now += 1000;
    const [continuation] = await lead.runs();
    return continuation?.id ?? "";
  }

  async function writesAndIsAnswered(): Promise<void> {
    const { conversationId } = lead;
    const { now } = office.time;
    const id = newId();
    await office.tenant(async (tx) => {
      await tx.insert(messages).values({
        ...{ id: newId(), tenantId: TENANT, conversationId, author: "lead", kind: "text" },
        ...{ text: "and?", createdAt: now },
      });
      await tx.insert(runs).values({
        ...{ id, tenantId: TENANT, conversationId, kind: "message", status: "queued" },
        ...{ dueAt: now, firstMessageAt: now, createdAt: now },
      });
    });
    await plays(id);
  }

  const replies = async () => (await lead.sent()).filter(({ purpose }) => purpose === "reply");
  const endOf = async (id: string) => (await lead.runs()).find((run) => run.id === id);

  describe("a rejection whose reason never came", () => {
    it("is told when its time is over", async () => {
      const continuation = await rejected(null);
      office.time.now += 60_000;
      await plays(continuation);
      expect(await replies()).toHaveLength(1);
    });

    it("is not told again when the lead has had an answer meanwhile", async () => {
      const continuation = await rejected(null);
      await writesAndIsAnswered();
      office.time.now += 60_000;
      await plays(continuation);
      expect(await replies()).toHaveLength(1);
      expect(await endOf(continuation)).toMatchObject({
        status: "superseded",
        outcome: "told already",
      });
    });
  });

  describe("a rejection with a reason", () => {
    it("is told, whatever was answered before", async () => {
      const continuation = await rejected("the safe is empty");
      await writesAndIsAnswered();
      await plays(continuation);
      expect(await replies()).toHaveLength(2);
    });
  });
});
