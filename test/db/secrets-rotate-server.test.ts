import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { SEALED_PLACES } from "../../src/cli/secrets.ts";
import { type Database, openPostgres } from "../../src/store/database.ts";
import { queryRows, withOwner } from "../../src/store/db.ts";
import { rotateMasterKey } from "../../src/store/rotate-key.ts";
import { unlockDatabase } from "../../src/store/unlock.ts";
import { onServer } from "../support/engines.ts";
import { believedRows, fillKeyed, NOW } from "../support/keyed-rows.ts";

const OLD = Buffer.alloc(32, 21);
const NEW = Buffer.alloc(32, 22);

const rotate = (database: Database) =>
  rotateMasterKey(database, { from: OLD, to: NEW, now: NOW, ...SEALED_PLACES });

onServer((engine) => {
  it("a rotation and another process are never there at once", async () => {
    const own = await engine.open();
    const mine = await openPostgres(own.url ?? "", 1);
    await fillKeyed(mine, OLD);
    const other = await openPostgres(own.url ?? "", 1);
    await expect(rotate(mine)).rejects.toThrow(/a running Countersign.*change the master key/);
    await other.close();
    await gone(mine);
    const source = { fromEnv: OLD.toString("hex"), dataDir: "/nonexistent" };
    let refused: unknown;
    await withOwner(mine.db, async (tx) => {
      await tx.execute(
        sql`select pg_advisory_xact_lock(hashtextextended('countersign:master key', 0))`,
      );
      const starting = await openPostgres(own.url ?? "", 1);
      refused = await unlockDatabase(starting.db, source).catch((error: unknown) => error);
      await starting.close();
    });
    expect(refused).toMatchObject({
      message: expect.stringMatching(/is being changed; start again when/),
    });
    await gone(mine);
    await rotate(mine);
    const rows = Object.values(await believedRows(mine, NEW));
    expect(rows.every(({ believed, rows }) => believed === rows)).toBe(true);
    await mine.close();
    await own.drop();
  });
});

/** A closed session leaves the server's list a moment later. */
async function gone({ db }: Database): Promise<void> {
  await expect
    .poll(
      () =>
        queryRows<{ pid: number }>(
          db,
          sql`select pid from pg_stat_activity where datname = current_database()
            and pid <> pg_backend_pid() and application_name like 'countersign%'`,
        ),
      { timeout: 30_000 },
    )
    .toEqual([]);
}
