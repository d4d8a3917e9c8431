import { afterAll, beforeAll, expect, test } from "vitest";
import { openDesk } from "../support/desk.ts";
import type { Desk } from "../support/desk-people.ts";
import { forEachEngine } from "../support/engines.ts";

forEachEngine((engine) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(engine);
  });
  afterAll(() => desk.close());

  test("a video that comes after the photo stands on the card, which takes the first one's place", async () => {
    const lena = desk.lead();
    await lena.sends({ photo: {} });
    const first = await lena.card();
    expect(first.text).toContain("photo");
    expect(first.text).not.toContain("photo, round video");
    await lena.sends({ video_note: {} });
    const second = await lena.card();
    expect(second.text).toContain("photo, round video");
    const cards = await desk.slackCards();
    const old = cards.find(({ ts }) => ts === first.ts);
    expect(old?.buttons).toEqual([]);
    expect(old?.text).toContain("Superseded");
    await desk.operator("U0ALICE").presses("Approve", second);
    expect(await lena.hears()).toMatch(/passed|проверены/);
  });

  test("documents sent after a rejection are a new question", async () => {
    const lena = desk.lead();
    await lena.sends({ photo: {} });
    await desk.operator("U0BOB").rejects(await lena.card(), "the photo is blurred");
    await lena.sends({ photo: {}, caption: "новое фото" });
    const card = await lena.card();
    expect(card.buttons.map(({ label }) => label)).toEqual(["Approve", "Reject"]);
    await desk.operator("U0ALICE").presses("Approve", card);
    const { approvals } = await lena.trace();
    expect(approvals.map(({ status }: { status: string }) => status)).toEqual([
      "rejected",
      "approved",
    ]);
  });
});
