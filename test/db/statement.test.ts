import { and, asc, eq, gte, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../src/store/database.ts";
import { queryRows, type Tx, withOwner, withSavepoint, withTenant } from "../../src/store/db.ts";
import { contactIdentities, contacts } from "../../src/store/schema/chat.ts";
import { agentToolCalls } from "../../src/store/schema/runs.ts";
import { insertRows, statement, type ValueAt } from "../../src/store/statement.ts";
import { ensureTenant } from "../../src/store/tenants.ts";
import { forEachEngine } from "../support/database.ts";

const since = statement((on, value: ValueAt<{ tenantId: string; from: number }>) =>
  on
    .select({ id: contacts.id, blockedAt: contacts.blockedAt, account: contactIdentities })
    .from(contacts)
    .leftJoin(contactIdentities, eq(contactIdentities.contactId, contacts.id))
    .where(
      and(
        eq(contacts.tenantId, value("tenantId")),
        gte(contacts.createdAt, value("from", contacts.createdAt)),
      ),
    )
    .orderBy(asc(contacts.createdAt)),
);

forEachEngine((open) => {
  let database: Database;
  beforeAll(async () => {
    database = await open();
    for (const id of ["a", "b", "c"])
      await withOwner(database.db, (tx) => ensureTenant(tx, { id, name: id, now: 0 }));
  });
  afterAll(() => database.close());

  const inTenant = <T>(id: string, work: (tx: Tx) => Promise<T>) =>
    withTenant(database.db, id, work);
  const contact = (tenantId: string, at: number, more: { blockedAt?: number | null } = {}) => ({
    ...{ id: `${tenantId}-${at}`, tenantId, name: "Lead", createdAt: at, ...more },
  });
  const read = (tx: Tx, tenantId: string, from: number) => since(tx, { tenantId, from });

  describe("rows that are inserted", () => {
    it("are what the builder writes, whatever columns each of them gives", async () => {
      const rows = [
        contact("a", 1),
        contact("a", 2, { blockedAt: 1_700_000_000_000 }),
        contact("a", 3, { blockedAt: null }),
      ];
      await inTenant("a", (tx) => insertRows(tx, contacts, rows));
      const stored = await inTenant("a", (tx) =>
        tx.select().from(contacts).orderBy(contacts.createdAt),
      );
      expect(stored.map(({ id, blockedAt }) => [id, blockedAt])).toEqual([
        ["a-1", null],
        ["a-2", 1_700_000_000_000],
        ["a-3", null],
      ]);
      expect(stored[0]?.attributes).toEqual({}); // the column's own default
    });

    it("keep what is nothing apart from a JSON null, and texts as they are", async () => {
      const call = (id: string, args: unknown) => ({
        ...{ id, tenantId: "a", conversationId: "c", contactId: "p", candidateId: id },
        ...{ source: "model", toolName: "t'; --", args, result: { list: [1, "zwei"] } },
        ...{ isError: false, cycle: 0, toolCallIndex: 0, createdAt: 5 },
      });
      await inTenant("a", (tx) => insertRows(tx, agentToolCalls, [call("x", null)]));
      await inTenant("a", (tx) => insertRows(tx, agentToolCalls, [call("y", "null")]));
      const stored = await inTenant("a", (tx) =>
        queryRows(
          tx,
          sql`select tool_name, args is null as nothing, args::text, result::text
              from agent_tool_calls order by id`,
        ),
      );
      const same = { tool_name: "t'; --", result: '{"list": [1, "zwei"]}' };
      expect([...stored]).toEqual([
        { ...same, nothing: true, args: null },
        { ...same, nothing: false, args: '"null"' },
      ]);
    });

    it("may be none, or more than have a text of their own", async () => {
      const rows = Array.from({ length: 40 }, (_, at) => contact("c", at));
      await inTenant("c", (tx) => insertRows(tx, contacts, []));
      await inTenant("c", (tx) => insertRows(tx, contacts, rows));
      expect(await inTenant("c", (tx) => read(tx, "c", 0))).toHaveLength(40);
    });
  });

  describe("a statement", () => {
    it("takes new values each time, in whatever transaction it is called", async () => {
      await inTenant("b", (tx) => insertRows(tx, contacts, [contact("b", 10), contact("b", 20)]));
      const account = {
        id: "account",
        tenantId: "b",
        contactId: "b-20",
        messenger: "slack" as const,
      };
      await inTenant("b", (tx) =>
        insertRows(tx, contactIdentities, [{ ...account, teamId: "T", userId: "U" }]),
      );
      const all = await inTenant("b", (tx) => read(tx, "b", 0));
      expect(all.map(({ id, account: of }) => [id, of?.userId ?? null])).toEqual([
        ["b-10", null],
        ["b-20", "U"],
      ]);
      expect(all[0]?.account).toBeNull(); // no object of nulls
      expect((await inTenant("b", (tx) => read(tx, "b", 15))).map(({ id }) => id)).toEqual([
        "b-20",
      ]);
    });

    it("sees only the tenant of its transaction", async () => {
      expect(await inTenant("b", (tx) => read(tx, "a", 0))).toEqual([]);
    });

    it("belongs to the savepoint that it is called in", async () => {
      const lost = new Error("taken back");
      await inTenant("b", async (tx) => {
        const part = withSavepoint(tx, async (inner) => {
          await insertRows(inner, contacts, [contact("b", 30)]);
          throw lost;
        });
        await expect(part).rejects.toBe(lost);
        expect((await read(tx, "b", 25)).map(({ id }) => id)).toEqual([]);
      });
    });
  });
});
