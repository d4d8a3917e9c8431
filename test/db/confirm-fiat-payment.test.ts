import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/domain/json.ts";
import { actionDigest } from "../../src/policy/digest.ts";
import { changeOrder, lockOrder } from "../../src/store/orders.ts";
import type { FollowUp, PreparedAction } from "../../src/tools/contract.ts";
import { dropReceipt } from "../../src/tools/exchange/tools/fiat-receipt.ts";
import { forEachEngine } from "../support/database.ts";
import {
  type Desk,
  finish,
  type Lead,
  MINUTE,
  orderOf,
  prepared,
  startDesk,
  startLead,
  writtenBy,
} from "./tools-support.ts";

const CONFIRM = "confirm_fiat_payment";

forEachEngine((open) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await startDesk(open);
  });
  afterAll(() => desk.close());

  /** A lead who was told where to pay roubles. */
  async function payer(): Promise<Lead> {
    const lead = await startLead(desk);
    const terms = { asset: "RUB", amount: "10000", amountMode: "target_amount" };
    await orderOf(lead, { ...terms, paymentMethod: "sbp_qr", payoutMethod: "courier_cash" });
    return lead;
  }
  /** What a report of a payment has the system propose. */
  async function reports(lead: Lead, receipt: JsonObject = {}): Promise<FollowUp> {
    const work = await lead.works(receipt, "verify_exchange_payment");
    const { result, proposes } = await writtenBy(desk, work);
    expect(result).toMatchObject({
      ok: false,
      data: { reason: "fiat_receipt", needsOperator: true },
    });
    const [follow] = proposes ?? [];
    if (follow?.tool !== CONFIRM) throw new Error("nothing was proposed");
    return follow;
  }
  const prepare = async (lead: Lead, { args }: FollowUp): Promise<PreparedAction> =>
    prepared(await lead.prepares(CONFIRM, args));
  const digestOf = ({ action }: PreparedAction) => actionDigest(CONFIRM, action);
  const shown = ({ material }: PreparedAction, label: string) =>
    material.find((one) => one.label === label)?.value;
  async function rejects(lead: Lead): Promise<void> {
    const order = await lead.order();
    await desk.tenant(async (tx) => {
      const locked = await lockOrder(tx, lead.tenantId, order?.id ?? "");
      if (locked) await dropReceipt(tx, locked, desk.clock.now);
    });
  }

  describe("a reported payment of money", () => {
    it("is asked about with the order's own sum, whatever the lead said", async () => {
      const lead = await payer();
      await lead.says("paid", [{ kind: "photo" }]);
      const follow = await reports(lead, { receiptAmount: "1", payerName: "Ann", sourceBank: "S" });
      const asked = await prepare(lead, follow);
      expect(asked.action).toMatchObject({ amount: "24800", currency: "RUB" });
      expect(asked.businessKey).toBe(`fiat:${follow.args.orderId}`);
      expect(shown(asked, "Expected")).toBe("24800 RUB");
      expect(shown(asked, "Note")).toBe("the sum that was named is not the order's");
      expect(asked.material.at(-1)).toEqual({
        label: "The bot understood (not verified)",
        value: "payer Ann, bank S, sum 1",
      });
      expect(JSON.stringify(asked.material.slice(0, -1))).not.toContain("Ann");
    });

    it("is the same question again until there is something new to look at", async () => {
      const lead = await payer();
      await lead.says("paid", [{ kind: "photo" }]);
      const first = digestOf(await prepare(lead, await reports(lead, { payerName: "Ann" })));
      await lead.says("did you look?");
      expect(digestOf(await prepare(lead, await reports(lead)))).toBe(first);
      await lead.says("another one", [{ kind: "photo" }]);
      const more = await prepare(lead, await reports(lead));
      expect(digestOf(more)).not.toBe(first);
      expect(more.action).toMatchObject({ stated: { payerName: "Ann" } });
      expect(more.files).toEqual([]); // messages of tests have no file behind them
      expect(shown(more, "Receipt")).toBe("photo, photo");
    });

    it("counts no file that came before the details, nor a round video", async () => {
      const lead = await startLead(desk);
      await lead.says("my passport", [{ kind: "photo" }]);
      const terms = { asset: "RUB", amount: "10000", amountMode: "target_amount" };
      await orderOf(lead, { ...terms, paymentMethod: "sbp_qr", payoutMethod: "courier_cash" });
      await lead.says("that is me", [{ kind: "video_note" }]);
      const follow = await reports(lead);
      expect(follow.args.receipts).toEqual([]);
      expect(shown(await prepare(lead, follow), "Receipt")).toBe("no file, only words");
    });

    it("names a forwarded receipt, and a report after the order's time", async () => {
      const lead = await payer();
      desk.clock.now += 30 * MINUTE;
      await lead.says("paid", [{ kind: "photo", forwarded: true }]);
      const notes = (await prepare(lead, await reports(lead))).material.filter(
        ({ label }) => label === "Note",
      );
      expect(notes.map(({ value }) => value)).toEqual([
        expect.stringMatching(/^reported after the order's time/),
        "a receipt was forwarded from somebody else",
      ]);
    });
  });

  describe("the confirmation", () => {
    it("is refused for another conversation's order, or files that are not the lead's", async () => {
      const lead = await payer();
      const stranger = await payer();
      const follow = await reports(lead);
      expect(await stranger.prepares(CONFIRM, follow.args)).toMatchObject({ kind: "refused" });
      const foreign = await stranger.says("mine", [{ kind: "photo" }]);
      const args = { ...follow.args, receipts: [foreign] };
      expect(await lead.prepares(CONFIRM, args)).toMatchObject({ kind: "refused" });
    });

    it("sets the order paid once, at its own price", async () => {
      const lead = await payer();
      const { action } = await prepare(lead, await reports(lead));
      expect(await lead.looksUp(action, CONFIRM, "key")).toEqual({ kind: "absent" });
      const work = await lead.works(action, CONFIRM, "key");
      expect(await finish(desk, work)).toMatchObject({ ok: true, data: { status: "paid" } });
      expect(await lead.order()).toMatchObject({
        ...{ status: "paid", amountReceived: "24800", quoteLockedAt: desk.clock.now },
      });
      expect(await lead.stage()).toBe("payment_verified");
      expect(await lead.looksUp(action, CONFIRM, "key")).toMatchObject({ kind: "found" });
      expect(await finish(desk, await lead.works(action, CONFIRM, "other"))).toMatchObject({
        ok: false,
        data: { reason: "order_changed", needsOperator: true },
      });
    });

    it("of an order that has changed since writes nothing", async () => {
      const lead = await payer();
      const { action } = await prepare(lead, await reports(lead));
      const order = await lead.order();
      const which = { tenantId: lead.tenantId, id: order?.id ?? "", now: desk.clock.now };
      await desk.tenant((tx) => changeOrder(tx, which, { amountFrom: "99999" }));
      expect(await finish(desk, await lead.works(action, CONFIRM, "key"))).toMatchObject({
        ok: false,
        data: { reason: "order_changed" },
      });
      expect(await lead.order()).toMatchObject({ status: "awaiting_payment", paidAt: null });
    });
  });

  describe("a rejection", () => {
    it("frees the order, and the next receipt is a question of its own", async () => {
      const lead = await payer();
      await lead.says("paid", [{ kind: "photo" }]);
      const first = await prepare(lead, await reports(lead, { payerName: "Ann" }));
      desk.clock.now += 90 * MINUTE;
      await rejects(lead);
      expect(await lead.order()).toMatchObject({
        ...{ status: "awaiting_payment", proofReceivedAt: null, expiresAt: desk.clock.now },
      });
      const photo = await lead.says("the right one", [{ kind: "photo" }]);
      const second = await prepare(lead, await reports(lead));
      expect(digestOf(second)).not.toBe(digestOf(first));
      expect(second.action).toMatchObject({ receipts: [photo], stated: {} });
    });

    it("that comes after the order was paid changes nothing", async () => {
      const lead = await payer();
      const { action } = await prepare(lead, await reports(lead));
      await finish(desk, await lead.works(action, CONFIRM, "key"));
      const paid = await lead.order();
      await rejects(lead);
      expect(await lead.order()).toEqual(paid);
    });
  });
});
