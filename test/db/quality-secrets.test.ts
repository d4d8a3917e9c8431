import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newId } from "../../src/domain/ids.ts";
import { checkRecord } from "../../src/quality/regressions/check-record.ts";
import { sealPayoutCode } from "../../src/store/payout-codes.ts";
import { messages } from "../../src/store/schema/chat.ts";
import { exchangeOrders } from "../../src/store/schema/exchange.ts";
import { agentToolCallRegressionCases } from "../../src/store/schema/quality.ts";
import { agentToolCallFeedback, agentToolCalls } from "../../src/store/schema/runs.ts";
import { auditLog } from "../../src/store/schema/tenancy.ts";
import { type AdminPart, SETUP_TOKEN } from "../support/admin-part.ts";
import { forEachEngine } from "../support/database.ts";
import { openQualityPart, type QualityPart, startQuality } from "../support/quality-part.ts";
import { type PlayedReply, playReply } from "../support/quality-rows.ts";

const KEY = "sk-abcdefghijklmnopqrstuvwx1234";
const CARD = "4111 1111 1111 1111";
const CODE = "QR77-PHUKET";
/** What must stand nowhere, as it may be written. */
const LEAKS = [KEY, CARD, "hunter2", CODE, "qr77 phuket"];
const SAID = `Send it to ${CARD}, password: hunter2, my key ${KEY}. I am at Patong beach.`;
const CASES = "/quality/tool-call-regression-cases";
const LABELS = "/quality/tool-call-feedback";

forEachEngine((open) => {
  let part: AdminPart;
  let office: QualityPart;
  let reply: PlayedReply;
  let offices = 0;

  beforeAll(async () => {
    part = await startQuality(open);
  });
  afterAll(() => part.close());
  beforeEach(async () => {
    offices += 1;
    office = await openQualityPart(part, `office-${offices}`);
    const { tenantId } = office;
    const args = { to: CARD, memo: `use ${KEY}`, amount: "1500000000" };
    const of = { tenantId, now: part.deps.clock.now(), asked: SAID };
    const calls = [{ tool: "ask_rate", args }];
    reply = await office.rows((tx) => playReply(tx, { ...of, calls }));
    await office.rows((tx) => addOrder(tx));
  });

  /** An order of the conversation, whose client was sent a pickup code. */
  async function addOrder(tx: Parameters<Parameters<QualityPart["rows"]>[0]>[0]) {
    const { tenantId } = office;
    const id = newId();
    const now = part.deps.clock.now();
    const payoutCode = sealPayoutCode(part.deps.secrets, { tenantId, orderId: id }, CODE);
    await tx.insert(exchangeOrders).values({
      ...{ id, tenantId, number: 1, conversationId: reply.conversationId, contactId: "lead" },
      ...{ quoteId: "Q", status: "payout", asset: "USDT", network: "TRC20", quoteAsset: "THB" },
      ...{ amountMode: "source_amount", amountFrom: "40", amountTo: "1300", rate: "32.5" },
      ...{ paymentMethod: "cash", payoutCode, expiresAt: now, createdAt: now, updatedAt: now },
    });
  }

  const note = `The client showed ${CODE}, "qr77 phuket", and ${CARD}; password: hunter2`;
  const labels = () =>
    office.operator("POST", `/quality/tool-calls/${reply.callIds[0]}/feedback`, {
      ...{ label: "bad_args", note },
    });

  function expectNone(value: unknown): void {
    const text = JSON.stringify(value);
    for (const leak of LEAKS) expect(text).not.toContain(leak);
  }

  describe("no secret is stored with", () => {
    it("a reviewer's note, which else says what was written", async () => {
      expect((await labels()).status).toBe(201);
      const rows = await office.rows((tx) => tx.select().from(agentToolCallFeedback));
      expect(rows[0]?.note).toBe(
        'The client showed ••ET, "••ET", and •••• 1111; password: [removed]',
      );
    });

    it("a case, whose words, arguments and expectation stay what they are else", async () => {
      await labels();
      const made = await office.admin("POST", "/quality/proposals/1/case", {
        ...{ title: `Of ${CARD}`, behavior: `pays to ${CARD}`, note: "password: hunter2" },
        ...{ expected_args: { to: CARD, amount: "1500000000" }, action_items: [`drop ${KEY}`] },
      });
      expect(made.status).toBe(201);
      expect(checkRecord(made.body).faults).toEqual([]);
      const [row] = await office.rows((tx) => tx.select().from(agentToolCallRegressionCases));
      expectNone(row);
      expect(row?.inputJson).toMatchObject({
        args: { to: "•••• 1111", memo: "use [removed]", amount: "1500000000" },
        messages: [
          {
            content:
              "Send it to •••• 1111, password: [removed], my key [removed]. I am at Patong beach.",
          },
        ],
      });
      expect(row?.expectedJson).toMatchObject({ args: { to: "•••• 1111", amount: "1500000000" } });
      expectNone((await office.admin("GET", `${LABELS}/proposals`)).body);
    });
  });

  describe("no secret leaves with rows of an earlier build", () => {
    beforeEach(async () => {
      await labels();
      await office.admin("POST", "/quality/proposals/1/case", { expected_args: { to: CARD } });
      await office.rows(async (tx) => {
        await tx.update(agentToolCallFeedback).set({ note });
        const [row] = await tx.select().from(agentToolCallRegressionCases);
        const said = { role: "user", content: `${SAID} ${CODE}` };
        await tx.update(agentToolCallRegressionCases).set({
          title: note,
          inputJson: { ...row?.inputJson, messages: [said] },
          expectedJson: { ...row?.expectedJson, args: { to: CARD } },
        });
        const ofReply = eq(messages.conversationId, reply.conversationId);
        await tx
          .update(messages)
          .set({ text: `${SAID} ${CODE}` })
          .where(ofReply);
        const call = and(eq(agentToolCalls.tenantId, office.tenantId));
        await tx
          .update(agentToolCalls)
          .set({ result: { note, pin: "4821" } })
          .where(call);
      });
    });

    it("in the two exports", async () => {
      const labelled = await office.lines(`${LABELS}/export.jsonl`);
      expect(labelled.rows).toHaveLength(1);
      expectNone(labelled.rows);
      expect(labelled.rows[0]?.toolCall.result.pin).toBe("[removed]");
      const { rows } = await office.lines(`${CASES}/export.jsonl`);
      expect(rows).toHaveLength(1);
      expectNone(rows);
      expect(JSON.stringify(rows)).toContain("I am at Patong beach.");
      expect(checkRecord(rows[0]).faults).toEqual([]);
    });

    it("in lists and answers", async () => {
      expectNone((await office.operator("GET", CASES)).body);
      expectNone((await office.admin("POST", `${CASES}/1/archive`)).body);
    });
  });

  describe("a file of conversations", () => {
    const exports = [`${LABELS}/export.jsonl`, `${CASES}/export.jsonl`];

    it.each(exports)("%s is not for operators", async (path) => {
      const { status, body } = await office.operator("GET", path);
      expect([status, body.error.code]).toEqual([403, "forbidden"]);
      expect(body.error.message).toMatch(/^Only an admin may take this as a file/);
      const headed = await part.call("HEAD", path, { token: office.operatorToken });
      expect(headed.status).toBe(403);
    });

    it("is for admins and the holder of ADMIN_TOKEN, and the trail says who took it", async () => {
      for (const path of exports) {
        await office.lines(path);
        const headers = { authorization: `Bearer ${SETUP_TOKEN}` };
        const address = `http://localhost/api/admin${path}?tenant=${office.tenantId}`;
        const answer = await part.admin.fetch(new Request(address, { headers }));
        expect(answer.status).toBe(200);
        await answer.text();
      }
      const lines = await office.rows((tx) => tx.select().from(auditLog));
      const taken = lines
        .filter(({ eventType }) => eventType.endsWith(".exported"))
        .map(({ eventType, userId }) => `${eventType} ${userId}`);
      expect(taken.sort()).toEqual(
        [office.ids.admin, "setup"]
          .flatMap((who) => [`feedback.exported ${who}`, `regression_cases.exported ${who}`])
          .sort(),
      );
    });
  });
});
