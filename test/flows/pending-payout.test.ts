import { afterAll, beforeAll, expect, it } from "vitest";
import { openDesk } from "../support/desk.ts";
import type { Desk, Lead, SlackMessage } from "../support/desk-people.ts";
import { forEachEngine } from "../support/engines.ts";

forEachEngine((engine) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(engine);
  });
  afterAll(() => desk.close());

  /** Alice approves a payout that the gateway only accepts; gives its key. */
  async function accepted(lead: Lead): Promise<string> {
    await lead.reachesPayout();
    await lead.hears();
    await desk.world.post("payout/next", { status: "pending" });
    await desk.operator("U0ALICE").presses("Approve", await lead.card());
    return (await desk.payouts()).at(-1)?.key;
  }

  const order = async (lead: Lead) => (await lead.trace()).orders.at(-1);
  const execution = async (lead: Lead) => (await lead.trace()).executions.at(-1);

  it("tells the lead of an accepted payout only when it is made", async () => {
    const lena = desk.lead();
    const key = await accepted(lena);
    expect(await lena.hears()).toBe("");
    expect(await order(lena)).toMatchObject({ status: "payout" });
    await desk.advance(5);
    await desk.advance(25);
    await desk.advance(60);
    expect(await execution(lena)).toMatchObject({ status: "unknown", look_ups: 3 });
    expect(await lena.hears()).toBe("");
    expect(await lena.says("Где мои деньги?")).toMatch(/провайдер/);
    await desk.world.post(`payout/${key}/settle`, { status: "completed" });
    await desk.advance(60);
    expect(await lena.hears()).toMatch(/одобр/);
    expect((await desk.payouts()).filter((one: { key: string }) => one.key === key)).toHaveLength(
      1,
    );
    expect(await execution(lena)).toMatchObject({ status: "completed", attempts: 1 });
  });

  it("goes back to paid when an accepted payout fails, and a new approval may follow", async () => {
    const oleg = desk.lead();
    const key = await accepted(oleg);
    await desk.world.post(`payout/${key}/settle`, { status: "failed" });
    await desk.advance(30);
    expect(await oleg.hears()).toMatch(/не получилось/);
    expect(await order(oleg)).toMatchObject({ status: "paid" });
    expect((await oleg.trace()).conversation.stage).toBe("payment_verified");
  });

  for (const [said, label] of [
    ["it happened", "Yes, it happened"],
    ["it did not", "No, it did not"],
  ] as const)
    it(`asks people when nobody can tell whether it was made; they say that ${said}`, async () => {
      const olga = desk.lead();
      await olga.reachesPayout();
      await olga.hears();
      await desk.fault({ service: "payout", kind: "drop_response_after_effect", count: 1 });
      await desk.fault({ service: "payout", kind: "down", count: 1000 });
      await desk.operator("U0ALICE").presses("Approve", await olga.card());
      for (const seconds of [2, 5, 30]) await desk.advance(seconds);
      const asked = await olga.card();
      expect(asked.text).toContain("Did this happen?");
      expect(await desk.operator("U0BOB").presses(label, asked)).toContain("Bob");
      await desk.fault({ service: "payout", kind: "down", count: 0 });
      const { orders, conversation } = await olga.trace();
      const happened = label.startsWith("Yes");
      expect([orders[0].status, conversation.stage]).toEqual(
        happened ? ["payout", "payout_or_completion"] : ["paid", "payment_verified"],
      );
      expect(await olga.hears()).not.toBe("");
    });

  it("tells plainly that the documents are checked, and why they were not taken", async () => {
    const vera = desk.lead();
    await vera.says("Здравствуйте, хочу пройти проверку");
    await vera.sends({ photo: {} });
    const card = await vera.card();
    expect((await vera.trace()).approvals.at(-1).client_says).toBeNull();
    await desk.operator("U0ALICE").rejects(card, "фото размыто");
    expect(await vera.hears()).toMatch(/не пройдена.*фото размыто.*прислать ещё раз/);
    await vera.sends({ photo: {} }, { video_note: {} });
    await desk.operator("U0ALICE").presses("Approve", await vera.card());
    expect(await vera.hears()).toBe("Документы проверены, верификация пройдена. Продолжаем?");
  });

  it("asks people once: the approval's card is the handoff", async () => {
    const ira = desk.lead();
    const before = (await desk.slackCards()).length;
    await ira.reachesPayout();
    const { approvals, handoffs } = await ira.trace();
    expect(handoffs).toEqual([]);
    const cards = (await desk.slackCards())
      .slice(before)
      .filter((shown: SlackMessage) => !shown.ephemeral_for && !shown.files);
    expect(cards).toHaveLength(approvals.length);
  });
});
