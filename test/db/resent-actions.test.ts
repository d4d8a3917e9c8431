import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { setApproval } from "../../src/store/approvals.ts";
import { exchangeSettingsOf, putExchangeSettings } from "../../src/store/exchange-settings.ts";
import { changeOrder } from "../../src/store/orders.ts";
import { endPayoutStop, stopPayouts } from "../../src/store/payout-stop.ts";
import { forEachEngine } from "../support/database.ts";
import { officeRules, TENANT } from "../support/office.ts";
import { openScriptedOffice, type ScriptedOffice } from "../support/scripted-gateway.ts";

type Lead = Awaited<ReturnType<ScriptedOffice["approvedLead"]>>;
const ABSENT = { status: 404 };

forEachEngine((open) => {
  let office: ScriptedOffice;
  let lead: Lead;
  beforeAll(async () => {
    office = await openScriptedOffice(open);
  });
  beforeEach(async () => {
    office.forget();
    lead = await office.approvedLead();
  });
  afterAll(() => office.close());

  /** Nothing of the first sending is known: its keys are taken, and no second payout is asked for. */
  async function staysOpen(): Promise<void> {
    expect(await lead.execution()).toMatchObject({ status: "unknown", resent: true, lookUps: 0 });
    expect(await lead.keys()).toEqual(["unknown", "unknown"]);
    expect(await lead.order()).toMatchObject({ status: "paid" });
    const again = await lead.asks();
    expect(again).toMatchObject({ status: "blocked_by_policy", code: "outcome_unknown" });
    expect(await lead.approvals()).toHaveLength(1);
  }

  /** The provider still knows nothing of it: people are asked whether it happened. */
  async function goesToAPerson(code = "outcome_unknown"): Promise<void> {
    office.steps.push(ABSENT, ABSENT, ABSENT, ABSENT);
    expect(await lead.works(4)).toMatchObject({ status: "waiting_approval" });
    expect(await lead.keys()).toEqual(["unknown", "unknown"]);
    const cards = (await lead.sent()).filter(({ purpose }) => purpose === "card");
    expect(JSON.stringify(cards.at(-1)?.content)).toContain("Did this happen?");
    expect(await lead.asks()).toMatchObject({ code });
    expect(await lead.approvals()).toHaveLength(1);
  }

  describe("a payout of unknown outcome that is sent a second time", () => {
    beforeEach(() => lead.isSentAgain());

    it.each([400, 401, 403, 404, 409, 422, 429, 500])(
      "and answered %i then stays unknown, and a person says what happened",
      async (status) => {
        office.steps.push({ status, body: { message: "no" } });
        await lead.works(1);
        await staysOpen();
        expect(JSON.stringify(await lead.sent())).not.toContain("refused the approved payout");
        await goesToAPerson();
        expect(new Set(office.sentKeys())).toEqual(new Set([lead.approval.id]));
        expect(office.sentKeys()).toHaveLength(2);
      },
    );

    it("and said to have failed in the same breath is asked for by key", async () => {
      office.steps.push("failed");
      await lead.works(1);
      await staysOpen();
      office.steps.push("failed");
      expect(await lead.works(1)).toMatchObject({ status: "failed" });
      expect(await lead.keys()).toEqual(["freed", "freed"]);
      expect(await lead.asks()).toMatchObject({ status: "waiting_approval" });
    });

    it("and refused, though the first one arrives after all, is done once", async () => {
      office.steps.push({ status: 422 });
      await lead.works(1);
      office.steps.push(ABSENT, "paid");
      expect(await lead.works(2)).toMatchObject({ status: "completed" });
      expect(await lead.order()).toMatchObject({ status: "completed" });
    });

    it("and taken is done, with the same key", async () => {
      office.steps.push("paid");
      expect(await lead.works(1)).toMatchObject({ status: "completed", attempts: 2 });
      expect(office.sentKeys()).toEqual([lead.approval.id, lead.approval.id]);
    });

    it("is free for a new request once a person says that it did not happen", async () => {
      office.steps.push({ status: 403 });
      await lead.works(1);
      await goesToAPerson();
      await lead.answers(false);
      expect(await lead.execution()).toMatchObject({ status: "failed" });
      expect(await lead.keys()).toEqual(["freed", "freed"]);
      expect(await lead.asks()).toMatchObject({ status: "waiting_approval" });
    });
  });

  describe("the second sending that is stopped before it leaves", () => {
    beforeEach(() => lead.isSentAgain());
    const isNotSent = async (code?: string) => {
      await lead.works(1);
      expect(office.sentKeys()).toHaveLength(1);
      expect(await lead.execution()).toMatchObject({ status: "unknown", resent: true });
      expect(await lead.keys()).toEqual(["unknown", "unknown"]);
      expect(await lead.approvals()).toHaveLength(1);
      await goesToAPerson(code);
    };

    it("by a rule leaves the first one unknown", async () => {
      await office.rules(officeRules({ allow_call: false }));
      await lead.works(1);
      await office.rules(officeRules());
      office.steps.length = 0;
      expect(office.sentKeys()).toHaveLength(1);
      await staysOpen();
      await goesToAPerson();
    });

    it("by a stop of payouts keeps its place and its keys", async () => {
      const stop = { tenantId: TENANT, by: "someone", reason: "looking", now: office.time.now };
      await office.tenant((tx) => stopPayouts(tx, stop));
      await lead.works(1);
      await office.tenant((tx) => endPayoutStop(tx, stop));
      expect(office.sentKeys()).toHaveLength(1);
      expect(await lead.execution()).toMatchObject({ status: "queued" });
      expect(await lead.keys()).toEqual(["unknown", "unknown"]);
      expect(await lead.asks()).toMatchObject({ code: "DUPLICATE_KEY" });
      office.steps.push({ status: 401 });
      await lead.works(1);
      await staysOpen();
    });

    it("by the client's objection leaves nothing that a refusal could free", async () => {
      const { id } = lead.approval;
      await office.tenant((tx) => setApproval(tx, { tenantId: TENANT, id, status: "frozen" }));
      await isNotSent();
    });

    it("by a stop, an objection and a refusal in the end is asked for by key", async () => {
      const stop = { tenantId: TENANT, by: "someone", reason: "looking", now: office.time.now };
      await office.tenant((tx) => stopPayouts(tx, stop));
      await lead.works(1);
      await office.tenant((tx) => endPayoutStop(tx, stop));
      const { id } = lead.approval;
      await office.tenant((tx) => setApproval(tx, { tenantId: TENANT, id, status: "frozen" }));
      const no = { decision: "reject" as const };
      expect(await office.decides(id, await office.person(), no)).toMatchObject({ accepted: true });
      expect(await lead.execution()).toMatchObject({ status: "unknown", resent: true });
      expect(await lead.keys()).toEqual(["unknown", "unknown"]);
      office.steps.push("paid");
      expect(await lead.works(1)).toMatchObject({ status: "completed" });
      expect(await lead.order()).toMatchObject({ status: "completed" });
      expect(office.sentKeys()).toHaveLength(1);
    });

    it("by what became of the order meanwhile leaves it unknown", async () => {
      const order = await lead.order();
      const which = { tenantId: TENANT, id: order?.id ?? "", now: office.time.now };
      await office.tenant((tx) => changeOrder(tx, which, { payoutMethod: "office_cash" }));
      await isNotSent("DUPLICATE_KEY"); // it would be another payout of the same order
    });
  });

  it("what the gateway may have paid is paid by nobody's hand", async () => {
    await lead.isSentAgain();
    const settings = (payoutProviders: Record<string, "manual">) =>
      office.tenant(async (tx) => {
        const before = await exchangeSettingsOf(tx, TENANT);
        const change = { tenantId: TENANT, now: office.time.now };
        await putExchangeSettings(tx, { ...before, payoutProviders }, change);
      });
    await settings({ thai_bank_transfer: "manual" });
    await lead.works(1);
    await settings({});
    await staysOpen();
    expect(JSON.stringify(await lead.sent())).not.toContain("pay out by hand");
  });

  describe("a refusal of what was sent once", () => {
    const SAID = `account 1112223334 of Lea Secretname (lea@x.com, +66 81 234 5678) is blocked; token sk_${"live"}_abcdef0123456789abcdef key=AKIAIOSFODNN7EXAMPLE code 8842-1199 at /srv/app/pay.js:12 https://internal.gw/admin?token=zzz`;
    const PARTS =
      /1112223334|Secretname|lea@x|234 5678|sk_live|AKIA|8842|pay\.js|internal\.gw|token=zzz/;

    it("is certain, and frees its keys", async () => {
      office.steps.push({ status: 422, body: { message: "the account is closed" } });
      expect(await lead.works(1)).toMatchObject({ status: "failed" });
      expect(await lead.keys()).toEqual(["freed", "freed"]);
    });

    it("tells people what was said, cleaned, and the model nothing of it", async () => {
      office.steps.push({ status: 422, body: { error: SAID } });
      await lead.works(1);
      const { reply } = await office.candidate(lead.approval.candidateId);
      expect(reply).toMatchObject({
        error: {
          code: "PROVIDER_ERROR",
          message: "the payout gateway refused it (status 422); an operator was asked",
        },
      });
      const shown = JSON.stringify((await lead.sent()).map(({ content }) => content));
      expect(shown).toContain("the payout gateway refused the approved payout: account [ours]");
      const refusals = JSON.stringify((await lead.sent()).at(-1)?.content);
      expect(refusals).toContain("is blocked");
      expect(refusals).not.toMatch(PARTS);
      const kept = [reply, await lead.results(), await lead.events()];
      const trail = await office.auditOf(lead.conversationId);
      expect(JSON.stringify([...kept, trail.map(({ summary }) => summary)])).not.toMatch(/blocked/);
      expect(JSON.stringify([...kept, trail.map(({ summary }) => summary)])).not.toMatch(PARTS);
    });
  });

  it("B10 the log of results has the name that the gateway gave the payout", async () => {
    office.steps.push("pending", "paid");
    await lead.works(2);
    expect(await lead.results()).toMatchObject([
      { status: "pending", externalId: "gw-77" },
      { status: "completed", externalId: "gw-77", resultJson: { data: { payoutId: "gw-77" } } },
    ]);
  });
});
