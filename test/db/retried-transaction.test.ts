import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { afterCommit, sqlState, type Tx, withTenantRetried } from "../../src/store/db.ts";
import { createStaff, listStaff } from "../../src/store/staff.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, openOffice, TENANT } from "../support/office.ts";

forEachEngine((open) => {
  let office: Office;
  beforeAll(async () => {
    office = await openOffice(open);
  });
  afterAll(() => office.close());

  /** Writes a person, and is taken back as the database does it, so many times. */
  const tries = async (name: string, { failures, state }: { failures: number; state: string }) => {
    let runs = 0;
    let commits = 0;
    const work = async (tx: Tx) => {
      runs += 1;
      afterCommit(tx, () => {
        commits += 1;
      });
      const person = { tenantId: TENANT, name, role: "operator", identities: [] } as const;
      await createStaff(tx, { ...person, now: office.time.now });
      const raise = `do $$ begin raise exception 'taken back' using errcode = '${state}'; end $$`;
      if (runs <= failures) await tx.execute(sql.raw(raise));
      return runs;
    };
    const [done] = await Promise.allSettled([withTenantRetried(office.db, TENANT, work)]);
    const people = await office.tenant((tx) => listStaff(tx, TENANT));
    return { done, runs, commits, written: people.filter((one) => one.name === name).length };
  };

  describe("a transaction that the database took back", () => {
    it.each(["40P01", "40001"])("is done once more, and its hooks run once: %s", async (state) => {
      expect(await tries(`again ${state}`, { failures: 2, state })).toEqual({
        ...{ done: { status: "fulfilled", value: 3 }, runs: 3, commits: 1, written: 1 },
      });
    });

    it.each([
      ["40P01", 3],
      ["23514", 1],
    ])("ends with its error: %s after %i", async (state, runs) => {
      const end = await tries(`never ${state}`, { failures: 9, state });
      expect(end).toMatchObject({ runs, commits: 0, written: 0 });
      expect(end.done?.status === "rejected" && sqlState(end.done.reason)).toBe(state);
    });
  });
});
