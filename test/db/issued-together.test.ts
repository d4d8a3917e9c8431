import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../src/store/database.ts";
import { queryRows, sqlState, type Tx, withOwner, withTenant } from "../../src/store/db.ts";
import { contacts } from "../../src/store/schema/chat.ts";
import { ensureTenant } from "../../src/store/tenants.ts";
import { forEachEngine } from "../support/database.ts";

const DIVISION_BY_ZERO = "22012";

forEachEngine((open) => {
  let database: Database;
  beforeAll(async () => {
    database = await open({ poolSize: 1 });
    for (const id of ["a", "b"])
      await withOwner(database.db, (tx) => ensureTenant(tx, { id, name: id, now: 0 }));
  });
  afterAll(() => database.close());

  const contact = (id: string) => ({ id, tenantId: "a", name: "Lead", createdAt: 0 });
  const place = (tx: Tx) =>
    queryRows<{ role: string; tenant: string }>(
      tx,
      sql`select current_user::text as role, current_setting('app.tenant_id') as tenant`,
    );
  async function insert(tx: Tx, id: string): Promise<void> {
    await tx.insert(contacts).values(contact(id));
  }
  async function names(): Promise<string[]> {
    const rows = await withTenant(database.db, "a", (tx) =>
      tx.select().from(contacts).where(eq(contacts.tenantId, "a")),
    );
    return rows.map(({ id }) => id).sort();
  }

  describe("statements that are issued together", () => {
    it("find the tenant set already, the first of the work, too", async () => {
      const seen = await Promise.all(
        ["a", "b"].map((id) => withTenant(database.db, id, (tx) => place(tx))),
      );
      expect(seen.flat()).toEqual([
        { role: "app_rw", tenant: "a" },
        { role: "app_rw", tenant: "b" },
      ]);
    });

    it("run in the order in which they were issued, whatever builds them", async () => {
      const counts = await withTenant(database.db, "a", async (tx) => {
        const count = () =>
          queryRows<{ n: number }>(tx, sql`select count(*)::int as n from contacts`);
        const [before, , between, , after] = await Promise.all([
          count(),
          insert(tx, "first"),
          count(),
          insert(tx, "second"),
          count(),
        ]);
        return [before, between, after].map((rows) => rows[0]?.n);
      });
      expect(counts).toEqual([0, 1, 2]);
    });

    it("are all taken back when one of them fails, and the next transaction is not touched", async () => {
      const broken = withTenant(database.db, "a", (tx) =>
        Promise.all([
          tx.insert(contacts).values(contact("lost")),
          tx.execute(sql`select 1 / ${0}::int`),
          tx.insert(contacts).values(contact("late")),
        ]),
      );
      await expect(broken.catch(sqlState)).resolves.toBe(DIVISION_BY_ZERO);
      expect(await names()).toEqual(["first", "second"]);
    });

    it("nothing runs in a transaction that is over", async () => {
      const left = await withTenant(database.db, "a", async (tx) => ({ tx }));
      const late = async () => left.tx.insert(contacts).values(contact("after"));
      await expect(late()).rejects.toThrow();
      expect(await names()).toEqual(["first", "second"]);
    });

    it("a tenant that cannot be set stops the work with that error", async () => {
      const broken = withTenant(database.db, "no\0text", (tx) => place(tx));
      await expect(broken).rejects.toThrow(/set_config/);
    });
  });

  it("a server plans a statement of the query builder once", async (context) => {
    if (database.kind !== "postgres") return context.skip();
    await names();
    await names();
    const planned = await withOwner(database.db, (tx) =>
      queryRows<{ n: number }>(
        tx,
        sql`select (generic_plans + custom_plans)::int as n from pg_prepared_statements
            where statement like ${'select%from "contacts"%'}`,
      ),
    );
    expect(planned).toHaveLength(1);
    expect(planned[0]?.n).toBeGreaterThanOrEqual(2);
  });
});
