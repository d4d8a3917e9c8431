import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { DEFAULT_TENANT } from "../../src/bootstrap.ts";
import { hearSignals } from "../../src/hear-signals.ts";
import { createStaffLanguage } from "../../src/staff-language.ts";
import type { Database } from "../../src/store/database.ts";
import { withOwner } from "../../src/store/db.ts";
import { createSignals } from "../../src/store/signals.ts";
import { changeTenant, ensureTenant } from "../../src/store/tenants.ts";
import { forEachEngine } from "../support/database.ts";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

forEachEngine((open) => {
  let database: Database;
  beforeAll(async () => {
    database = await open();
    for (const id of [DEFAULT_TENANT, "shop"])
      await withOwner(database.db, (tx) => ensureTenant(tx, { id, name: id, now: 1 }));
  });
  afterAll(() => database.close());

  /** As far as it hears of offices; the rest of a process is not there. */
  async function startProcess() {
    const language = await createStaffLanguage(database.db);
    const menus: string[] = [];
    const edge = { offerMenu: async () => void menus.push(language.now()) };
    const signals = createSignals(database, quiet);
    const rest = { signals, edges: [edge] };
    await hearSignals(rest as unknown as Parameters<typeof hearSignals>[0], language);
    return { language, signals, menus };
  }
  const say = (
    { signals }: Awaited<ReturnType<typeof startProcess>>,
    tenantId: string,
    language: "en" | "ru",
  ) =>
    withOwner(database.db, async (tx) => {
      await changeTenant(tx, tenantId, { language });
      signals.send(tx, { kind: "office", tenantId, language });
    });

  describe("the staff's language", () => {
    it("is current in every process once the change is committed, with the menu", async () => {
      const [one, other] = [await startProcess(), await startProcess()];
      await say(one, DEFAULT_TENANT, "ru");
      expect([one.language.now(), one.menus]).toEqual(["ru", ["ru"]]);
      if (database.kind === "postgres")
        await vi.waitFor(() => expect([other.language.now(), other.menus]).toEqual(["ru", ["ru"]]));
      for (const { signals } of [one, other]) await signals.stop();
    });

    it("is the default tenant's alone", async () => {
      const one = await startProcess();
      const before = one.language.now();
      await say(one, "shop", before === "ru" ? "en" : "ru");
      expect(one.language.now()).toBe(before);
      await one.signals.stop();
    });

    it("is read anew where what was said got lost, and gives way to what is said meanwhile", async () => {
      const one = await startProcess();
      await withOwner(database.db, (tx) => changeTenant(tx, DEFAULT_TENANT, { language: "en" }));
      await one.language.read();
      expect(one.language.now()).toBe("en");
      const reading = one.language.read();
      one.language.heard({ tenantId: DEFAULT_TENANT, language: "ru" });
      await reading;
      expect(one.language.now()).toBe("ru");
      await one.signals.stop();
    });
  });
});
