import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildPrompt } from "../../src/engine/prompt.ts";
import { evalCaseSchema } from "../../src/quality/evals/case-format.ts";
import { sceneOf } from "../../src/quality/evals/scene-of.ts";
import { type Tx, withTenant } from "../../src/store/db.ts";
import { proposedCalls, repliesOf, runsOf } from "../../src/store/eval-played.ts";
import { activeStyle, putStyle } from "../../src/store/eval-snapshot.ts";
import { contactKyc } from "../../src/store/kyc.ts";
import { lastOrder } from "../../src/store/orders.ts";
import { ownershipOf } from "../../src/store/resource-owners.ts";
import { clearScene, type SceneRefs, writeScene } from "../../src/store/scene.ts";
import { contacts, conversations } from "../../src/store/schema/chat.ts";
import { loadTranscript } from "../../src/store/transcript.ts";
import type { AdminPart } from "../support/admin-part.ts";
import { forEachEngine } from "../support/database.ts";
import { startQuality } from "../support/quality-part.ts";

const TENANT = "default";
const ORDER = {
  ...{ number: 77_001, status: "awaiting_payment", amount_from: "100", amount_to: "3120" },
  rate: "31.2",
};
const WRITTEN = {
  ...{ case_name: "x", language: "ru", message: "Да" },
  client: {
    ...{ kyc: "verified", email: "anna@example.test", email_verified: true, order: ORDER },
    ...{ stage: "order_created", attributes: { city: "Phuket" } },
  },
  others: [{ name: "Ivan", email: "ivan@example.test" }],
  before: [
    { client: "Меняю 100 USDT" },
    {
      call: { tool: "create_exchange_order", args: { asset: "USDT" } },
      result: { ok: true, data: { status: "awaiting_payment" } },
    },
    { bot: "Заявка создана" },
    {
      call: { tool: "send_email", args: {} },
      result: { ok: false, status: "failed", error: { code: "INVALID_ARGUMENTS", message: "to" } },
    },
    { operator: "Я рядом" },
    { event: "A-1 is approved" },
  ],
};

forEachEngine((open) => {
  let part: AdminPart;
  beforeAll(async () => {
    part = await startQuality(open);
  });
  afterAll(() => part.close());

  const rows = <T>(work: (tx: Tx) => Promise<T>) => withTenant(part.database.db, TENANT, work);
  const write = (written: object = WRITTEN) => {
    const now = part.deps.clock.now();
    const at = { tenantId: TENANT, channelId: "lab", now };
    const scene = sceneOf({ ...evalCaseSchema.parse(written), source: "test" }, at);
    return rows((tx) => writeScene(tx, scene));
  };
  const clear = (refs: SceneRefs) => rows((tx) => clearScene(tx, TENANT, refs));

  describe("a scene", () => {
    it("stands in rows as the product would have written it", async () => {
      const refs = await write();
      const of = { tenantId: TENANT, conversationId: refs.conversationId };
      await rows(async (tx) => {
        const order = await lastOrder(tx, of); // null: its signature would not hold
        expect(order).toMatchObject({
          number: 77_001,
          amountFrom: "100",
          status: "awaiting_payment",
        });
        expect(await contactKyc(tx, { tenantId: TENANT, contactId: refs.contactId })).toMatchObject(
          {
            status: "verified",
          },
        );
        const [conversation] = await tx
          .select()
          .from(conversations)
          .where(eq(conversations.id, refs.conversationId));
        expect(conversation).toMatchObject({ stage: "order_created", language: "ru", mode: "bot" });
      });
      await clear(refs);
    });

    it("is projected into a prompt: each call with its result, in order", async () => {
      const refs = await write();
      const { conversationId } = refs;
      const transcript = await rows((tx) =>
        loadTranscript(tx, { tenantId: TENANT, conversationId, limit: 60 }),
      );
      const [, ...messages] = buildPrompt({
        ...{ transcript, evidence: [], language: "ru", businessName: "X", continuation: false },
      });
      expect(messages.map(({ role }) => role)).toEqual([
        ...["user", "assistant", "tool", "assistant", "assistant", "tool", "assistant", "system"],
      ]);
      expect(messages[2]?.content).toContain("awaiting_payment");
      const statuses = [...transcript.calls.values()].flat().map(({ status }) => status);
      expect(statuses.sort()).toEqual(["executed", "schema_failed"]);
      await clear(refs);
    });

    it("is no answer to what comes after it", async () => {
      const refs = await write();
      const of = { tenantId: TENANT, conversationId: refs.conversationId };
      const except = refs.earlierRunIds;
      expect(except).toHaveLength(3);
      const came = await rows(async (tx) => ({
        runs: await runsOf(tx, of),
        calls: await proposedCalls(tx, { ...of, except }),
        replies: await repliesOf(tx, { ...of, except }),
      }));
      expect(came).toEqual({ runs: [], calls: [], replies: [] });
      await clear(refs);
    });

    it("has other clients, whose things are not the writer's", async () => {
      const refs = await write();
      const by = { tenantId: TENANT, contactId: refs.contactId };
      const whose = (id: string) => rows((tx) => ownershipOf(tx, by, { kind: "email", id }));
      expect(await whose("ivan@example.test")).toBe("foreign");
      expect(await whose("anna@example.test")).toBe("own");
      await clear(refs);
    });

    it("gives its order's number and its addresses back", async () => {
      const first = await write();
      await clear(first);
      const second = await write();
      await rows(async (tx) => {
        const left = await tx
          .select({ id: contacts.id })
          .from(contacts)
          .where(eq(contacts.email, "anna@example.test"));
        expect(left).toEqual([{ id: second.contactId }]);
      });
      await expect(write()).rejects.toThrow(/EX-77001 is there already/);
      await clear(second);
    });
  });

  it("a style that is put is the one that replies are written in", async () => {
    const style = {
      guidance: "Be brief.",
      examples: [{ client: "Hi", answer: "Hello." }],
      skills: [{ id: "greet", text: "Greet once." }],
    };
    const now = part.deps.clock.now();
    await rows((tx) => putStyle(tx, { tenantId: TENANT, style, now }));
    await rows((tx) => putStyle(tx, { tenantId: TENANT, style, now }));
    expect(await rows((tx) => activeStyle(tx, TENANT))).toEqual(style);
  });
});
