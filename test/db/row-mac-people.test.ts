import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../src/domain/ids.ts";
import { postCards } from "../../src/store/cards.ts";
import { withOwner } from "../../src/store/db.ts";
import { listDestinations, upsertDestination } from "../../src/store/destinations.ts";
import { exchangeSettingsOf, putExchangeSettings } from "../../src/store/exchange-settings.ts";
import { moveChat } from "../../src/store/move-chat.ts";
import { endPayoutStop, payoutStopOf, stopPayouts } from "../../src/store/payout-stop.ts";
import {
  createStaff,
  ensureStaffIdentity,
  findStaffByIdentity,
  listStaff,
  staffById,
  updateStaff,
} from "../../src/store/staff.ts";
import { ensureTenant, markTenantOpen, tenantById } from "../../src/store/tenants.ts";
import {
  createPersonalToken,
  ensureSetupToken,
  revokeTokensOf,
  verifyToken,
} from "../../src/store/tokens.ts";
import { forEachEngine } from "../support/database.ts";
import { officeRules, TENANT } from "../support/office.ts";
import { clickOf, openPayingOffice, type PayingOffice } from "../support/paying-office.ts";

const SETTINGS = {
  ...{ quoteAsset: "THB", rateRefreshSec: 180, feedStaleSec: 540, riskAmountThreshold: null },
  ...{ riskFirstDealReview: false, riskDailyLimit: null, operatorDailyCap: null },
  ...{ bulkApprovalLimit: null, payoutProviders: { thai_bank_transfer: "manual" as const } },
};

forEachEngine((open) => {
  let office: PayingOffice;
  beforeAll(async () => {
    office = await openPayingOffice(open);
    await office.person("admin");
  });
  afterAll(() => office.close());

  const telegram = (userId: string) => ({ messenger: "telegram" as const, teamId: "", userId });
  const byAccount = (userId: string) =>
    office.tenant((tx) => findStaffByIdentity(tx, { tenantId: TENANT, ...telegram(userId) }));
  const byId = (id: string) => office.tenant((tx) => staffById(tx, TENANT, id));
  const owner = <T>(work: Parameters<typeof withOwner<T>>[1]) => withOwner(office.db, work);
  const tells = async (table: string, id: string) =>
    expect((await office.told(table)).ids.filter((told) => told === id)).toHaveLength(1);

  /** A payout that waits for a decision; nobody of the wrong people can get it paid. */
  async function waitingPayout() {
    const lead = await office.paidLead();
    const { id } = await lead.asks();
    return {
      id,
      async isUnpaid() {
        await lead.worksAll();
        const asked = office.payouts().map(({ order }) => order.order_id);
        expect(asked).not.toContain(`EX-${lead.order.number}`);
      },
    };
  }

  describe("a person", () => {
    it("who raised himself is nobody", async () => {
      await office.rules(officeRules({ approver_role: "admin" }));
      const payout = await waitingPayout();
      const id = await office.person("operator");
      await office.attacks(sql`update staff set role = 'admin' where id = ${id}`);
      expect(await office.decides(payout.id, id)).toMatchObject({ code: "forbidden" });
      await payout.isUnpaid();
      await tells("staff", id);
      await office.rules(officeRules());
    });

    it("who ended his own suspension is nobody", async () => {
      const payout = await waitingPayout();
      const id = await office.person("operator", [telegram("3001")]);
      const change = { status: "suspended" as const };
      await office.tenant((tx) => updateStaff(tx, { tenantId: TENANT, staffId: id }, change));
      await office.attacks(
        sql`update staff set status = 'active', suspended_at = null where id = ${id}`,
      );
      const answer = await office.presses({ action: "approve", value: payout.id, userId: "3001" });
      expect(answer?.text).toMatch(/not|cannot|only/i);
      await payout.isUnpaid();
      await tells("staff", id);
    });

    it("whose row was changed is not made genuine by an honest change", async () => {
      const staffId = await office.person("operator");
      await office.attacks(sql`update staff set role = 'admin' where id = ${staffId}`);
      const renamed = await office.tenant((tx) =>
        updateStaff(tx, { tenantId: TENANT, staffId }, { name: "Eve" }),
      );
      expect(renamed).toBe(false);
      expect(await byId(staffId)).toBeNull();
      await office.attacks(sql`update staff set role = 'operator' where id = ${staffId}`);
      expect(await byId(staffId)).toMatchObject({ role: "operator" });
    });

    it("who was put in, also as a copy with another's hash, is nobody", async () => {
      const original = await office.person("admin");
      const payout = await waitingPayout();
      for (const mac of [sql`''`, sql`mac`]) {
        const id = newId();
        await office.attacks(sql`insert into staff (id, tenant_id, name, role, status, mac, created_at)
          select ${id}, tenant_id, 'Mallory', role, status, ${mac}, created_at
            from staff where id = ${original}`);
        expect(await office.decides(payout.id, id)).toMatchObject({ code: "forbidden" });
        await tells("staff", id);
      }
      await payout.isUnpaid();
      const people = await office.tenant((tx) => listStaff(tx, TENANT));
      expect(people.map(({ name }) => name)).not.toContain("Mallory");
    });

    it("of another office is nobody here", async () => {
      await owner((tx) => ensureTenant(tx, { id: "other", name: "Other", now: 0 }));
      const id = await office.person("admin");
      await office.attacks(sql`update staff set tenant_id = 'other' where id = ${id}`);
      expect(await owner((tx) => staffById(tx, "other", id))).toBeNull();
    });

    it("is not whoever gave himself the person's account", async () => {
      const payout = await waitingPayout();
      const id = await office.person("admin", [telegram("3002")]);
      const account = newId();
      await office.attacks(sql`insert into staff_identities
        (id, tenant_id, staff_id, messenger, team_id, user_id, created_at)
        values (${account}, ${TENANT}, ${id}, 'telegram', '', '6666', now())`);
      const answer = await office.presses({ action: "approve", value: payout.id, userId: "6666" });
      expect(answer?.text).toMatch(/not|cannot|only/i);
      await payout.isUnpaid();
      expect(await byAccount("6666")).toBeNull();
      expect(await byAccount("3002")).toMatchObject({ id });
      await tells("staff_identities", account);
    });

    it("who was suspended and deleted is not made anew by the environment", async () => {
      const id = await office.person("operator", [telegram("3003")]);
      const change = { status: "suspended" as const };
      await office.tenant((tx) => updateStaff(tx, { tenantId: TENANT, staffId: id }, change));
      await office.attacks(sql`delete from staff_identities where staff_id = ${id}`);
      await office.attacks(sql`delete from staff where id = ${id}`);
      const named = { tenantId: TENANT, messenger: "telegram" as const, role: "operator" as const };
      const ensure = (userId: string) =>
        office.tenant((tx) => ensureStaffIdentity(tx, { ...named, userId, now: 1 }));
      await ensure("3003");
      expect(await byAccount("3003")).toBeNull();
      await ensure("3004");
      expect(await byAccount("3004")).toMatchObject({ role: "operator" });
    });
  });

  describe("a token of the admin API", () => {
    const verify = (token: string) => owner((tx) => verifyToken(tx, token, office.time.now));

    it("that was put in opens nothing", async () => {
      const staffId = await office.person("admin");
      const issued = await owner((tx) =>
        createPersonalToken(tx, { tenantId: TENANT, staffId, now: office.time.now, ttlMs: 1000 }),
      );
      expect(await verify(issued.token)).toMatchObject({ staffId });
      const id = newId();
      await office.attacks(sql`insert into api_tokens (id, kind, tenant_id, staff_id, token_hash, mac, created_at)
        select ${id}, kind, tenant_id, staff_id, encode(sha256('mine'), 'hex'), mac, created_at
          from api_tokens where id = ${issued.id}`);
      expect(await verify("mine")).toBeNull();
      await tells("api_tokens", id);
    });

    it("that was revoked, or is over, stays so", async () => {
      const staffId = await office.person("admin");
      const holder = { tenantId: TENANT, staffId, now: office.time.now };
      const issued = await owner((tx) => createPersonalToken(tx, { ...holder, ttlMs: 1000 }));
      expect(await owner((tx) => revokeTokensOf(tx, holder))).toBe(1);
      await office.attacks(sql`update api_tokens set revoked_at = null, expires_at = null
        where id = ${issued.id}`);
      expect(await verify(issued.token)).toBeNull();
    });

    it("for the set-up is the environment's alone, and every office is told of another", async () => {
      const now = office.time.now;
      await owner((tx) => ensureSetupToken(tx, { fromEnv: "of the environment", now }));
      expect(await verify("of the environment")).toEqual({ kind: "setup" });
      const id = newId();
      await office.attacks(sql`insert into api_tokens (id, kind, token_hash, created_at)
        values (${id}, 'setup', encode(sha256('my own'), 'hex'), now())`);
      expect(await verify("my own")).toBeNull();
      await tells("api_tokens", id);
    });
  });

  describe("an event", () => {
    const insert = async (userId: string, action: string, value: string) => {
      const id = newId();
      const event = clickOf({ userId, action, value });
      await office.attacks(sql`insert into inbox
        (id, tenant_id, channel_id, event_key, kind, payload, status, received_at)
        values (${id}, ${TENANT}, 'tg', ${event.eventKey}, 'click', ${JSON.stringify(event)}::jsonb, 'new', now())`);
      return id;
    };

    it("that no messenger brought is put aside", async () => {
      const payout = await waitingPayout();
      await office.person("admin", [telegram("3005")]);
      const id = await insert("3005", "approve", payout.id);
      expect(await office.handles(id)).toBeNull();
      await payout.isUnpaid();
      await tells("inbox", id);
      expect((await office.told("inbox")).ids).toHaveLength(1);
    });

    it("that was changed on its way is put aside; the genuine one is handled once", async () => {
      const payout = await waitingPayout();
      await office.person("admin", [telegram("3006")]);
      const answer = await office.presses({ action: "approve", value: payout.id, userId: "3006" });
      expect(answer?.text).toMatch(/approved/);
      const other = await waitingPayout();
      await office.attacks(sql`update inbox set status = 'new',
        payload = jsonb_set(payload, '{value}', to_jsonb(${other.id}::text))
        where payload->>'value' = ${payout.id}`);
      const [row] = await office.tenant((tx) =>
        tx.execute(sql`select id from inbox where payload->>'value' = ${other.id}`).then(rowsOf),
      );
      await office.handles(row?.id ?? "");
      expect((await office.approval(other.id)).status).toBe("pending");
      await other.isUnpaid();
    });

    it("that is over does not happen again because its row says so", async () => {
      const payout = await waitingPayout();
      await office.person("admin", [telegram("3007")]);
      await office.presses({ action: "reject", value: payout.id, userId: "3007" });
      await office.attacks(sql`update inbox set status = 'new', answer = null
        where payload->>'value' = ${payout.id}`);
      const [row] = await office.tenant((tx) =>
        tx.execute(sql`select id from inbox where payload->>'value' = ${payout.id}`).then(rowsOf),
      );
      expect(await office.handles(row?.id ?? "")).toBeNull();
      await tells("inbox", row?.id ?? "");
    });
  });

  describe("the office's own row", () => {
    it("set back to set-up counts as open, with payouts and orders stopped", async () => {
      const id = "reset";
      await owner((tx) => ensureTenant(tx, { id, name: "Reset", now: 0 }));
      await owner((tx) => markTenantOpen(tx, id, 0));
      await office.attacks(sql`update tenants set state = 'setup' where id = ${id}`);
      const tenant = await owner((tx) => tenantById(tx, id));
      expect(tenant).toMatchObject({ state: "open", agentRole: "" });
      expect(tenant?.payoutsStoppedAt).not.toBeNull();
      expect(tenant?.ordersStoppedAt).not.toBeNull();
      expect(await owner((tx) => markTenantOpen(tx, id, 0))).toBe(false);
    });

    it("does not let a stop of payouts be taken out of it", async () => {
      const payout = await waitingPayout();
      const operator = await office.person("operator");
      await office.decides(payout.id, operator);
      const stop = { tenantId: TENANT, by: "x", reason: "stop", now: office.time.now };
      await office.tenant((tx) => stopPayouts(tx, stop));
      const [before] = await office.tenant((tx) =>
        tx
          .execute(sql`select payouts_stopped_at::text as at from tenants where id = ${TENANT}`)
          .then(rowsOf),
      );
      await office.attacks(sql`update tenants set payouts_stopped_at = null where id = ${TENANT}`);
      await payout.isUnpaid();
      expect(await office.tenant((tx) => payoutStopOf(tx, TENANT))).toMatchObject({
        reason: expect.stringContaining("something other than Countersign"),
      });
      await expect(office.tenant((tx) => endPayoutStop(tx, stop))).rejects.toThrow(/put it back/);
      await tells("tenants", TENANT);
      await office.attacks(sql`update tenants set payouts_stopped_at = ${before?.at}::timestamptz
        where id = ${TENANT}`);
      expect(await office.tenant((tx) => endPayoutStop(tx, stop))).toMatchObject({
        reason: "stop",
      });
    });
  });

  describe("who pays out", () => {
    const byHand = () =>
      office.tenant((tx) =>
        putExchangeSettings(tx, SETTINGS, { tenantId: TENANT, now: office.time.now }),
      );

    it.each([
      [
        "changed to the gateway",
        sql`update exchange_settings set payout_providers = '{"thai_bank_transfer": "http"}'`,
      ],
      ["forgotten", sql`delete from exchange_settings`],
      ["with a hash of nothing", sql`update exchange_settings set mac = ''`],
    ])("%s: the gateway is asked for nothing", async (_how, attack) => {
      await byHand();
      const payout = await waitingPayout();
      await office.decides(payout.id, await office.person("operator"));
      await office.attacks(attack);
      await payout.isUnpaid();
      const settings = await office.tenant((tx) => exchangeSettingsOf(tx, TENANT));
      expect(settings).toMatchObject({
        isForged: true,
        operatorDailyCap: "0",
        payoutProviders: {},
      });
      await byHand();
      const anew = await office.tenant((tx) => exchangeSettingsOf(tx, TENANT));
      expect(anew).toEqual({ ...SETTINGS, isForged: false });
      await tells("exchange_settings", TENANT);
    });
  });

  describe("a chat of the staff", () => {
    const place = { tenantId: TENANT, channelId: "tg", messenger: "telegram" as const, now: 1 };
    const chats = async () =>
      (await office.tenant((tx) => listDestinations(tx, TENANT))).map(({ chatId }) => chatId);

    it("that somebody put in gets no card", async () => {
      const id = newId();
      await office.attacks(sql`insert into destinations
        (id, tenant_id, channel_id, messenger, chat_id, purpose, mac, created_at)
        select ${id}, tenant_id, channel_id, messenger, '-666', purpose, mac, created_at
          from destinations where chat_id = '-100' and purpose = 'operators'`);
      const posted = await office.tenant((tx) =>
        postCards(tx, {
          ...{ jobs: office.jobs, tenantId: TENANT, now: 1, conversationId: null },
          card: { title: "Card", facts: [], footer: [], buttons: [] },
        }),
      );
      expect(posted).toBe(1);
      await tells("destinations", id);
    });

    it("is one again when a person claims it anew", async () => {
      await office.tenant((tx) =>
        upsertDestination(tx, { ...place, chatId: "-666", purpose: "operators" }),
      );
      expect(await chats()).toContain("-666");
    });

    it("that moves is signed under its new id", async () => {
      const old = { tenantId: TENANT, channelId: "tg", chatId: "-666" };
      await office.tenant((tx) => moveChat(tx, old, "-777"));
      expect(await chats()).toContain("-777");
    });
  });

  it("a person's accounts cannot be added to while their list is another's", async () => {
    await owner((tx) => ensureTenant(tx, { id: "unlisted", name: "U", now: 0 }));
    await office.attacks(sql`delete from row_lists where tenant_id = 'unlisted'`);
    const person = { tenantId: "unlisted", name: "X", role: "admin" as const, now: 1 };
    const created = office.tenantOf("unlisted", (tx) =>
      createStaff(tx, { ...person, identities: [telegram("1")] }),
    );
    await expect(created).rejects.toThrow(/list of the staff's accounts/);
  });
});

function rowsOf(result: unknown): { id: string; at: string }[] {
  return Array.isArray(result) ? result : (result as { rows: { id: string; at: string }[] }).rows;
}
