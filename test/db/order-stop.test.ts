import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { endOrderStop, stopOrders } from "../../src/store/order-stop.ts";
import { forEachEngine } from "../support/database.ts";
import { type Desk, MINUTE, orderOf, startDesk, startLead } from "./tools-support.ts";

const TERMS = { asset: "USDT", amount: "450", amountMode: "source_amount" };
const ORDER = { ...TERMS, payoutMethod: "courier_cash" };

forEachEngine((open) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await startDesk(open);
  });
  afterAll(() => desk.close());
  const ending = () => ({ tenantId: "desk", by: "alice", reason: "a test", now: desk.clock.now });
  const stop = () => desk.tenant((tx) => stopOrders(tx, ending()));
  afterEach(() => desk.tenant((tx) => endOrderStop(tx, ending())));

  describe("while new orders are stopped", () => {
    it("a yes to a quote makes none: the lead is told kindly, and a person is asked", async () => {
      const lead = await startLead(desk);
      await lead.does("compute_exchange_quote", TERMS);
      await lead.says("yes");
      await stop();
      const refused = await lead.does("create_exchange_order", ORDER);
      expect(refused).toMatchObject({
        ok: false,
        data: { reason: "orders_stopped", needsOperator: true },
      });
      expect(refused.summary).toMatch(/kindly/);
      expect(await lead.order()).toBeNull();
      expect(await lead.handoffs()).toEqual(["operator_request"]);
    });

    it("nobody is asked for documents in vain", async () => {
      await stop();
      const lead = await startLead(desk, { kyc: "missing" });
      await lead.does("compute_exchange_quote", TERMS);
      await lead.says("yes");
      const refused = await lead.does("create_exchange_order", ORDER);
      expect(refused.data).toMatchObject({ reason: "orders_stopped" });
    });

    it("an order that was made before goes on", async () => {
      const lead = await startLead(desk);
      const order = await orderOf(lead, { payoutMethod: "courier_cash" });
      await stop();
      const again = await lead.does("create_exchange_order", ORDER);
      expect(again).toMatchObject({ ok: true, data: { orderId: `EX-${order.number}` } });
      expect(await lead.does("fetch_exchange_requisites")).toMatchObject({ ok: true });
      expect(await lead.handoffs()).toEqual([]);
    });

    it("an order whose time is over is not brought back", async () => {
      const lead = await startLead(desk);
      await orderOf(lead, { payoutMethod: "courier_cash" });
      desk.clock.now += 60 * MINUTE;
      await stop();
      const refused = await lead.does("fetch_exchange_requisites");
      expect(refused.data).toMatchObject({ reason: "orders_stopped", needsOperator: true });
    });
  });

  it("orders are made again once they are resumed", async () => {
    await stop();
    await desk.tenant((tx) => endOrderStop(tx, ending()));
    const lead = await startLead(desk);
    expect((await orderOf(lead, { payoutMethod: "courier_cash" })).status).toBe("awaiting_payment");
  });
});
