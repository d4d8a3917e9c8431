import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { forEachEngine } from "../support/engines.ts";
import { type Client, createClient, type DeskProcess, openDeskProcess } from "./desk-process.ts";

/** The answer is held back for longer than any test lasts. */
const FOR_EVER_MS = 600_000;
let lastClient = 7000;

// one house that is killed again and again; a new client each time
forEachEngine((engine) => {
  let desk: DeskProcess;
  let client: Client;
  let card: RegExp;

  beforeAll(async () => {
    desk = await openDeskProcess(engine);
  });
  afterAll(() => desk?.close());
  beforeEach(() => {
    lastClient += 1;
    client = createClient(desk, lastClient);
    card = new RegExp(`^Payout: approve\\?[^]*${client.name}`);
    desk.mark();
  });

  it("takes the first click after a restart on a card that was open before", async () => {
    await reachesCard();
    await killAndStart();
    expect(await desk.approves(card)).toMatch(/^A-\d+ approved/);
    await isPaidOutOnce();
    expect(await desk.approves(card)).toMatch(/^Already approved/);
    await isPaidOutOnce();
  });

  it("pays once when it is killed right after Approve was answered", async () => {
    await reachesCard();
    expect(await desk.approves(card)).toMatch(/^A-\d+ approved/);
    await killAndStart();
    await isPaidOutOnce();
  });

  it("pays once when it is killed after the gateway paid and before its answer came", async () => {
    await reachesCard();
    await holdNext("payout", "drop_response_after_effect");
    await desk.approves(card);
    await desk.happened(({ kind }) => kind === "payout.recorded");
    await killAndStart();
    await isPaidOutOnce();
  });

  it("pays once when it is killed before the request reached the gateway", async () => {
    await reachesCard();
    await holdNext("payout", "latency");
    await desk.approves(card);
    await desk.happened(({ kind, data }) => kind === "fault.used" && data.service === "payout");
    await killAndStart();
    await isPaidOutOnce();
  });

  it("answers once the client whose message it was thinking about", async () => {
    await desk.world.post("model/script", [{ content: "never said", delay_ms: FOR_EVER_MS }]);
    await client.writes({ text: "До скольки вы работаете?" });
    await desk.happened(({ kind }) => kind === "model.step_taken");
    await killAndStart();
    await desk.settles();
    expect(await client.heard()).toEqual([expect.stringContaining("10:00-22:00")]);
  });

  it("shows one card when it is killed after Slack took it and before the answer came", async () => {
    await client.pays();
    await holdNext("slack", "drop_response_after_effect");
    await client.writes({ text: "Когда подойти?" });
    await desk.happened(
      ({ kind, data }) =>
        kind.startsWith("slack.") && /Payout: approve\?/.test(JSON.stringify(data)),
    );
    await killAndStart();
    await desk.settles();
    await hasOneCard();
  });

  it("shows one card when it is killed before the card reached Slack", async () => {
    await client.pays();
    await holdNext("slack", "latency");
    await client.writes({ text: "Когда подойти?" });
    await desk.happened(({ kind, data }) => kind === "fault.used" && data.service === "slack");
    await killAndStart();
    await desk.settles();
    await hasOneCard();
  });

  async function reachesCard(): Promise<void> {
    await client.pays();
    await client.says("Когда подойти?");
    expect(await desk.cards(card)).toHaveLength(1);
    desk.mark();
  }

  async function killAndStart(): Promise<void> {
    await desk.kill();
    await desk.start();
  }

  async function holdNext(service: string, kind: string): Promise<void> {
    desk.mark();
    await desk.world.post("faults", { service, kind, delay_ms: FOR_EVER_MS, count: 1 });
  }

  async function hasOneCard(): Promise<void> {
    expect(await desk.cards(card)).toHaveLength(1);
    expect(await desk.approves(card)).toMatch(/^A-\d+ approved/);
    await isPaidOutOnce();
  }

  async function isPaidOutOnce(): Promise<void> {
    await desk.settles();
    const [shown] = await desk.cards(card);
    const [order] = /EX-\d+/.exec(shown?.text ?? "") ?? [];
    const payouts: { order_id: string }[] = await desk.world.get("payouts");
    expect(payouts.filter(({ order_id }) => order_id === order)).toMatchObject([
      { amount: "62600", currency: "THB" },
    ]);
    expect(await desk.admin(`/exchange/orders/${order}`)).toMatchObject({ status: "payout" });
    const told = (await client.heard()).filter((text) => text.includes("Оператор одобрил выдачу"));
    expect(told).toHaveLength(1);
  }
});
