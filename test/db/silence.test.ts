import { afterAll, beforeAll, expect, it } from "vitest";
import { staysSilent } from "../../src/desk/silence.ts";
import type { ClickEvent, CommandEvent } from "../../src/domain/inbound.ts";
import type { Database } from "../../src/store/database.ts";
import { withOwner, withTenant } from "../../src/store/db.ts";
import { upsertDestination } from "../../src/store/destinations.ts";
import { createStaff, updateStaff } from "../../src/store/staff.ts";
import { ensureTenant } from "../../src/store/tenants.ts";
import { forEachEngine } from "../support/database.ts";

const OPERATORS = "-1001";

forEachEngine((open) => {
  let database: Database;
  beforeAll(async () => {
    database = await open();
    await withOwner(database.db, (tx) => ensureTenant(tx, { id: "t", name: "T", now: 1 }));
    await withTenant(database.db, "t", async (tx) => {
      const place = { channelId: "tg", messenger: "telegram" as const, chatId: OPERATORS };
      await upsertDestination(tx, { tenantId: "t", ...place, purpose: "operators", now: 1 });
      for (const [name, userId] of [
        ["Alice", "2001"],
        ["Bob", "2002"],
      ] as const) {
        const identities = [{ messenger: "telegram" as const, teamId: "", userId }];
        const person = { tenantId: "t", name, role: "operator" as const, identities, now: 1 };
        const staffId = await createStaff(tx, person);
        if (name === "Bob")
          await updateStaff(tx, { tenantId: "t", staffId }, { status: "suspended" });
      }
    });
  });
  afterAll(() => database.close());

  function command(userId: string, over: Partial<CommandEvent> = {}): CommandEvent {
    return {
      ...{
        kind: "command",
        messenger: "telegram",
        channelId: "tg",
        eventKey: "1",
        name: "pending",
      },
      ...{ chatId: "-999", chatKind: "group", threadId: null, sentAt: 1, args: "" },
      person: { id: userId, teamId: "", name: "x", isBot: false },
      ...over,
    };
  }
  const isSilent = (event: CommandEvent | ClickEvent) =>
    withTenant(database.db, "t", (tx) => staysSilent(tx, "t", event));

  it("strangers, suspended people and bots get no word in a group that is not ours", async () => {
    expect(await isSilent(command("4001"))).toBe(true);
    expect(await isSilent(command("2002"))).toBe(true);
    const bot = { id: "2001", teamId: "", name: "x", isBot: true };
    expect(await isSilent(command("2001", { person: bot }))).toBe(true);
  });

  it("staff are answered there, and strangers in our own groups and in private", async () => {
    expect(await isSilent(command("2001"))).toBe(false);
    expect(await isSilent(command("4001", { chatId: OPERATORS }))).toBe(false);
    expect(await isSilent(command("4001", { chatKind: "private", chatId: "4001" }))).toBe(false);
  });

  it("what is answered in private is answered everywhere", async () => {
    const { name: _name, args: _args, ...origin } = command("4001");
    const click: ClickEvent = { ...origin, kind: "click", messageId: "1", action: "a", value: "b" };
    expect(await isSilent(click)).toBe(false);
    expect(await isSilent(command("U0EVE", { messenger: "slack", chatId: "C0RANDOM" }))).toBe(
      false,
    );
  });
});
