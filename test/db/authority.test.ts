import { eq, sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { formOf } from "../../src/desk/forms.ts";
import type { ClickEvent } from "../../src/domain/inbound.ts";
import { exchangeSettingsOf } from "../../src/store/exchange-settings.ts";
import { listPolicyRows } from "../../src/store/policies.ts";
import { approvalQueue, approvalVotes } from "../../src/store/schema/approvals.ts";
import { auditLog } from "../../src/store/schema/tenancy.ts";
import { staffById } from "../../src/store/staff.ts";
import type { AuthorityChange } from "../../src/tools/change-authority/kinds.ts";
import { forEachEngine } from "../support/database.ts";
import { rule, TENANT } from "../support/office.ts";
import { AUTHORITY_RULE, type Authority, openAuthority } from "../support/office-authority.ts";

const MINUTE = 60_000;

forEachEngine((open) => {
  let site: Authority;
  let maker: string;
  beforeEach(async () => {
    site = await openAuthority(open);
    maker = await site.office.person("admin");
  });
  afterEach(() => site.close());

  const approves = (id: string, who: string) => site.office.decides(id, who);
  const rejects = (id: string, who: string) =>
    site.office.decides(id, who, { decision: "reject", reason: "not now" });
  const statusOf = async (id: string) => (await site.office.approval(id)).status;

  describe("with two admins", () => {
    let second: string;
    beforeEach(async () => {
      second = await site.office.person("admin");
    });

    it("the form of a rejection promises no client the reason", async () => {
      const { id } = await site.asks(maker, site.requisite("700000001"));
      const click: ClickEvent = {
        ...{ kind: "click", action: "reject", value: id, messageId: "1" },
        ...{ messenger: "telegram", channelId: "tg", eventKey: "press", chatId: "-100" },
        ...{ chatKind: "group", threadId: null, sentAt: site.office.time.now },
        person: { id: "1", teamId: "", name: "U", isBot: false },
      };
      const form = await site.office.tenant(async (tx) =>
        formOf(tx, site.office.desk, {
          ...{ tenantId: TENANT, staff: await staffById(tx, TENANT, second), click },
        }),
      );
      expect(form?.fields[0]?.label).toBe("Reason (the staff reads it)");
    });

    it("the second one approves, it is done once, and everybody is told", async () => {
      const asked = await site.asks(maker, site.requisite("700000001"));
      expect(asked).toMatchObject({
        kind: "asked",
        approval: "A-1",
        deciding: { kind: "another_admin" },
      });
      expect(await approves(asked.id, second)).toMatchObject({ accepted: true, code: "approved" });
      expect(await site.requisiteNow()).toBeNull(); // the queue does it
      await site.works();
      await site.works();
      expect(await site.requisiteNow()).toBe("700000001");
      expect((await site.told()).at(-1)).toMatch(
        /^A-1 is in force\. Asked for by: admin .*; exchange_binance_id: not set → \d+\. Approved by admin /,
      );
      const audit = await site.office.tenant((tx) =>
        tx.select().from(auditLog).where(eq(auditLog.eventType, "requisite.set")),
      );
      expect(audit).toMatchObject([{ userId: maker, refs: { name: "exchange_binance_id" } }]);
    });

    it("neither whoever asked nor an operator approves it", async () => {
      const { id } = await site.asks(maker, site.requisite("1234"));
      expect(await approves(id, maker)).toMatchObject({ code: "forbidden" });
      const operator = await site.office.person();
      expect(await approves(id, operator)).toMatchObject({ code: "forbidden" });
      expect(await rejects(id, operator)).toMatchObject({ code: "forbidden" });
      expect(await statusOf(id)).toBe("pending");
    });

    it("whoever asked may take it back", async () => {
      const { id } = await site.asks(maker, site.requisite("1234"));
      expect(await rejects(id, maker)).toMatchObject({ accepted: true });
      expect((await site.told()).at(-1)).toMatch(
        /^A-1 was rejected by admin .*; nothing was changed/,
      );
    });

    it("nothing takes effect by itself, however long it waits", async () => {
      const { id } = await site.asks(maker, site.requisite("1234"));
      site.office.time.now += 11 * MINUTE;
      await site.stepsOn(id);
      expect(await statusOf(id)).toBe("pending");
      site.office.time.now += 24 * 60 * MINUTE;
      await site.stepsOn(id);
      await site.works();
      expect(await site.requisiteNow()).toBeNull();
    });

    it("what it replaces was changed meanwhile: it is stopped, and said", async () => {
      const first = await site.asks(maker, site.requisite("1111"));
      await approves(first.id, second);
      await site.office.tenant((tx) =>
        site.secrets.set(tx, {
          ...{ tenantId: TENANT, name: "exchange_binance_id", value: "2222" },
          ...{ by: "setup", now: 1 },
        }),
      );
      await site.works();
      expect(await site.requisiteNow()).toBe("2222");
      expect((await site.told()).at(-1)).toMatch(
        /^A-1 was approved and could not be carried out: what it would replace was changed meanwhile/,
      );
    });

    it("the same may be asked for again after it was done and undone", async () => {
      for (const value of ["1111", "2222", "1111"]) {
        const { id } = await site.asks(maker, site.requisite(value));
        await approves(id, second);
        await site.works();
        expect(await site.requisiteNow()).toBe(value);
      }
    });

    it("a newer request about the same takes the place of an older one", async () => {
      const first = await site.asks(maker, site.requisite("1111"));
      const other = await site.asks(second, site.requisite("2222"));
      expect(await statusOf(first.id)).toBe("superseded");
      expect(await approves(other.id, maker)).toMatchObject({ accepted: true });
    });

    it("a value that somebody put in the place of another is not taken", async () => {
      const asked = await site.asks(maker, site.requisite("1111"));
      const forged = site.requisite("6666");
      await site.office.tenant((tx) =>
        tx.execute(
          sql`update tool_call_candidates set arguments_json = jsonb_set(arguments_json, '{change}', ${JSON.stringify(forged)}::jsonb)`,
        ),
      );
      await approves(asked.id, second);
      await site.works();
      expect(await site.requisiteNow()).toBeNull();
    });

    it("its maker is suspended: nobody decides on it any more", async () => {
      const { id } = await site.asks(maker, site.requisite("1111"));
      await site.suspends(maker, second);
      expect(await statusOf(id)).toBe("cancelled");
      expect((await site.card(id)).outcome).toMatch(/^Cancelled: whoever asked for it/);
      expect(await approves(id, second)).toMatchObject({ code: "already_decided" });
    });
  });

  describe("with one admin", () => {
    /** Asked for, and its card was delivered to the operators. */
    const asksSeen = async (value = "1111") => {
      const asked = await site.asks(maker, site.requisite(value));
      await site.sends();
      return asked;
    };

    it("it takes effect by itself after ten minutes, and the card says so", async () => {
      const asked = await asksSeen();
      const card = await site.card(asked.id);
      expect(card.buttons.map(({ label }) => label)).toEqual(["Reject"]);
      expect(card.facts.at(-1)).toEqual({
        label: "Takes effect by itself",
        value: "at 2026-11-01T09:10Z, unless somebody presses Reject",
      });
      site.office.time.now += 10 * MINUTE - 1;
      await site.stepsOn(asked.id);
      expect(await statusOf(asked.id)).toBe("pending");
      site.office.time.now += 1;
      await site.stepsOn(asked.id);
      await site.stepsOn(asked.id);
      await site.works();
      expect(await site.requisiteNow()).toBe("1111");
      expect(await site.office.approval(asked.id)).toMatchObject({
        ...{ status: "approved", approver: maker, decidedVia: "delay" },
      });
      expect((await site.card(asked.id)).outcome).toMatch(/^Took effect by itself, /);
      expect((await site.told()).at(-1)).toMatch(/^A-1 is in force\..*Nobody rejected it in time/);
    });

    it.each(["an operator", "the admin himself"])("%s ends it in time", async (who) => {
      const operator = await site.office.person();
      const { id } = await asksSeen();
      site.office.time.now += 9 * MINUTE;
      const decided = await rejects(id, who === "an operator" ? operator : maker);
      expect(decided).toMatchObject({ accepted: true, code: "rejected" });
      site.office.time.now += 5 * MINUTE;
      await site.stepsOn(id);
      await site.works();
      expect(await site.requisiteNow()).toBeNull();
    });

    it("the admin cannot hurry it, and an operator cannot approve it", async () => {
      const operator = await site.office.person();
      const { id } = await asksSeen();
      expect(await approves(id, maker)).toMatchObject({ code: "forbidden" });
      expect(await approves(id, operator)).toMatchObject({ code: "forbidden" });
    });

    it("another admin is there by then: that one decides", async () => {
      const { id } = await asksSeen();
      const second = await site.office.person("admin");
      site.office.time.now += 11 * MINUTE;
      await site.stepsOn(id);
      expect(await site.office.approval(id)).toMatchObject({
        ...{ status: "pending", approvesItselfAt: null },
      });
      expect((await site.card(id)).buttons.map(({ label }) => label)).toEqual([
        "Approve",
        "Reject",
      ]);
      await approves(id, second);
      await site.works();
      expect(await site.requisiteNow()).toBe("1111");
    });

    it("a due time that somebody moved in the database moves nothing", async () => {
      const { id } = await asksSeen();
      await site.office.tenant((tx) =>
        tx
          .update(approvalQueue)
          .set({ approvesItselfAt: 1, nextStepAt: 1 })
          .where(eq(approvalQueue.id, id)),
      );
      await site.stepsOn(id);
      await site.works();
      expect(await site.requisiteNow()).toBeNull();
    });
  });

  describe("every kind", () => {
    const done = async (change: AuthorityChange) => {
      const { id } = await site.asks(maker, change);
      await approves(id, await site.office.person("admin"));
      await site.works();
      return site.office.approval(id);
    };

    it("a rule of the policy", async () => {
      const stricter = rule("issue_exchange_payout", {
        requires_approval: true,
        approvals_required: 2,
      });
      await site.office.person("admin");
      const approval = await done({ kind: "policy", set: [stricter], remove: ["rule-keep_draft"] });
      expect(approval.materialJson.slice(1)).toEqual([
        {
          label: "rule-issue_exchange_payout",
          value: "Payout, every role: approvals 1 (operator) → 2 (operator)",
        },
        {
          label: "rule-keep_draft",
          value: "removed: keep_draft, every role: allowed, calls a run 10, bytes 80000",
        },
      ]);
      const rows = await site.office.tenant((tx) => listPolicyRows(tx, TENANT));
      expect(rows).toContainEqual(stricter);
      expect(rows.map(({ id }) => id)).not.toContain("rule-keep_draft");
      expect(rows.map(({ tool_name }) => tool_name)).toContain("change_authority");
    });

    it("who pays out, and how much one person may let go", async () => {
      await site.office.person("admin");
      const approval = await done({
        ...{ kind: "payout_rules", providers: { office_cash: "http" } },
        ...{ operatorDailyCap: "100000" },
      });
      expect(approval.materialJson.slice(1)).toEqual([
        { label: "office_cash", value: "by hand → the gateway" },
        { label: "Payouts that one person may approve a day", value: "no limit → 100000" },
      ]);
      const settings = await site.office.tenant((tx) => exchangeSettingsOf(tx, TENANT));
      expect(settings).toMatchObject({
        ...{ operatorDailyCap: "100000", payoutProviders: { office_cash: "http" } },
      });
    });

    it("a person's role and return", async () => {
      const operator = await site.office.person();
      await site.office.person("admin");
      await site.suspends(operator, maker);
      const change = { op: "update", staffId: operator, role: "admin", restore: true } as const;
      const approval = await done({ kind: "staff", change });
      expect(approval.materialJson.slice(2)).toEqual([
        { label: "Role", value: "operator → admin" },
        { label: "State", value: "suspended → active" },
      ]);
      const person = await site.office.tenant((tx) => staffById(tx, TENANT, operator));
      expect(person).toMatchObject({ role: "admin", status: "active" });
    });

    it("the last admin's role stays", async () => {
      const change = { op: "update", staffId: maker, role: "operator" } as const;
      await expect(site.asks(maker, { kind: "staff", change })).rejects.toThrow(
        /last active admin/,
      );
    });
  });

  describe("a suspension", () => {
    it("voids votes that are not decided, and the card counts anew", async () => {
      await site.office.rules([
        rule("issue_exchange_payout", { requires_approval: true, approvals_required: 2 }),
        ...AUTHORITY_RULE,
      ]);
      const [first, second] = [await site.office.person(), await site.office.person()];
      const lead = await site.lead();
      const approval = await lead.asksPayout();
      expect(await approves(approval.id, first)).toMatchObject({ code: "counted" });
      expect((await site.card(approval.id)).footer.join()).toContain("1/2");
      await site.suspends(first, second);
      expect((await site.card(approval.id)).footer.join()).toContain("0/2");
      const votes = await site.office.tenant((tx) =>
        tx.select().from(approvalVotes).where(eq(approvalVotes.approvalId, approval.id)),
      );
      expect(votes).toMatchObject([{ staffId: first, voidedAt: site.office.time.now }]);
      expect(await approves(approval.id, first)).toMatchObject({ code: "forbidden" });
      expect(await approves(approval.id, second)).toMatchObject({ code: "counted" });
      expect((await site.told()).at(-1)).toMatch(/^⛔ operator \S+ suspended operator /);
    });

    it("leaves what was carried out, and lets nothing else go", async () => {
      const [first, second] = [await site.office.person(), await site.office.person()];
      const sent = await (await site.lead()).asksPayout();
      await approves(sent.id, first);
      await site.works();
      const unsent = await (await site.lead()).asksPayout();
      await approves(unsent.id, first);
      await site.suspends(first, second);
      await site.works();
      expect(site.office.cashier.paid.map(({ key }) => key)).toEqual([sent.id]);
      expect(await site.office.approval(sent.id)).toMatchObject({ status: "approved" });
      expect(await site.office.approval(unsent.id)).toMatchObject({ status: "pending" });
    });
  });
});
