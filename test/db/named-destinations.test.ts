import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { applyEnvironment, channelOf } from "../../src/bootstrap.ts";
import { loadConfig, type Outside } from "../../src/config.ts";
import { createClock } from "../../src/lib/clock.ts";
import type { Database } from "../../src/store/database.ts";
import { withTenant } from "../../src/store/db.ts";
import { listDestinations, upsertDestination } from "../../src/store/destinations.ts";
import { moveChat } from "../../src/store/move-chat.ts";
import { forEachEngine } from "../support/database.ts";

const tenantId = "default";
const purpose = "operators";
const clock = createClock();

function naming(chats: { telegram?: string; slack?: string }): Outside {
  const { telegram, slack } = chats;
  const outside = loadConfig({ SANDBOX: "on" }).outside({});
  return {
    ...outside,
    operatorChats: [
      ...(telegram ? [{ messenger: "telegram" as const, chatId: telegram, purpose } as const] : []),
      ...(slack ? [{ messenger: "slack" as const, chatId: slack, purpose } as const] : []),
    ],
  };
}

forEachEngine((open) => {
  let database: Database;
  beforeEach(async () => {
    database = await open();
  });
  afterEach(() => database.close());

  /** What a start does with the chats that the environment names, and which serve after it. */
  async function startNaming(chats: Parameters<typeof naming>[0]): Promise<string[]> {
    const deps = { db: database.db, clock, prepareTenant: async () => {} };
    await applyEnvironment(deps, naming(chats));
    const rows = await withTenant(database.db, tenantId, (tx) => listDestinations(tx, tenantId));
    return rows.map((row) => `${row.chatId} by ${row.source}`).sort();
  }

  const place = (messenger: "telegram" | "slack") => ({
    ...({ tenantId, purpose, messenger, channelId: channelOf(messenger), now: 1 } as const),
  });

  const setUp = (messenger: "telegram" | "slack", chatId: string) =>
    withTenant(database.db, tenantId, (tx) =>
      upsertDestination(tx, { ...place(messenger), chatId }),
    );

  const move = (chatId: string, toChatId: string) =>
    withTenant(database.db, tenantId, (tx) =>
      moveChat(tx, { tenantId, channelId: channelOf("telegram"), chatId }, toChatId),
    );

  describe("a chat that the environment names", () => {
    it("serves until a start no longer names it", async () => {
      expect(await startNaming({ slack: "C0NOPE", telegram: "-1" })).toEqual([
        "-1 by environment",
        "C0NOPE by environment",
      ]);
      expect(await startNaming({ slack: "C0RIGHT", telegram: "-1" })).toEqual([
        "-1 by environment",
        "C0RIGHT by environment",
      ]);
      expect(await startNaming({})).toEqual([]);
    });

    it("stays when /setup has claimed it too", async () => {
      await startNaming({ slack: "C0BOTH" });
      await setUp("slack", "C0BOTH");
      expect(await startNaming({ slack: "C0BOTH" })).toEqual(["C0BOTH by setup"]);
      expect(await startNaming({})).toEqual(["C0BOTH by setup"]);
    });

    it("leaves those of /setup alone", async () => {
      await startNaming({});
      await setUp("slack", "C0OWN");
      expect(await startNaming({ slack: "C0OTHER" })).toEqual([
        "C0OTHER by environment",
        "C0OWN by setup",
      ]);
    });

    it("does not come back under its old id once it has moved", async () => {
      await startNaming({ telegram: "-1" });
      await move("-1", "-1001");
      expect(await startNaming({ telegram: "-1" })).toEqual(["-1001 by environment"]);
      expect(await startNaming({ telegram: "-1001" })).toEqual(["-1001 by environment"]);
      expect(await startNaming({ telegram: "-2" })).toEqual(["-2 by environment"]);
    });

    it("does not come back when it moved to a chat that served already", async () => {
      await startNaming({ telegram: "-1" });
      await setUp("telegram", "-1001");
      await move("-1", "-1001");
      expect(await startNaming({ telegram: "-1" })).toEqual(["-1001 by setup"]);
    });
  });
});
