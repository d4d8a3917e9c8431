import { randomBytes } from "node:crypto";
import { eq, type SQL, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newId } from "../../src/domain/ids.ts";
import { writeAudit } from "../../src/store/audit.ts";
import { rowMac, type Seal, type StoredAuditRow, sealMac } from "../../src/store/audit-mac.ts";
import type { Database } from "../../src/store/database.ts";
import { type Tx, withOwner, withTenant } from "../../src/store/db.ts";
import { auditLog, auditSeals } from "../../src/store/schema/tenancy.ts";
import { ensureTenant } from "../../src/store/tenants.ts";
import { forEachEngine } from "../support/database.ts";
import { openTrails, type Trails } from "../support/trail.ts";

forEachEngine((open) => {
  let database: Database;
  let trails: Trails;
  let tenantId = "";
  let trail: ReturnType<Trails["of"]>;
  let rows: StoredAuditRow[];
  beforeAll(async () => {
    database = await open();
    trails = await openTrails(database);
  });
  afterAll(async () => {
    trails.close();
    await database.close();
  });
  // twelve rows in three seals, of a tenant for each test
  beforeEach(async () => {
    tenantId = newId();
    trail = trails.of(tenantId);
    await withOwner(database.db, (tx) => ensureTenant(tx, { id: tenantId, name: "T", now: 0 }));
    for (const batch of [5, 4, 3]) {
      await inTenant((tx) =>
        writeAudit(
          tx,
          Array.from({ length: batch }, (_, n) => entry(n)),
        ),
      );
      await trail.seal();
    }
    rows = await trail.rows();
  });

  const inTenant = <T>(work: (tx: Tx) => Promise<T>) => withTenant(database.db, tenantId, work);
  const entry = (n: number) => ({
    ...{ tenantId, eventType: "command.used" as const, createdAt: 1_000 + n },
    ...{ summary: `command ${n}`, refs: { via: "slack", chat: "C1" } },
  });
  const nth = (place: number): string => rows[place - 1]?.id ?? "";
  const ids = (some: readonly StoredAuditRow[]): SQL =>
    sql.join(
      some.map(({ id }) => sql`${id}`),
      sql`, `,
    );
  const deleteRows = (some: readonly StoredAuditRow[]) =>
    trails.intrude(sql`delete from audit_log where id in (${ids(some)})`);
  const deleteSeals = (from: number, to = 99) =>
    trails.intrude(
      sql`delete from audit_seals where tenant_id = ${tenantId} and seal_number between ${from} and ${to}`,
    );
  const first = async () => (await trail.verify()).problems[0] ?? "nothing was changed";
  const about = (index: number, what: string) => ({ index, what: expect.stringContaining(what) });

  it("a trail that nobody touched is whole", async () => {
    expect(await trail.verify()).toEqual({
      ...{ tenantId, rows: 12, seals: 3, unsealed: 0, problems: [] },
      head: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it("rows that are not sealed yet are counted and no problem", async () => {
    await inTenant((tx) => writeAudit(tx, [entry(12), entry(13)]));
    expect(await trail.verify()).toMatchObject({ rows: 12, unsealed: 2, problems: [] });
  });

  describe("S23: a change is found at its place after", () => {
    it("a row was edited", async () => {
      await trails.intrude(sql`update audit_log set summary = 'nicer' where id = ${nth(7)}`);
      expect(await first()).toEqual({ index: 7, what: `row ${nth(7)} was changed` });
    });

    const columns = [
      ["event_type", "'command.refused'"],
      ["user_id", "'somebody'"],
      ["decision", "'approve'"],
      ["tool_name", "'issue_exchange_payout'"],
      ["candidate_id", "'c1'"],
      ["run_id", "'r1'"],
      ["conversation_id", "'k1'"],
      ["refs", `'{"via": "slack", "chat": "C2"}'`],
      ["created_at", "created_at + interval '1 millisecond'"],
      ["seal_number", "1"],
      ["seal_number", "null"],
    ] as const;
    it.each(columns)("the %s of a row was set to %s", async (column, value) => {
      const set = sql.raw(`update audit_log set ${column} = ${value}`);
      await trails.intrude(sql`${set} where id = ${nth(7)}`);
      expect(await first()).toMatchObject({ index: 7 });
    });

    it("two rows changed places", async () => {
      const swap = sql`update audit_log a set summary = b.summary, created_at = b.created_at
        from audit_log b where (a.id, b.id) in ((${nth(3)}, ${nth(4)}), (${nth(4)}, ${nth(3)}))`;
      await trails.intrude(swap);
      expect((await trail.verify()).problems.map(({ index }) => index)).toEqual([3, 4]);
    });

    it("a row in the middle was deleted", async () => {
      await deleteRows(rows.slice(5, 6));
      expect(await first()).toEqual({ index: 6, what: `row ${nth(6)} was deleted` });
    });

    it("the last three rows were deleted", async () => {
      await deleteRows(rows.slice(9));
      expect((await trail.verify()).problems.map(({ index }) => index)).toEqual([10, 11, 12]);
    });

    it("the last three rows were deleted with the seal that had them", async () => {
      await deleteRows(rows.slice(9));
      await deleteSeals(3);
      expect(await first()).toEqual(about(10, "audit.heads knows 12"));
    });

    it("the last two rows were deleted, also from their seal", async () => {
      await deleteRows(rows.slice(10));
      await trails.intrude(
        sql`update audit_seals set row_ids = row_ids - 2 - 1, row_macs = row_macs - 2 - 1
          where tenant_id = ${tenantId} and seal_number = 3`,
      );
      expect(await first()).toEqual(about(11, "seal 3 is not the one"));
    });

    it("a seal in the middle was deleted with its rows", async () => {
      await deleteRows(rows.slice(5, 9));
      await deleteSeals(2, 2);
      expect(await first()).toEqual(about(6, "seals 2 to 2 are missing"));
    });

    it("all rows were deleted", async () => {
      await deleteRows(rows);
      const { problems } = await trail.verify();
      expect(problems.map(({ index }) => index)).toEqual(rows.map((_, at) => at + 1));
    });

    it("all rows were deleted with all seals", async () => {
      await deleteRows(rows);
      await deleteSeals(1);
      expect(await first()).toEqual(about(1, "audit.heads knows 12"));
    });

    it("a row was cut out and what follows was chained anew without the key", async () => {
      await chainAnew([...rows.slice(5, 7), ...rows.slice(8)], { from: 6, sealNumber: 2 });
      expect(await first()).toEqual(about(6, "seal 2 is not the one"));
    });

    it("the trail was cut and all of it chained anew without the key", async () => {
      await chainAnew(rows.slice(0, 11), { from: 1, sealNumber: 1 });
      expect(await first()).toEqual(about(1, "seal 1 is not the one"));
    });

    it("a row was put in that says it is sealed", async () => {
      const id = newId();
      const row = { ...entry(0), id, eventType: "approval.decided", sealNumber: 2 };
      await inTenant((tx) => tx.insert(auditLog).values(row));
      expect(await first()).toEqual(about(13, `row ${id} says that it is sealed`));
    });
  });

  it("S23: a trail set back to an older state is found by the head outside", async () => {
    await deleteRows(rows.slice(9));
    await deleteSeals(3);
    await inTenant((tx) => writeAudit(tx, [entry(90), entry(91), entry(92)]));
    await trail.seal(); // the product goes on after the cut, and keeps the head that it knew
    expect(trails.logged.at(-1)).toMatch(/^error: the audit trail does not hold the head/);
    expect(await first()).toEqual(about(12, "seal 3 is another one than audit.heads knows"));
  });

  /** As somebody does who may write the database and has made a key of his own. */
  async function chainAnew(
    kept: readonly StoredAuditRow[],
    at: { from: number; sealNumber: number },
  ): Promise<void> {
    const foreign = randomBytes(32);
    const before = (await trail.seals())[at.sealNumber - 2];
    const unsigned: Omit<Seal, "mac"> = {
      ...{ tenantId, sealNumber: at.sealNumber, firstIndex: at.from, sealedAt: 0 },
      rowIds: kept.map(({ id }) => id),
      rowMacs: kept.map((row, n) => rowMac(foreign, row, at.from + n)),
      previousMac: before?.mac ?? "",
    };
    const cut = rows.slice(at.from - 1).filter((row) => !kept.includes(row));
    await deleteRows(cut);
    await deleteSeals(at.sealNumber);
    await trails.intrude(
      sql`update audit_log set seal_number = ${at.sealNumber} where id in (${ids(kept)})`,
    );
    const seal = { ...unsigned, mac: sealMac(foreign, unsigned) };
    await inTenant((tx) => tx.insert(auditSeals).values(seal));
    expect(await inTenant((tx) => tx.$count(auditLog, eq(auditLog.tenantId, tenantId)))).toBe(11);
  }
});
