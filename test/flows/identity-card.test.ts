import { afterAll, beforeAll, expect, test } from "vitest";
import { openDesk } from "../support/desk.ts";
import type { Desk } from "../support/desk-people.ts";
import { forEachEngine } from "../support/engines.ts";

interface Shown {
  text: string;
  files?: object[];
}

interface Request {
  messages: { role: string; content: string }[];
}

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

  test("a chat that is set up while it waits gets the documents above the card", async () => {
    const lena = desk.lead();
    await lena.sends({ photo: {} }, { video_note: {} });
    const name = await lena.cardName();
    const channel = "C0LATER";
    await desk.world.post("slack/channels", { id: channel, name: "later", user: "U0ADMIN" });
    await desk.world.post("slack/rights", { channel, member: true });
    const command = { user: "U0ADMIN", command: "/setup", text: "operators", channel };
    await desk.world.post("slack/commands", command);
    await desk.idle();
    await desk.advance(600);
    const shown = async () =>
      (await desk.world.get(`slack/channels/${channel}/messages`)) as Shown[];
    const isCard = ({ text }: Shown) => new RegExp(`^Identity.* · ${name}\\b`).test(text);
    await desk.until(async () => {
      await desk.advance(10);
      return (await shown()).some(isCard);
    });
    const all = await shown();
    const above = all[all.findIndex(isCard) - 1];
    expect(above?.files).toHaveLength(2);
  });

  test("a caption that is changed is shown on the card, and the model still reads the photo", async () => {
    const lena = desk.lead();
    await lena.sends({ photo: {}, caption: "my passport" });
    expect((await lena.card()).text).toContain("client says: my passport");
    const name = await lena.cardName();
    await lena.edits("my driving licence");
    expect((await lena.card()).text).toContain(
      "client says: (edited) my driving licence / my passport",
    );
    expect(await lena.cardName()).toBe(name);
    const { body } = (await desk.modelRequests()).at(-1) as { body: Request };
    const last = body.messages.findLast(({ role }) => role === "user");
    expect(last?.content).toMatch(/\[photo\]\nmy driving licence/);
  });

  test("a GIF asks nobody for a check", async () => {
    const lena = desk.lead();
    await lena.sends({ document: { file_name: "cat.gif", mime_type: "image/gif" } });
    expect((await lena.trace()).approvals).toEqual([]);
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
