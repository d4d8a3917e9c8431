import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { handleApproval } from "../../src/desk/approval-steps.ts";
import { createHeartbeat } from "../../src/heartbeat.ts";
import { withOwner } from "../../src/store/db.ts";
import { heartbeats } from "../../src/store/schema/tenancy.ts";
import { ensureTenant } from "../../src/store/tenants.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, openOffice, TENANT } from "../support/office.ts";
import { addLead } from "../support/office-lead.ts";
import { asksLetter, letterRules, letterTool } from "../support/office-letter.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const quiet = { info() {}, warn() {} };

forEachEngine((open) => {
  let office: Office;
  let boots = 0;
  beforeAll(async () => {
    office = await openOffice(open, undefined, () => [letterTool()]);
    await office.rules(letterRules());
    await office.person();
  });
  afterAll(() => office.close());
  beforeEach(() => withOwner(office.db, (tx) => tx.delete(heartbeats)));

  /** A process on the database. */
  const process = (alone = false) => {
    boots += 1;
    return createHeartbeat({
      ...{ db: office.db, clock: office.clock, realNow: () => office.time.real, log: quiet },
      ...{ bootId: `boot-${boots}`, role: "all", alone },
    });
  };
  /** Real time goes on, and the product's with it. */
  const passes = (ms: number) => {
    office.time.real += ms;
    office.time.now += ms;
  };
  const timesOf = async (id: string) => {
    const { expiresAt, nextStepAt } = await office.approval(id);
    return { expiresAt: expiresAt ?? 0, nextStepAt: nextStepAt ?? 0 };
  };
  const shiftOf = async (id: string, before: { expiresAt: number; nextStepAt: number }) => {
    const { expiresAt, nextStepAt } = await timesOf(id);
    return [expiresAt - before.expiresAt, nextStepAt - before.nextStepAt];
  };

  describe("time without a process", () => {
    it("counts for no limit: what waits for people waits so much longer", async () => {
      await process().begin();
      const { approval } = await asksLetter(office);
      const payout = await (await addLead(office)).asksPayout();
      const [letter, owed] = [await timesOf(approval.id), await timesOf(payout.id)];
      passes(3 * HOUR);
      expect(await process().begin()).toEqual({
        from: office.time.real - 3 * HOUR,
        until: office.time.real,
      });
      expect(await shiftOf(approval.id, letter)).toEqual([3 * HOUR, 3 * HOUR]);
      expect(await shiftOf(payout.id, owed)).toEqual([0, 3 * HOUR]);
      await handleApproval(office.desk, { tenantId: TENANT, id: approval.id });
      expect((await office.approval(approval.id)).status).toBe("pending");
    });

    it("is none when another process lived on", async () => {
      const [first, second] = [process(), process()];
      await first.begin();
      const { approval } = await asksLetter(office);
      const before = await timesOf(approval.id);
      passes(10_000);
      expect(await second.begin()).toBeNull();
      expect(await shiftOf(approval.id, before)).toEqual([0, 0]);
    });

    it("is counted once, however many processes come back at once", async () => {
      await process().begin();
      const { approval } = await asksLetter(office);
      const before = await timesOf(approval.id);
      passes(HOUR);
      const outages = await Promise.all(
        [process(), process(), process()].map((one) => one.begin()),
      );
      expect(outages.filter((outage) => outage !== null)).toHaveLength(1);
      expect(await shiftOf(approval.id, before)).toEqual([HOUR, HOUR]);
    });

    it("on the embedded database is any time between two starts, as no other process can live", async () => {
      await process(true).begin();
      const { approval } = await asksLetter(office);
      const before = await timesOf(approval.id);
      passes(4_000);
      expect(await process(true).begin()).not.toBeNull();
      expect(await shiftOf(approval.id, before)).toEqual([4_000, 4_000]);
    });

    it("does not touch what is decided", async () => {
      await process().begin();
      const { approval } = await asksLetter(office);
      await office.decides(approval.id, await office.person(), { decision: "reject" });
      const before = await timesOf(approval.id);
      passes(HOUR);
      await process().begin();
      expect(await shiftOf(approval.id, before)).toEqual([0, 0]);
    });

    it("is not what a moved clock of the played world skips", async () => {
      await process().begin();
      const { approval } = await asksLetter(office);
      const before = await timesOf(approval.id);
      office.time.now += 40 * MINUTE;
      expect(await process().begin()).toBeNull();
      expect(await shiftOf(approval.id, before)).toEqual([0, 0]);
    });
  });

  describe("a start", () => {
    it("lets nothing end in its first ten minutes, of which a moved clock is part", async () => {
      const { approval } = await asksLetter(office);
      office.time.now += 58 * MINUTE;
      await process().begin();
      const startedAt = office.time.now;
      expect(await timesOf(approval.id)).toMatchObject({ expiresAt: startedAt + 10 * MINUTE });
      office.time.now = startedAt + 9 * MINUTE;
      await handleApproval(office.desk, { tenantId: TENANT, id: approval.id });
      expect((await office.approval(approval.id)).status).toBe("pending");
      office.time.now = startedAt + 10 * MINUTE;
      await handleApproval(office.desk, { tenantId: TENANT, id: approval.id });
      expect((await office.approval(approval.id)).status).toBe("expired");
    });

    it("that dies half way through the shift has shifted nothing, and the next one shifts all", async () => {
      await process().begin();
      const { approval } = await asksLetter(office);
      const before = await timesOf(approval.id);
      // the last tenant's rows cannot be written: what was done for the others goes, too
      await withOwner(office.db, async (tx) => {
        await ensureTenant(tx, { id: "zz-last", name: "Last", now: office.time.now });
        await tx.execute(sql`create function refuse_shift() returns trigger language plpgsql as
          $$ begin raise exception 'the process died here'; end $$`);
        await tx.execute(sql`create trigger refuse_shift before update on approval_queue
          for each statement when (current_setting('app.tenant_id', true) = 'zz-last')
          execute function refuse_shift()`);
      });
      passes(HOUR);
      await expect(process().begin()).rejects.toThrow();
      expect(await shiftOf(approval.id, before)).toEqual([0, 0]);
      await withOwner(office.db, async (tx) => {
        await tx.execute(sql`drop trigger refuse_shift on approval_queue`);
        await tx.execute(sql`drop function refuse_shift()`);
      });
      passes(5 * MINUTE);
      await process().begin();
      expect(await shiftOf(approval.id, before)).toEqual([65 * MINUTE, 65 * MINUTE]);
    });

    it("forgets processes that ended a month ago", async () => {
      await process().begin();
      passes(31 * 24 * HOUR);
      await process().begin();
      const rows = await withOwner(office.db, (tx) => tx.select().from(heartbeats));
      expect(rows).toMatchObject([{ bootId: `boot-${boots}`, beatAt: office.time.real }]);
    });
  });

  describe("a process that lives", () => {
    it("says so, and its last word is its end", async () => {
      const living = process();
      await living.begin();
      passes(30_000);
      await living.stop();
      const rows = await withOwner(office.db, (tx) => tx.select().from(heartbeats));
      expect(rows).toMatchObject([
        { role: "all", startedAt: office.time.real - 30_000, beatAt: office.time.real },
      ]);
    });
  });
});
