import { afterEach, beforeEach, expect, it } from "vitest";
import { forEachEngine } from "../support/engines.ts";
import { type DeskProcess, openDeskProcess } from "./desk-process.ts";

const PAYOUT = /^Payout: approve\?/;
/** The answer is held back for longer than any test lasts. */
const FOR_EVER_MS = 600_000;

forEachEngine((engine) => {
  let desk: DeskProcess;

  beforeEach(async () => {
    desk = await openDeskProcess(engine);
  });
  afterEach(() => desk?.close());

  it("takes the first click after a restart on a card that was open before", async () => {
    await desk.pays();
    await desk.says("Когда подойти?");
    await desk.kill();
    await desk.start();
    expect(await desk.approves(PAYOUT)).toMatch(/A-2 approved/);
    await paidOutOnce();
    expect(await desk.approves(PAYOUT)).toMatch(/[Aa]lready approved/);
    await paidOutOnce();
  });

  it("pays once when it is killed right after Approve was answered", async () => {
    await desk.pays();
    await desk.says("Когда подойти?");
    expect(await desk.approves(PAYOUT)).toMatch(/A-2 approved/);
    await desk.kill();
    await desk.start();
    await paidOutOnce();
  });

  it("pays once when it is killed after the gateway paid and before its answer came", async () => {
    await desk.pays();
    await desk.says("Когда подойти?");
    await desk.world.post("faults", {
      service: "payout",
      kind: "drop_response_after_effect",
      delay_ms: FOR_EVER_MS,
      count: 1,
    });
    await desk.approves(PAYOUT);
    await desk.happened(({ kind }) => kind === "payout.recorded");
    await desk.kill();
    await desk.start();
    await paidOutOnce();
  });

  it("pays once when it is killed before the order for the payout reached the gateway", async () => {
    await desk.pays();
    await desk.says("Когда подойти?");
    const fault = { service: "payout", kind: "latency", delay_ms: FOR_EVER_MS, count: 1 };
    await desk.world.post("faults", fault);
    await desk.approves(PAYOUT);
    await desk.happened(({ kind, data }) => kind === "fault.used" && data.service === "payout");
    await desk.kill();
    await desk.start();
    await paidOutOnce();
  });

  it("answers once the lead whose message it was thinking about", async () => {
    await desk.world.post("model/script", [{ content: "никогда", delay_ms: FOR_EVER_MS }]);
    await desk.writes("До скольки вы работаете?");
    await desk.happened(({ kind }) => kind === "model.step_taken");
    await desk.kill();
    await desk.start();
    await desk.settles();
    expect(await desk.heard()).toEqual([expect.stringContaining("10:00-22:00")]);
  });

  it("shows one card when it is killed after Slack took the card and before its answer came", async () => {
    await desk.pays();
    await holdSlack("drop_response_after_effect");
    await desk.writes("Когда подойти?");
    await desk.happened(
      ({ kind, data }) => kind.startsWith("slack.") && /Payout: approve/.test(JSON.stringify(data)),
    );
    await restartsWithOneCard();
  });

  it("shows one card when it is killed before the card reached Slack", async () => {
    await desk.pays();
    await holdSlack("latency");
    await desk.writes("Когда подойти?");
    await desk.happened(({ kind, data }) => kind === "fault.used" && data.service === "slack");
    await restartsWithOneCard();
  });

  async function holdSlack(kind: string): Promise<void> {
    await desk.world.post("faults", { service: "slack", kind, delay_ms: FOR_EVER_MS, count: 1 });
  }

  async function restartsWithOneCard(): Promise<void> {
    await desk.kill();
    await desk.start();
    await desk.settles();
    expect(await desk.cards(PAYOUT)).toHaveLength(1);
    expect(await desk.approves(PAYOUT)).toMatch(/A-2 approved/);
    await paidOutOnce();
  }

  async function paidOutOnce(): Promise<void> {
    await desk.settles();
    const payouts = await desk.world.get("payouts");
    expect(payouts).toMatchObject([{ order_id: "EX-20001", amount: "62600", currency: "THB" }]);
    expect(await desk.admin("/orders/EX-20001")).toMatchObject({ status: "payout" });
    const { items } = await desk.admin("/approvals");
    expect(items.map(({ status }: { status: string }) => status)).toEqual(["approved", "approved"]);
    const told = (await desk.heard()).filter((text) => text.includes("Оператор одобрил выдачу"));
    expect(told).toHaveLength(1);
  }
});
