import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDesk } from "../support/desk.ts";
import type { Desk } from "../support/desk-people.ts";
import { forEachEngine } from "../support/engines.ts";
import type { Played } from "../support/played-world.ts";

const WALLET = "exchange_wallet_usdt_trc20";
const OTHER_WALLET = "TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf";

forEachEngine((engine) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(engine);
  });
  afterAll(() => desk.close());

  const fails = async (count: number) => {
    for (const service of ["slack", "telegram"] as const)
      await desk.fault({ service, kind: "down", count });
  };
  const walletShown = async (): Promise<string> => {
    const { items } = await desk.admin("GET", "/exchange/requisites");
    return items.find(({ name }: Played) => name === WALLET).value;
  };

  describe("while both messengers are down", () => {
    it("a change of one admin alone does not come into force; its time starts afterwards", async () => {
      const before = await walletShown();
      await fails(100_000);
      const asked = await desk.admin("POST", "/exchange/requisites", { [WALLET]: OTHER_WALLET });
      expect(asked.approves_itself_at).toBeNull();
      await desk.world.post("clock", { advance_s: 300 });
      await desk.world.post("clock", { advance_s: 400 });
      expect(await walletShown()).toBe(before);
      await fails(0);
      const stands = async () =>
        (await desk.groupCards()).some(({ text }) => text.includes(` · ${asked.approval}`));
      await desk.until(async () => {
        await desk.world.post("clock", { advance_s: 60 });
        return stands();
      });
      await desk.idle();
      expect(await walletShown()).toBe(before);
      const card = (await desk.groupCards()).findLast(({ text }) =>
        text.includes(` · ${asked.approval}`),
      );
      expect(card?.text).toMatch(/at 20\d\d-\S+Z, unless somebody presses Reject/);
      await desk.advance(600);
      expect(await walletShown()).not.toBe(before);
    });
  });
});
