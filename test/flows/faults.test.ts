import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Fault } from "../../src/sandbox/faults.ts";
import { openDesk } from "../support/desk.ts";
import type { Desk } from "../support/desk-people.ts";
import { forEachEngine } from "../support/engines.ts";
import type { Played } from "../support/played-world.ts";

forEachEngine((engine) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(engine);
  });
  afterAll(() => desk.close());
  const clear = (fault: Pick<Fault, "service" | "kind">) => desk.fault({ ...fault, count: 0 });
  afterEach(() => desk.script([]));

  describe("the payout gateway", () => {
    test.each<[string, Omit<Fault, "service">]>([
      ["loses its answer after it has paid", { kind: "drop_response_after_effect", count: 1 }],
      ["is away for a moment before it pays", { kind: "down", count: 1 }],
      ["fails with a 500 once", { kind: "status", status: 500, count: 1 }],
    ])("%s: the lead is paid exactly once and told", async (_, fault) => {
      const lena = desk.lead();
      await lena.reachesPayout();
      await lena.hears();
      await desk.fault({ service: "payout", ...fault });
      await desk.operator("U0ALICE").presses("Approve", await lena.card());
      await desk.advance(5);
      await desk.advance(60);
      expect(await desk.payoutsOf(lena)).toHaveLength(1);
      const { orders, conversation, executions } = await lena.trace();
      expect([orders[0].status, conversation.stage]).toEqual(["payout", "payout_or_completion"]);
      expect(executions.at(-1).status).toBe("completed");
      expect(await lena.hears()).toMatch(/выда|выплат/i);
    });

    test("says no: nothing is paid, the order is paid-for again, and the lead hears no success", async () => {
      const lena = desk.lead();
      await lena.reachesPayout();
      await lena.hears();
      await desk.world.post("payout/next", { status: "failed", reason: "no_cash" });
      await desk.operator("U0ALICE").presses("Approve", await lena.card());
      await desk.advance(60);
      const { orders, conversation } = await lena.trace();
      expect([orders[0].status, conversation.stage]).toEqual(["paid", "payment_verified"]);
      const told = await lena.hears();
      expect(told).not.toBe("");
      expect(told).not.toMatch(/одобрена и оформлена|выдача готова|можно забирать/i);
    });

    test("gives a code: only the lead sees it, and nothing of ours keeps it in the clear", async () => {
      const code = "90417365";
      const lena = desk.lead();
      await lena.reachesPayout({ words: "сниму баты в банкомате без карты" });
      await lena.hears();
      await desk.world.post("payout/next", { status: "completed", code });
      await desk.operator("U0ALICE").presses("Approve", await lena.card());
      await lena.says("Спасибо, а когда вы работаете?");
      const withCode = (await lena.chat()).filter(({ text }) => text.includes(code));
      expect(withCode).toHaveLength(1);
      expect(withCode[0]).toMatchObject({ from_bot: true, protected: true });
      const spread = {
        model: JSON.stringify(await desk.modelRequests()).includes(code),
        log: desk.logged.some((line) => line.includes(code)),
        trace: JSON.stringify(await lena.trace()).includes(code),
        cards: JSON.stringify(await desk.slackCards()).includes(code),
        database: await desk.databaseHolds(code),
      };
      expect(spread).toEqual({
        model: false,
        log: false,
        trace: false,
        cards: false,
        database: false,
      });
      expect(await desk.databaseHolds("Спасибо, а когда вы работаете?")).toBe(true); // the look is real
    });
  });

  describe("Telegram", () => {
    test("loses the answer to a reply: it is uncertain and is not sent twice", async () => {
      const lena = desk.lead();
      await lena.says("hello");
      const words = "The office has a green door.";
      await desk.script([{ content: words }]);
      await desk.fault({ service: "telegram", kind: "drop_response_after_effect", count: 3 });
      await lena.writes({ text: "what colour is your door?" });
      await desk.idle();
      await clear({ service: "telegram", kind: "drop_response_after_effect" });
      await desk.advance(120);
      expect((await lena.chat()).filter(({ text }) => text === words)).toHaveLength(1);
      const row = (await lena.trace()).outbox.findLast(
        ({ purpose }: Played) => purpose === "reply",
      );
      expect(row.status).toBe("uncertain");
    });
  });

  describe("Slack", () => {
    test("is away while a card is due: it comes afterwards, once", async () => {
      const lena = desk.lead();
      await lena.says("hello");
      await desk.fault({ service: "slack", kind: "status", status: 503, count: 1000 });
      await lena.writes({ photo: {} });
      await lena.writes({ video_note: {} });
      // on a slow machine the second file may come late, and the newer request takes the place
      const isAsked = ({ status }: Played) => status === "pending";
      await until(async () => (await lena.trace()).approvals.some(isAsked));
      await clear({ service: "slack", kind: "status" });
      await desk.advance(120);
      const { approvals } = await lena.trace();
      const name = new RegExp(`\\bA-${approvals.at(-1).number}\\b`);
      expect((await desk.slackCards()).filter(({ text }) => name.test(text))).toHaveLength(1);
      expect(await desk.operator("U0BOB").presses("Approve", await lena.card())).toMatch(
        /approved/,
      );
      expect((await lena.trace()).contact.attributes.exchangeKyc.status).toBe("verified");
    });
  });

  describe("the model", () => {
    test("gives no answer: the lead is told once, a person is called, and later it works again", async () => {
      const lena = desk.lead();
      await desk.fault({ service: "model", kind: "status", status: 500, count: 1000 });
      await lena.writes({ text: "How much baht do I get for 1000 USDT on TRC20?" });
      await until(async () => (await desk.world.get("faults")).some((f: Fault) => f.count < 1000));
      await desk.advance(120);
      await desk.advance(120);
      await desk.advance(120);
      expect((await lena.hears()).split("\n")).toHaveLength(1);
      expect((await lena.trace()).handoffs).toHaveLength(1);
      await clear({ service: "model", kind: "status" });
      await desk.advance(5); // a model that failed last is not asked at once
      expect(await lena.says("How much baht do I get for 1000 USDT on TRC20?")).toContain("31300");
    });
  });
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  await expect.poll(holds, { timeout: 60_000, interval: 100 }).toBe(true);
}
