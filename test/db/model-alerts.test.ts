import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { tellModels } from "../../src/desk/tell-models.ts";
import type { PoolChange } from "../../src/domain/model-desk.ts";
import { outbox } from "../../src/store/schema/chat.ts";
import { auditLog } from "../../src/store/schema/tenancy.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, openOffice, TENANT } from "../support/office.ts";

const MINUTE = 60_000;

forEachEngine((open) => {
  let office: Office;
  beforeAll(async () => {
    office = await openOffice(open);
  });
  beforeEach(() =>
    office.tenant(async (tx) => {
      await tx.delete(outbox);
      office.time.now += 3_600_000;
    }),
  );
  afterAll(() => office.close());

  const tell = (level: PoolChange["level"], language: "en" | "ru" = "en") =>
    office.tenant((tx) =>
      tellModels(
        tx,
        { jobs: office.jobs, tenantId: TENANT, now: office.time.now },
        { change: { scope: null, level, providersUsable: 1, providersTotal: 3 }, language },
      ),
    );
  const told = async () => {
    const rows = await office.tenant((tx) => tx.select().from(outbox).orderBy(outbox.seq));
    return rows.map(({ chatId, content }) => `${chatId} ${(content as { text: string }).text}`);
  };

  describe("the operators", () => {
    it("hear nothing of a pool that was well all the time", async () => {
      await tell("full");
      await tell("full");
      expect(await told()).toEqual([]);
    });

    it("are told once of what lasts, and once that it is over", async () => {
      await tell("degraded");
      office.time.now += 9 * MINUTE;
      await tell("degraded");
      await tell("none");
      await tell("full");
      await tell("full");
      expect(await told()).toEqual([
        expect.stringMatching(/^-100 Of 3 providers of language models 1 can be asked/),
        expect.stringMatching(/^-100 ALERT: no language model can be asked/),
        expect.stringMatching(/^-100 The language models answer again/),
      ]);
    });

    it("are told again of what still is so after ten minutes", async () => {
      await tell("none");
      office.time.now += 10 * MINUTE;
      await tell("none");
      expect(await told()).toHaveLength(2);
    });

    it("hear it once when several processes see it at the same moment", async () => {
      await Promise.all(Array.from({ length: 6 }, () => tell("all_cooling", "ru")));
      expect(await told()).toEqual([expect.stringMatching(/ТРЕВОГА: ни одна языковая модель/)]);
      const rows = await office.tenant((tx) => tx.select().from(auditLog));
      const mine = rows.filter(({ createdAt }) => createdAt === office.time.now);
      expect(mine.map(({ eventType }) => eventType)).toEqual(["models.gone"]);
    });
  });
});
