import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { StartError } from "../../src/domain/errors.ts";
import { dumpDatabase } from "../../src/store/backup-dump.ts";
import { type Restore, restoreDatabase } from "../../src/store/backup-restore.ts";
import { type Database, openPostgres, prepareDatabase } from "../../src/store/database.ts";
import { queryRows, withOwner, withTenant } from "../../src/store/db.ts";
import { migrateTo, newestSchema, schemaOf } from "../../src/store/migrations.ts";
import { messages } from "../../src/store/schema/chat.ts";
import { forEachEngine } from "../support/database.ts";
import { onServer } from "../support/engines.ts";
import { allRows, fillDatabase, TENANTS } from "../support/filled-database.ts";

const BACKED_UP_AT = Date.UTC(2026, 10, 2, 8);
const RESTORED_AT = Date.UTC(2026, 10, 2, 9);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-backup-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
async function backUp(database: Database): Promise<string> {
  files += 1;
  const path = join(folder, `${files}.backup`);
  await dumpDatabase(database.db, { path, product: "1.0.0", now: BACKED_UP_AT, write: () => {} });
  return path;
}

function restoreTo(database: Database, path: string, over: Partial<Restore> = {}) {
  return restoreDatabase(database, {
    ...{ path, world: "sandbox" as const, now: RESTORED_AT, realNow: RESTORED_AT },
    ...{ check: async () => {}, write: () => {} },
    ...over,
  });
}

/** When payouts were stopped and why, two fields more, and the hash that signs the row with it. */
const PAYOUT_STOP = /,[^,]*,("[^"]*"|)(,[^,]*){2},[0-9a-f]{64}\)$/;

/** What a restore adds by itself. */
function withoutMarks(rows: Record<string, string[]>): Record<string, string[]> {
  const isMark = (row: string) => /backup\.restored|payouts\.stopped/.test(row);
  return {
    ...rows,
    tenants: (rows.tenants ?? []).map((row) => row.replace(PAYOUT_STOP, "")),
    audit_log: (rows.audit_log ?? []).filter((row) => !isMark(row)),
  };
}

forEachEngine((openSource) => {
  let source: Database;
  let path: string;
  beforeAll(async () => {
    source = await openSource();
    await fillDatabase(source);
    path = await backUp(source);
  });
  afterAll(() => source.close());

  describe("a backup taken there", () => {
    forEachEngine((openTarget) => {
      let target: Database;
      beforeAll(async () => {
        target = await openTarget({ bare: true, poolSize: 1 });
        await restoreTo(target, path);
      });
      afterAll(() => target.close());

      it("and restored has every row of every tenant, to the last digit and byte", async () => {
        const before = await allRows(source);
        expect(Object.values(before).every((rows) => rows.length > 1)).toBe(true);
        expect(withoutMarks(await allRows(target))).toEqual(withoutMarks(before));
      });

      it("and restored goes on numbering where it was", async () => {
        const [{ seq }] = (await withTenant(target.db, "default", (tx) =>
          tx
            .insert(messages)
            .values({
              ...{ id: "next", tenantId: "default", conversationId: "c", author: "lead" as const },
              ...{ kind: "text" as const, text: "next", createdAt: RESTORED_AT },
            })
            .returning({ seq: messages.seq }),
        )) as [{ seq: number }];
        expect(seq).toBe(TENANTS.length * 3 + 1);
      });

      it("and restored stops the payouts of each tenant, and says so in the trail", async () => {
        const stops = await withOwner(target.db, (tx) =>
          queryRows<{ reason: string }>(
            tx,
            sql`select payouts_stopped_reason as reason from tenants where payouts_stopped_at is not null`,
          ),
        );
        expect(stops).toHaveLength(TENANTS.length);
        for (const { reason } of stops) expect(reason).toContain("2026-11-02 08:00 UTC");
        for (const tenant of TENANTS) {
          const events = await withTenant(target.db, tenant, (tx) =>
            queryRows<{ type: string }>(
              tx,
              sql`select event_type as type from audit_log where user_id = 'restore' order by id`,
            ),
          );
          expect(events.map(({ type }) => type)).toEqual(["backup.restored", "payouts.stopped"]);
        }
      });

      it("and restored is opened by a start like any other", async () => {
        await prepareDatabase(target, "sandbox");
        expect(await schemaOf(target.db)).toBe(newestSchema());
      });

      it("is refused by a database that has something in it", async () => {
        await expect(restoreTo(target, path)).rejects.toThrow(
          /not empty.*choose another DATA_DIR or DATABASE_URL/,
        );
      });
    });
  });

  it("only its owner may read the file", () => {
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("what changes together meanwhile is in it together", async () => {
    const database = await openSource();
    await fillDatabase(database);
    const change = (round: number) =>
      withOwner(database.db, async (tx) => {
        await tx.execute(
          sql`update app_state set value = ${`round ${round}`} where name <> 'world'`,
        );
        await tx.execute(sql`update tenants set name = ${`round ${round}`}`);
      });
    let going = true;
    await change(0);
    const writer = (async () => {
      for (let round = 1; going; round += 1) await change(round);
    })();
    const moving = await backUp(database);
    going = false;
    await writer;
    await database.close();
    const text = gunzipSync(readFileSync(moving)).toString();
    const rounds = [...text.matchAll(/"round (\d+)"/g)].map(([, round]) => round);
    expect(rounds.length).toBeGreaterThan(TENANTS.length);
    expect(new Set(rounds).size).toBe(1);
  });

  it("of an older version is brought up to this one", async () => {
    const old = await openSource({ bare: true });
    await withOwner(old.db, async (tx) => {
      await migrateTo(tx, 1795983994187);
      await tx.execute(sql`insert into app_state (name, value) values ('world', 'sandbox')`);
      await tx.execute(
        sql`insert into tenants (id, name, created_at) values ('old', 'Old', '2026-01-01')`,
      );
    });
    const older = await backUp(old);
    await old.close();
    const target = await openSource({ bare: true, poolSize: 1 });
    await restoreTo(target, older);
    expect(await schemaOf(target.db)).toBe(newestSchema());
    const tenants = await queryRows(target.db, sql`select id, name from tenants`);
    expect(tenants).toEqual([{ id: "old", name: "Old" }]);
    await target.close();
  });

  describe("is refused, and leaves the database empty,", () => {
    let target: Database;
    beforeAll(async () => {
      target = await openSource({ bare: true, poolSize: 1 });
    });
    afterAll(() => target.close());

    const changed = (name: string, change: (lines: string[]) => string[]): string => {
      const to = join(folder, name);
      const lines = gunzipSync(readFileSync(path)).toString().split("\n");
      writeFileSync(to, gzipSync(change(lines).join("\n")));
      return to;
    };
    const refused = async (from: string, rule: RegExp, over: Partial<Restore> = {}) => {
      const error: unknown = await restoreTo(target, from, over).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(Error);
      const { message } = error as Error;
      expect(message).toMatch(rule);
      expect(message.split("\n")).toHaveLength(1);
      expect(await schemaOf(target.db)).toBe(0);
    };

    it("when its end is missing", async () => {
      const cut = join(folder, "cut");
      writeFileSync(cut, readFileSync(path).subarray(0, 2000));
      await refused(cut, /not whole/);
    });

    it("when its last line is missing", () =>
      refused(
        changed("unproven", (lines) => lines.slice(0, -2).concat("")),
        /not whole/,
      ));

    it("when one digit was changed", () =>
      refused(
        changed("edited", (lines) => lines.map((line) => line.replace("567890", "567891"))),
        /not whole/,
      ));

    it("when it is some other file", async () => {
      const other = join(folder, "other");
      writeFileSync(other, "hello");
      await refused(other, /not whole|no backup/);
      await refused(join(folder, "absent"), /no such file/);
    });

    it("when a newer version made it", async () => {
      const newer = await openSource();
      await newer.db.execute(
        sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', 99999999999999)`,
      );
      const from = await backUp(newer);
      await newer.close();
      await refused(from, /newer version of Countersign \(1\.0\.0\)/);
    });

    it("when it is of the other world", () =>
      refused(path, /^SANDBOX: .* of the sandbox world and this start is real/, { world: "real" }));

    it("when its rows do not stand the last check", () =>
      refused(path, /^MASTER_KEY: another/, {
        check: () => Promise.reject(new StartError("MASTER_KEY: another")),
      }));
  });
});

onServer((engine) => {
  it("a restore is refused while a process uses the database", async () => {
    const own = await engine.open();
    const running = await openPostgres(own.url ?? "", 1);
    const target = await openPostgres(own.url ?? "", 1);
    const empty = join(folder, "running");
    const source = await openPostgres(own.url ?? "", 1);
    await prepareDatabase(source, "sandbox");
    await dumpDatabase(source.db, { path: empty, product: "1", now: BACKED_UP_AT, write() {} });
    await expect(restoreTo(target, empty)).rejects.toThrow(/a running Countersign.*stop all/);
    for (const database of [source, target, running]) await database.close();
    await own.drop();
  });
});

describe("there is nothing to back up", () => {
  forEachEngine((open) => {
    it("in a new database", async () => {
      const database = await open({ bare: true });
      await expect(backUp(database)).rejects.toThrow(/nothing to back up/);
      await database.close();
    });
  });
});
