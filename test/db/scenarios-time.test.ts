import { eq } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { cancelOfBlocked, cancelOpen } from "../../src/desk/cancel-open.ts";
import { decide } from "../../src/desk/decide.ts";
import type { DeskDeps } from "../../src/desk/deps.ts";
import { handleExecution } from "../../src/engine/execution.ts";
import { lockOpenOf } from "../../src/store/objected-approvals.ts";
import { contacts, handoffs } from "../../src/store/schema/chat.ts";
import { staffById } from "../../src/store/staff.ts";
import type { AnyTool } from "../../src/tools/contract.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { createRunner } from "../../src/tools/runner.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, officeRules, openOffice, rule, TENANT } from "../support/office.ts";
import { addLead, call, type OfficeLead } from "../support/office-lead.ts";
import { letterRules, letterTool } from "../support/office-letter.ts";
import { createOfficeTools } from "../support/office-tools.ts";

const SECOND = 1000;

forEachEngine((open) => {
  let office: Office;
  let operator: string;
  const letters: string[] = [];
  /** Product time at which the letters' offer ends; null: it does not. */
  let offerEndsAt: number | null = null;
  const offer = (): AnyTool => {
    const tool = letterTool(letters);
    return {
      ...tool,
      async prepare(tx, args, scope) {
        const prepared = await tool.prepare?.(tx, args, scope);
        if (prepared?.kind !== "action") throw new Error("a letter is always prepared");
        return { ...prepared, validUntil: offerEndsAt };
      },
    };
  };
  beforeAll(async () => {
    office = await openOffice(open, undefined, () => [offer()]);
    await office.rules(letterRules());
    operator = await office.person();
  });
  afterAll(() => office.close());
  afterEach(async () => {
    offerEndsAt = null;
    await office.rules(letterRules());
  });

  const outcomeOn = async (lead: OfficeLead) => {
    const content = (await lead.sent()).findLast(({ purpose }) => purpose === "card_edit")?.content;
    return content?.kind === "card_edit" ? content.card.outcome : undefined;
  };
  const approvedLetter = async () => {
    const lead = await addLead(office, { amountTo: "40000" });
    await lead.proposes([call("send_letter", { subject: "the rate" })]);
    const approval = await lead.approval();
    expect((await office.decides(approval.id, operator)).code).toBe("approved");
    return { lead, approval };
  };

  describe("S13: between the approval and its worker", () => {
    it("the quote ends: nothing is executed, the card says so, and the lead is offered a new one", async () => {
      offerEndsAt = office.time.now + 30 * SECOND;
      const { lead, approval } = await approvedLetter();
      office.time.now += 31 * SECOND;
      const sent = letters.length;
      expect(await lead.works()).toMatchObject({ status: "cancelled" });
      expect(letters).toHaveLength(sent);
      expect(await office.candidate(approval.candidateId)).toMatchObject({
        status: "failed",
        code: "QUOTE_EXPIRED",
        reply: { ok: false, error: { code: "QUOTE_EXPIRED" } },
      });
      expect(await outcomeOn(lead)).toMatch(
        /Approved by operator .*not executed: the quote had expired/,
      );
      expect((await lead.events()).at(-1)?.text).toMatch(/offer a new quote/);
      expect(await lead.runs()).toMatchObject([{ kind: "continuation", status: "queued" }]);
    });

    it("the quote still holds: it is executed", async () => {
      offerEndsAt = office.time.now + 30 * SECOND;
      const { lead } = await approvedLetter();
      office.time.now += 29 * SECOND;
      expect(await lead.works()).toMatchObject({ status: "completed" });
    });

    const verified = async (lead: OfficeLead, status: string) =>
      office.tenant((tx) =>
        tx
          .update(contacts)
          .set({ attributes: { exchangeKyc: { status, verificationId: "KYC-1" } } })
          .where(eq(contacts.id, lead.contactId)),
      );
    it.each<[string, string, (lead: OfficeLead) => Promise<unknown>]>([
      [
        "the limit is lowered",
        "role_not_allowed",
        () => office.rules(officeRules({ condition_json: { amount_to: { $lte: "30000" } } })),
      ],
      [
        "the beneficiary is blocked by a rule",
        "role_not_allowed",
        () =>
          office.rules([
            ...officeRules(),
            rule("issue_exchange_payout", { id: "block", allow_call: false }),
          ]),
      ],
      [
        "the identity check is taken back",
        "role_not_allowed",
        (lead) => verified(lead, "rejected"),
      ],
    ])("%s: it is gated again and not executed", async (_name, reason, meanwhile) => {
      await office.rules(officeRules({ condition_json: { kyc: "verified" } }));
      const lead = await addLead(office, { amountTo: "40000" });
      await verified(lead, "verified");
      const approval = await lead.approvedPayout();
      await meanwhile(lead);
      const paid = office.cashier.paid.length;
      expect(await lead.works()).toMatchObject({ status: "cancelled" });
      expect(office.cashier.paid).toHaveLength(paid);
      expect((await office.candidate(approval.candidateId)).code).toBe(reason);
      // the order is paid: people are asked again, and a press comes to nothing while that lasts
      expect((await office.approval(approval.id)).status).toBe("pending");
      expect(await office.decides(approval.id, operator)).toMatchObject({ code: "gate_refuses" });
    });
  });

  describe("S15: fifty requests are open when the process starts again", () => {
    it("takes the first press on each", async () => {
      const asked = [];
      for (let count = 0; count < 50; count += 1)
        asked.push(await (await addLead(office)).asksPayout());
      // nothing of the earlier process is left but its rows
      const registry = createRegistry(createOfficeTools(office.cashier, office.ran));
      const restarted: DeskDeps = { ...office.desk, registry };
      for (const { id: approvalId } of asked) {
        const decided = await office.tenant(async (tx) => {
          const staff = await staffById(tx, TENANT, operator);
          const decision = { decision: "approve", via: "slack" } as const;
          return decide(tx, restarted, { tenantId: TENANT, approvalId, staff, ...decision });
        });
        expect(decided).toMatchObject({ accepted: true, code: "approved" });
      }
    });
  });

  describe("S17: a decision is there before anybody waits for it", () => {
    it("is carried out though no card was ever posted and no run waits", async () => {
      const lead = await addLead(office);
      const approval = await lead.asksPayout();
      // decided by the API before the outbox has sent a card: it has no message id
      const cards = (await lead.sent()).filter(({ purpose }) => purpose === "card");
      expect(cards).toMatchObject([{ status: "queued", externalIds: [] }]);
      expect((await office.decides(approval.id, operator, { via: "api" })).code).toBe("approved");
      expect(await lead.works()).toMatchObject({ status: "completed" });
      const edits = (await lead.sent()).filter(({ purpose }) => purpose === "card_edit");
      expect(edits.length).toBeGreaterThan(0);
      expect(await lead.runs()).toMatchObject([{ kind: "continuation", status: "queued" }]);
    });
  });

  describe("S19: what waits is cancelled for good", () => {
    const cancels: [string, (lead: OfficeLead) => Promise<void>][] = [
      [
        "the client blocks the bot",
        ({ contactId }) =>
          office.tenant((tx) => cancelOfBlocked(tx, office.desk, { tenantId: TENANT, contactId })),
      ],
      [
        "an operator cancels it",
        ({ conversationId }) =>
          office.tenant(async (tx) => {
            const staff = await staffById(tx, TENANT, operator);
            if (!staff) throw new Error("nobody is there");
            for (const approval of await lockOpenOf(tx, { tenantId: TENANT, conversationId }))
              await cancelOpen(tx, office.desk, approval, { kind: "staff", staff, reason: "done" });
          }),
      ],
    ];
    it.each(cancels)(
      "when %s: the card is closed, and it may be asked for anew",
      async (_, act) => {
        const lead = await addLead(office);
        const approval = await lead.asksPayout();
        await act(lead);
        expect(await office.approval(approval.id)).toMatchObject({ status: "cancelled" });
        expect(await outcomeOn(lead)).toMatch(/^Cancelled/);
        expect((await office.decides(approval.id, operator)).code).toBe("already_decided");
        expect(await office.executionsOf(lead.conversationId)).toEqual([]);
        expect(await office.candidate(approval.candidateId)).toMatchObject({
          status: "failed",
          code: "CANCELLED",
        });
        const next = await lead.asksPayout();
        expect(next.id).not.toBe(approval.id);
        expect((await office.decides(next.id, operator)).code).toBe("approved");
      },
    );
  });

  describe("S19: a payout that was cancelled", () => {
    const cancelled = async (lead: OfficeLead) => {
      const approval = await lead.asksPayout();
      await office.tenant(async (tx) => {
        const { tenantId } = approval;
        await cancelOfBlocked(tx, office.desk, { tenantId, contactId: lead.contactId });
      });
      const asked = await office.tenant((tx) =>
        tx.select().from(handoffs).where(eq(handoffs.conversationId, lead.conversationId)),
      );
      return asked.map(({ reason, summary }) => `${reason}: ${summary}`);
    };

    it("speaks of money that is here where the order is paid, and nowhere else", async () => {
      const [owed] = await cancelled(await addLead(office, { amountTo: "40000" }));
      expect(owed).toMatch(/^payout_review: A-\d+ was cancelled, and the client's money is here$/);
      const [unclear] = await cancelled(await addLead(office));
      expect(unclear).toMatch(
        /^payout_review: A-\d+ was cancelled; no paid order stands behind it/,
      );
    });
  });

  describe("S20: a parked call was made under an older schema", () => {
    it("is gated again after the restart, and never executed under the wrong one", async () => {
      const lead = await addLead(office);
      const approval = await lead.asksPayout();
      // the new release knows the tool with one more field
      const tools = createOfficeTools(office.cashier, office.ran).map((tool) =>
        tool.name === "issue_exchange_payout"
          ? { ...tool, output: z.object({ paid: z.string() }) }
          : tool,
      );
      const registry = createRegistry(tools);
      await office.tenant((tx) => registry.sync(tx, TENANT, office.time.now));
      const { realNow } = office.engine;
      const restarted = {
        ...office.engine,
        ...{ registry, bootId: "boot-2" },
        runner: createRunner({ registry, realNow, timeoutMs: 20_000 }),
      };
      const paid = office.cashier.paid.length;
      const { registry: before } = office.desk;
      office.desk.registry = registry;
      await office.decides(approval.id, operator);
      office.desk.registry = before;
      for (const { id } of await office.executionsOf(lead.conversationId))
        await handleExecution(restarted, { tenantId: TENANT, id }, AbortSignal.timeout(20_000));
      expect(office.cashier.paid).toHaveLength(paid);
      expect((await office.candidate(approval.candidateId)).code).toBe("schema_changed");
      expect(await outcomeOn(lead)).toMatch(/the tool has changed since it was asked for/);
      // asked for anew under the schema that is active then, it goes through
      await office.tenant((tx) => office.registry.sync(tx, TENANT, office.time.now));
      const anew = await lead.asksPayout();
      expect(anew.id).not.toBe(approval.id);
      expect((await office.decides(anew.id, operator)).code).toBe("approved");
    });
  });
});
