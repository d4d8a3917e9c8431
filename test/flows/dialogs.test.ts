import { afterAll, beforeAll, test } from "vitest";
import { openDesk } from "../support/desk.ts";
import type { Desk } from "../support/desk-people.ts";
import { playDialog, settleEarlierOrder } from "../support/dialog-player.ts";
import { readDialogs } from "../support/dialogs.ts";
import { forEachEngine } from "../support/engines.ts";

forEachEngine((engine) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(engine);
  });
  afterAll(() => desk.close());

  test.each(readDialogs())("$id: $title", async (dialog) => {
    const lead = desk.lead();
    const used = dialog.id === "d10" ? await settleEarlierOrder(desk.lead()) : "";
    await playDialog(desk, lead, dialog, { used });
  });
});
