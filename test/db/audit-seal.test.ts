import { randomBytes } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newId } from "../../src/domain/ids.ts";
import { writeAudit } from "../../src/store/audit.ts";
import { ensureAuditKey, findAuditKey } from "../../src/store/audit-key.ts";
import { SEAL_ROWS, sealRows } from "../../src/store/audit-seal.ts";
import type { Database } from "../../src/store/database.ts";
import { queryRows, type Tx, withOwner, withTenant } from "../../src/store/db.ts";
import { appState, auditLog } from "../../src/store/schema/tenancy.ts";
import { createSecrets } from "../../src/store/secrets.ts";
import { ensureTenant } from "../../src/store/tenants.ts";
import { forEachEngine } from "../support/database.ts";
import { openTrails, type Trails } from "../support/trail.ts";

forEachEngine((open) => {
  let database: Database;
  let trails: Trails;
  let tenantId = "";
  let trail: ReturnType<Trails["of"]>;
  beforeAll(async () => {
    database = await open();
    trails = await openTrails(database);
  });
  afterAll(async () => {
    trails.close();
    await database.close();
  });
  beforeEach(async () => {
    tenantId = newId();
    trail = trails.of(tenantId);
    await withOwner(database.db, (tx) => ensureTenant(tx, { id: tenantId, name: "T", now: 0 }));
  });

  const inTenant = <T>(work: (tx: Tx) => Promise<T>) => withTenant(database.db, tenantId, work);
  const entry = (n = 0) => ({
    ...{ tenantId, eventType: "command.used" as const, createdAt: 0, summary: `command ${n}` },
  });
  const write = (rows = 1) =>
    inTenant((tx) =>
      writeAudit(
        tx,
        Array.from({ length: rows }, (_, n) => entry(n)),
      ),
    );
  const asOwner = (statement: string) =>
    withOwner(database.db, (tx) => tx.execute(sql.raw(statement)));
  /** Every row in exactly one seal, none left, and the chain holds. */
  async function expectWhole(rows: number): Promise<void> {
    const seals = await trail.seals();
    const sealed = seals.flatMap(({ rowIds }) => rowIds);
    expect(sealed).toHaveLength(rows);
    expect(new Set(sealed)).toEqual(new Set((await trail.rows()).map(({ id }) => id)));
    expect(await trail.verify()).toMatchObject({ rows, unsealed: 0, problems: [] });
  }

  describe("a running sealer", () => {
    it("seals what a commit of the process has added, without being asked", async () => {
      const sealer = trails.sealer();
      sealer.start();
      await write(3);
      await trail.isSealed();
      await write(2);
      await trail.isSealed();
      await sealer.stop();
      await expectWhole(5);
    });

    it("leaves alone what was rolled back", async () => {
      const sealer = trails.sealer();
      sealer.start();
      const failed = inTenant(async (tx) => {
        await writeAudit(tx, [entry()]);
        throw new Error("rolled back");
      });
      await expect(failed).rejects.toThrow("rolled back");
      await write();
      await trail.isSealed();
      await sealer.stop();
      await expectWhole(1);
    });

    it("waits no longer when a whole batch is there", async () => {
      const sealer = trails.sealer(3_600_000);
      sealer.start();
      await sealer.runOnce();
      await write(SEAL_ROWS - 1);
      expect(await trail.unsealed()).toBe(SEAL_ROWS - 1);
      await write(1);
      await trail.isSealed();
      await sealer.stop();
      await expectWhole(SEAL_ROWS);
    });

    it("begins with what older versions have left, in batches, the oldest first", async () => {
      await write(SEAL_ROWS * 2 + 7);
      const sealer = trails.sealer();
      sealer.start();
      await trail.isSealed();
      await sealer.stop();
      const seals = await trail.seals();
      expect(seals.map(({ rowIds }) => rowIds.length)).toEqual([SEAL_ROWS, SEAL_ROWS, 7]);
      expect(seals.flatMap(({ rowIds }) => rowIds)).toEqual(
        (await trail.rows()).map(({ id }) => id),
      );
      await expectWhole(SEAL_ROWS * 2 + 7);
    });

    it("seals the rest when it stops", async () => {
      const sealer = trails.sealer();
      sealer.start();
      await write(4);
      await sealer.stop();
      await expectWhole(4);
    });

    it("says so in the log when it cannot, and comes back to it", async () => {
      const sealer = trails.sealer();
      await asOwner("revoke insert on audit_seals from app_rw");
      await write(2);
      await sealer.runOnce();
      expect(trails.logged.at(-1)).toMatch(/^warn: the audit trail could not be sealed/);
      await asOwner("grant insert on audit_seals to app_rw");
      await sealer.runOnce();
      await expectWhole(2);
    });
  });

  it("several processes at once seal every row once, whatever commits meanwhile", async () => {
    const all = 12 * 9;
    const writers = Array.from({ length: 12 }, async () => {
      for (let n = 0; n < 3; n += 1) await write(3);
    });
    const sealing = { key: trails.key.key, tenantId, now: 0 };
    const sealers = Array.from({ length: 4 }, async () => {
      for (let n = 0; n < 6; n += 1) await inTenant((tx) => sealRows(tx, sealing));
    });
    await Promise.all([...writers, ...sealers]);
    await trail.seal();
    await expectWhole(all);
  });

  it("a row with an older id that commits after a younger one was sealed is sealed next", async () => {
    const older = newId();
    await write();
    await trail.seal();
    await inTenant((tx) => tx.insert(auditLog).values({ ...entry(), id: older, refs: {} }));
    await trail.seal();
    expect((await trail.seals())[1]?.rowIds).toEqual([older]);
    await expectWhole(2);
  });

  it("the tenant's role may set the seal's number and change nothing else", async () => {
    await write();
    await trail.seal();
    for (const change of [
      "update audit_log set summary = 'nicer'",
      "delete from audit_log",
      "update audit_seals set mac = ''",
      "delete from audit_seals",
    ])
      await expect(inTenant((tx) => tx.execute(sql.raw(change)))).rejects.toThrow();
    await expectWhole(1);
  });

  describe("the key of the seals", () => {
    const stored = () =>
      withOwner(database.db, async (tx) => {
        const [row] = await tx.select().from(appState).where(eq(appState.name, "audit_key"));
        return row?.value ?? "";
      });

    it("stands in the database only as the master key wraps it", async () => {
      const value = await stored();
      const { key } = trails.key;
      for (const shape of [key.toString("hex"), key.toString("base64")])
        expect(Buffer.from(value, "base64").toString("latin1")).not.toContain(shape);
      const found = await withOwner(database.db, (tx) => findAuditKey(tx, trails.secrets));
      expect(found?.key.equals(key)).toBe(true);
    });

    it("does not open with another master key", async () => {
      const other = createSecrets(randomBytes(32));
      const opened = withOwner(database.db, (tx) => findAuditKey(tx, other));
      await expect(opened).rejects.toThrow(/master key is another one/);
    });

    it("can be wrapped anew by another master key, and the seals hold", async () => {
      await write(3);
      await trail.seal();
      const before = await stored();
      const opened = trails.secrets.open(Buffer.from(before, "base64"), "audit_key");
      const next = createSecrets(randomBytes(32));
      await put(next.seal(opened, "audit_key").toString("base64"));
      const found = await withOwner(database.db, (tx) => findAuditKey(tx, next));
      expect(found).toEqual(trails.key);
      await put(before);
      await expectWhole(3);
    });

    it("is not made anew when it is gone and seals are there", async () => {
      await write();
      await trail.seal();
      const before = await stored();
      const remake = withOwner(database.db, async (tx) => {
        await tx.delete(appState).where(eq(appState.name, "audit_key"));
        return ensureAuditKey(tx, trails.secrets, 0);
      });
      await expect(remake).rejects.toThrow(/trail's key is gone/);
      expect(await stored()).toBe(before);
    });

    const put = (value: string) =>
      withOwner(database.db, (tx) =>
        tx.update(appState).set({ value }).where(eq(appState.name, "audit_key")),
      );
  });

  describe("the heads outside the database", () => {
    const file = () => join(trails.dataDir, "audit.heads");
    const lineOf = () =>
      readFileSync(file(), "utf8")
        .split("\n")
        .find((line) => line.startsWith(tenantId));

    it("are one line a tenant: seal, index, head; for the owner's eyes", async () => {
      await write(3);
      await trail.seal();
      await write(2);
      await trail.seal();
      const last = (await trail.seals()).at(-1);
      expect(lineOf()).toBe(`${tenantId}\t2\t5\t${last?.mac}`);
      expect(statSync(file()).mode & 0o777).toBe(0o600);
    });

    it("that lag behind, as another process's do, are brought forward", async () => {
      await write();
      await trail.seal();
      const early = readFileSync(file(), "utf8");
      for (let n = 0; n < 3; n += 1) {
        await write();
        await trail.seal();
      }
      writeFileSync(file(), early);
      expect((await trail.verify()).problems).toEqual([]);
      await write();
      await trail.seal();
      expect(lineOf()).toMatch(/\t5\t5\t/);
    });

    it("that nobody here wrote are refused by name", async () => {
      const before = readFileSync(file(), "utf8");
      writeFileSync(file(), "something else\n");
      await expect(trail.verify()).rejects.toThrow(/audit\.heads: a line is not/);
      writeFileSync(file(), before);
    });

    it("begin anew when the rows are taken away on purpose", async () => {
      const sealer = trails.sealer();
      await write();
      await trail.seal();
      await sealer.startAnew(() => trails.intrude(sql`truncate audit_log, audit_seals`));
      expect(readFileSync(file(), "utf8")).toBe("");
      await write(2);
      await sealer.stop();
      await expectWhole(2);
    });
  });

  it("a head is found among the rows of any tenant by its own tenant only", async () => {
    await write(1);
    await trail.seal();
    const seen = await inTenant((tx) =>
      queryRows<{ tenants: number }>(
        tx,
        sql`select count(distinct tenant_id)::int as tenants from audit_seals`,
      ),
    );
    expect(seen).toEqual([{ tenants: 1 }]);
  });
});
