import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../src/store/database.ts";
import {
  queryRows,
  sqlState,
  type Tx,
  withOwner,
  withSystem,
  withTenant,
} from "../../src/store/db.ts";
import { enterTenant } from "../../src/store/enter-tenant.ts";
import { contacts } from "../../src/store/schema/chat.ts";
import { auditLog } from "../../src/store/schema/tenancy.ts";
import { ensureTenant } from "../../src/store/tenants.ts";
import { forEachEngine } from "../support/database.ts";

const OPEN_TABLES = ["api_tokens", "channels"];
const INSUFFICIENT_PRIVILEGE = "42501";

forEachEngine((open) => {
  let database: Database;
  beforeAll(async () => {
    database = await open();
    for (const id of ["a", "b"]) {
      await withOwner(database.db, (tx) => ensureTenant(tx, { id, name: id, now: 0 }));
      await inTenant(id, async (tx) => {
        await tx.insert(contacts).values(contact(id));
        await tx.insert(auditLog).values({ ...entry(id), id: `audit-${id}` });
      });
    }
  });
  afterAll(() => database.close());

  const contact = (tenantId: string, id = `contact-of-${tenantId}`) => ({
    ...{ id, tenantId, name: `Lead of ${tenantId}`, createdAt: 0 },
  });
  const entry = (tenantId: string) => ({
    ...{ tenantId, eventType: "test.written", summary: "written", createdAt: 0 },
  });
  function inTenant<T>(id: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    return withTenant(database.db, id, work);
  }
  /** The SQLSTATE that work in its own transaction ends with; "done" when it does not fail. */
  async function stateOf(work: Promise<unknown>): Promise<string | undefined> {
    try {
      await work;
      return "done";
    } catch (error) {
      return sqlState(error);
    }
  }
  const tenantTables = () =>
    withOwner(database.db, (tx) =>
      queryRows<{ name: string; enabled: boolean; forced: boolean }>(
        tx,
        sql`select c.relname as name, c.relrowsecurity as enabled, c.relforcerowsecurity as forced
            from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
            join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
            where c.relkind in ('r', 'p') order by 1`,
      ),
    );

  describe("every table with a tenant", () => {
    it("has row level security, also for its owner", async () => {
      const tables = (await tenantTables()).filter(({ name }) => !OPEN_TABLES.includes(name));
      expect(tables.length).toBeGreaterThan(25);
      expect(tables.filter((table) => !table.enabled || !table.forced)).toEqual([]);
    });

    it("shows the tenant's role the tenant's rows only, reading and writing", async () => {
      const policies = await withOwner(database.db, (tx) =>
        queryRows<{
          name: string;
          reads: string;
          writes: string | null;
          roles: string;
          cmd: string;
        }>(
          tx,
          sql`select tablename as name, qual as reads, with_check as writes, roles::text as roles, cmd
              from pg_policies where schemaname = 'public' and policyname = 'tenant_rows'`,
        ),
      );
      const protectedTables = (await tenantTables())
        .map(({ name }) => name)
        .filter((name) => !OPEN_TABLES.includes(name));
      expect(policies.map(({ name }) => name).sort()).toEqual([...protectedTables].sort());
      const rule = "(tenant_id = current_setting('app.tenant_id'::text, true))";
      for (const policy of policies)
        expect(policy).toMatchObject({ reads: rule, writes: rule, roles: "{app_rw}", cmd: "ALL" });
    });

    it("has no other rule than that and the system's reading of ids", async () => {
      const others = await withOwner(database.db, (tx) =>
        queryRows<{ name: string; roles: string; cmd: string }>(
          tx,
          sql`select tablename as name, roles::text as roles, cmd from pg_policies
              where schemaname = 'public' and policyname <> 'tenant_rows' order by 1`,
        ),
      );
      const names = [
        "approval_queue",
        "audit_log",
        "inbox",
        "outbox",
        "runs",
        "tool_execution_queue",
      ];
      expect(others).toEqual(names.map((name) => ({ name, roles: "{app_system}", cmd: "SELECT" })));
    });
  });

  it("the product's roles bypass nothing and are no superusers", async () => {
    const roles = await withOwner(database.db, (tx) =>
      queryRows(
        tx,
        sql`select rolname, rolsuper, rolbypassrls, rolcanlogin, rolcreaterole from pg_roles
            where rolname in ('app_rw', 'app_system') order by 1`,
      ),
    );
    const none = { rolsuper: false, rolbypassrls: false, rolcanlogin: false, rolcreaterole: false };
    expect(roles).toEqual([
      { rolname: "app_rw", ...none },
      { rolname: "app_system", ...none },
    ]);
  });

  it("on PostgreSQL the session's own user sees no tenant's rows and bypasses nothing", async (context) => {
    if (database.kind !== "postgres") return context.skip();
    const [user] = await withOwner(database.db, (tx) =>
      queryRows<{ rolsuper: boolean; rolbypassrls: boolean }>(
        tx,
        sql`select rolsuper, rolbypassrls from pg_roles where rolname = session_user`,
      ),
    );
    expect(user).toEqual({ rolsuper: false, rolbypassrls: false });
    expect(await withOwner(database.db, (tx) => tx.select().from(contacts))).toEqual([]);
  });

  describe("a query without a tenant", () => {
    for (const none of ["", "no-such-tenant"])
      it(`sees no rows as tenant ${JSON.stringify(none)}`, async () => {
        expect(await inTenant(none, (tx) => tx.select().from(contacts))).toEqual([]);
        expect(await inTenant(none, (tx) => tx.select().from(auditLog))).toEqual([]);
      });

    it("cannot write a tenant's row", async () => {
      const write = inTenant("", (tx) => tx.insert(contacts).values(contact("a", "smuggled")));
      expect(await stateOf(write)).toBe(INSUFFICIENT_PRIVILEGE);
    });

    it("sees none in any table when only the role is set", async () => {
      const names = (await tenantTables()).map(({ name }) => name);
      for (const name of names.filter((one) => !OPEN_TABLES.includes(one)))
        await withOwner(database.db, async (tx) => {
          await tx.execute(sql`select set_config('role', 'app_rw', true)`);
          const query = sql`select count(*)::int as rows from ${sql.identifier(name)}`;
          expect(await queryRows(tx, query), name).toEqual([{ rows: 0 }]);
        });
    });
  });

  describe("a tenant", () => {
    it("sees its own rows only, whatever the query asks for", async () => {
      const seen = await inTenant("a", (tx) => queryRows(tx, sql`select tenant_id from contacts`));
      expect(seen).toEqual([{ tenant_id: "a" }]);
      const other = sql`select id from contacts where tenant_id = 'b'`;
      expect(await inTenant("a", (tx) => queryRows(tx, other))).toEqual([]);
    });

    it("changes and deletes nothing of another", async () => {
      await inTenant("a", async (tx) => {
        await tx.execute(sql`update contacts set name = 'taken' where tenant_id = 'b'`);
        await tx.execute(sql`delete from contacts where tenant_id = 'b'`);
      });
      const left = await inTenant("b", (tx) => queryRows(tx, sql`select name from contacts`));
      expect(left).toEqual([{ name: "Lead of b" }]);
    });

    it("can neither write into another nor give a row away", async () => {
      const write = inTenant("a", (tx) => tx.insert(contacts).values(contact("b", "planted")));
      expect(await stateOf(write)).toBe(INSUFFICIENT_PRIVILEGE);
      const give = inTenant("a", (tx) => tx.execute(sql`update contacts set tenant_id = 'b'`));
      expect(await stateOf(give)).toBe(INSUFFICIENT_PRIVILEGE);
    });

    it("ends with its transaction, committed or not", async () => {
      const who = sql`select current_user = session_user as own, coalesce(current_setting('app.tenant_id', true), '') as tenant`;
      const outside = { own: true, tenant: "" };
      await inTenant("a", async () => {});
      expect(await withOwner(database.db, (tx) => queryRows(tx, who))).toEqual([outside]);
      await inTenant("a", () => Promise.reject(new Error("rolled back"))).catch(() => {});
      expect(await withOwner(database.db, (tx) => queryRows(tx, who))).toEqual([outside]);
    });

    it("holds in many transactions at once", async () => {
      const seen = await Promise.all(
        Array.from({ length: 40 }, (_, index) => {
          const id = index % 2 === 0 ? "a" : "b";
          return inTenant(id, async (tx) => {
            const rows = await queryRows<{ tenant_id: string }>(
              tx,
              sql`select tenant_id from contacts`,
            );
            return rows.every((row) => row.tenant_id === id) && rows.length === 1;
          });
        }),
      );
      expect(seen.every(Boolean)).toBe(true);
    });

    it("that an owner's transaction enters is the only one from then on", async () => {
      const seen = await withOwner(database.db, async (tx) => {
        await enterTenant(tx, "b");
        return queryRows(tx, sql`select tenant_id from contacts`);
      });
      expect(seen).toEqual([{ tenant_id: "b" }]);
    });
  });

  describe("the audit trail", () => {
    it("is only added to", async () => {
      for (const change of ["update audit_log set summary = 'nicer'", "delete from audit_log"]) {
        const made = inTenant("a", (tx) => tx.execute(sql.raw(change)));
        expect(await stateOf(made), change).toBe(INSUFFICIENT_PRIVILEGE);
      }
      const truncate = inTenant("a", (tx) => tx.execute(sql`truncate audit_log`));
      expect(await stateOf(truncate)).toBe(INSUFFICIENT_PRIVILEGE);
    });
  });

  describe("the system role", () => {
    const forbidden = [
      "select payload from inbox",
      "select content from outbox",
      "select text from messages",
      "select payload_json from tool_execution_queue",
      "select proposed_action_json from approval_queue",
      "select client_says from approval_queue",
      "select * from runs",
      "select name from contacts",
      "select ciphertext from tenant_secrets",
      "select summary from audit_log",
      "update runs set status = 'failed'",
      "delete from outbox",
      "insert into inbox (id) values ('x')",
      "update tool_execution_queue set status = 'queued'",
    ];
    it.each(forbidden)("may not %s", async (text) => {
      const made = withSystem(database.db, (tx) => tx.execute(sql.raw(text)));
      expect(await stateOf(made)).toBe(INSUFFICIENT_PRIVILEGE);
    });

    const allowed = [
      "select id, tenant_id, status, due_at, lease_until from runs",
      "select id, tenant_id, status, run_after, lease_until from tool_execution_queue",
      "select id, tenant_id, status, expires_at from approval_queue",
      "select id, tenant_id, channel_id, chat_id, status, due_at from outbox",
      "select id, tenant_id, kind, status, received_at from inbox",
    ];
    it.each(allowed)("may %s", async (text) => {
      expect(await stateOf(withSystem(database.db, (tx) => tx.execute(sql.raw(text))))).toBe(
        "done",
      );
    });
  });
});
