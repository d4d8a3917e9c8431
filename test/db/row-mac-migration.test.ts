import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { StartError } from "../../src/domain/errors.ts";
import { isVerified } from "../../src/domain/verified.ts";
import { dumpDatabase } from "../../src/store/backup-dump.ts";
import { restoreDatabase } from "../../src/store/backup-restore.ts";
import { accountHolder } from "../../src/store/contact-accounts.ts";
import { type Database, prepareDatabase } from "../../src/store/database.ts";
import { queryRows, type Tx, withOwner, withTenant } from "../../src/store/db.ts";
import { listDestinations } from "../../src/store/destinations.ts";
import { enterTenant } from "../../src/store/enter-tenant.ts";
import { exchangeSettingsOf } from "../../src/store/exchange-settings.ts";
import { lockInbox } from "../../src/store/inbox.ts";
import { checkMasterKey, isKeyOf } from "../../src/store/key-check.ts";
import { ownersOf } from "../../src/store/makers.ts";
import { migrateTo } from "../../src/store/migrations.ts";
import { openOrders } from "../../src/store/orders.ts";
import { policiesOf } from "../../src/store/policies.ts";
import { bindRowKey, onForgedRow, rowKeyOf } from "../../src/store/row-mac.ts";
import { createSecrets } from "../../src/store/secrets.ts";
import { ensureStaffIdentity, findStaffByIdentity } from "../../src/store/staff.ts";
import { tenantById } from "../../src/store/tenants.ts";
import { verifyToken } from "../../src/store/tokens.ts";
import { unlockDatabase } from "../../src/store/unlock.ts";
import { forEachEngine } from "../support/database.ts";

const BEFORE = 1795999817526;
/** The last one whose clients' accounts carry no hash. */
const UNSIGNED_CLIENTS = 1796052030567;
const NOW = Date.UTC(2026, 10, 2, 8);
const T = "old";

/** What an older version has written, one row of each kind. */
async function fillOlder(database: Database): Promise<void> {
  await withOwner(database.db, async (tx) => {
    await migrateTo(tx, BEFORE);
    const rows = [
      sql`insert into app_state (name, value) values ('world', 'sandbox')`,
      sql`insert into tenants (id, name, state, created_at) values (${T}, 'Old', 'open', now())`,
      sql`insert into api_tokens (id, kind, token_hash, created_at)
        values ('token', 'setup', encode(sha256('old token'), 'hex'), now())`,
    ];
    for (const row of rows) await tx.execute(row);
    await enterTenant(tx, T);
    for (const row of ofTenant) await tx.execute(row);
  });
}

const ofTenant = [
  sql`insert into staff (id, tenant_id, name, role, created_at) values ('alice', ${T}, 'Alice', 'admin', now())`,
  sql`insert into staff_identities (id, tenant_id, staff_id, messenger, user_id, created_at)
    values ('account', ${T}, 'alice', 'telegram', '2001', now())`,
  sql`insert into tool_policy (tenant_id, id, tool_name, role, condition_json, allow_call, requires_approval,
      approvals_required, approver_role, max_calls_per_run, max_payload_size, is_active)
    values (${T}, 'rule', 'pay', '*', '{"amount_to": {"$lte": "50000"}}', true, true, 1, 'operator', 3, 99, true)`,
  sql`insert into destinations (id, tenant_id, channel_id, messenger, chat_id, purpose, created_at)
    values ('chat', ${T}, 'tg', 'telegram', '-1', 'operators', now())`,
  sql`insert into exchange_settings (tenant_id, quote_asset, rate_refresh_sec, feed_stale_sec,
      risk_first_deal_review, risk_daily_limit, payout_providers, updated_at)
    values (${T}, 'THB', 180, 540, false, 100.50, '{"office_cash": "manual"}', now())`,
  sql`insert into exchange_orders (id, tenant_id, number, conversation_id, contact_id, quote_id, status,
      asset, network, quote_asset, amount_mode, amount_from, amount_to, rate, payment_method,
      payout_destination_json, expires_at, created_at, updated_at)
    values ('order', ${T}, 1, 'talk', 'lead', 'Q', 'paid', 'USDT', 'TRC20', 'THB', 'source_amount',
      40.00, 1300.0, 32.50, 'crypto', '{"bank": "SCB"}', now(), now(), now())`,
  sql`insert into contact_identities (id, tenant_id, contact_id, messenger, user_id)
    values ('client', ${T}, 'lead', 'telegram', '1001')`,
  sql`insert into inbox (id, tenant_id, channel_id, event_key, kind, payload, status, received_at)
    values ('event', ${T}, 'tg', '1', 'click', '{"kind": "click", "value": "A-1"}', 'new', now())`,
];

/** Reads each row as the product does, and says which are believed. */
async function believed(database: Database) {
  const { db } = database;
  const forged: string[] = [];
  onForgedRow(db, (row) => void forged.push(`${row.table} ${row.id}`));
  const read = <Row>(work: (tx: Tx) => Promise<Row>) => withTenant(db, T, work);
  const who = { tenantId: T, messenger: "telegram" as const, teamId: "", userId: "2001" };
  const policies = await read((tx) => policiesOf(tx, T));
  return {
    forged,
    tenant: await read((tx) => tenantById(tx, T)),
    token: await withOwner(db, (tx) => verifyToken(tx, "old token", NOW)),
    alice: await read((tx) => findStaffByIdentity(tx, who)),
    rules: policies.rows.filter(isVerified).map(({ id }) => id),
    listed: policies.list?.rows,
    chats: (await read((tx) => listDestinations(tx, T))).map(({ chatId }) => chatId),
    settings: await read((tx) => exchangeSettingsOf(tx, T)),
    orders: await read((tx) => openOrders(tx, { tenantId: T, conversationId: "talk" })),
    event: await read((tx) => lockInbox(tx, T, "event")),
    client: await read((tx) => accountHolder(tx, { ...who, userId: "1001" })),
  };
}

const WHOLE = {
  forged: [],
  tenant: { state: "open", payoutsStoppedAt: null },
  token: { kind: "setup" },
  alice: { id: "alice", role: "admin" },
  rules: ["rule"],
  listed: { rule: "pay" },
  chats: ["-1"],
  settings: { isForged: false, payoutProviders: { office_cash: "manual" } },
  orders: [{ amountTo: "1300" }],
  event: { status: "new" },
  client: { contactId: "lead" },
};

const TABLES = [
  ...["staff", "staff_identities", "tool_policy", "destinations", "exchange_settings"],
  ...["contact_identities", "exchange_orders", "inbox", "row_lists"],
];

/** As the database's owner may. */
async function blankMacs(database: Database): Promise<void> {
  await withOwner(database.db, async (tx) => {
    for (const table of ["tenants", "api_tokens"])
      await tx.execute(sql`update ${sql.identifier(table)} set mac = ''`);
    await enterTenant(tx, T);
    for (const table of TABLES) await tx.execute(sql`update ${sql.identifier(table)} set mac = ''`);
  });
}

forEachEngine((open) => {
  describe("rows of an older version", () => {
    let database: Database;
    beforeAll(async () => {
      database = await open({ bare: true });
      await fillOlder(database);
      await prepareDatabase(database, "sandbox");
    });
    afterAll(() => database.close());

    it("are signed by the start that brings the hashes", async () => {
      expect(await believed(database)).toMatchObject(WHOLE);
    });

    it("that were over then need no hash", async () => {
      const rows = await withTenant(database.db, T, (tx) =>
        queryRows<{ lists: number }>(tx, sql`select count(*)::int as lists from row_lists`),
      );
      expect(rows).toEqual([{ lists: 3 }]);
    });

    it("are never signed again: whoever blanks the hashes has nobody's trust at the next start", async () => {
      await blankMacs(database);
      await prepareDatabase(database, "sandbox");
      const { alice, token, rules, listed, chats, orders, event, client, forged, ...read } =
        await believed(database);
      expect(client).toBe("forged");
      expect({ alice, token, event }).toEqual({ alice: null, token: null, event: null });
      expect({ rules, listed, chats, orders }).toEqual({
        ...{ rules: [], listed: undefined, chats: [], orders: [] },
      });
      expect(read.settings.isForged).toBe(true);
      expect(read.tenant?.payoutsStoppedAt).not.toBeNull();
      expect(forged.length).toBeGreaterThan(TABLES.length);
    });

    it("of people are not made anew by the environment meanwhile", async () => {
      const person = { messenger: "telegram" as const, userId: "2001", role: "admin" as const };
      await withTenant(database.db, T, (tx) =>
        ensureStaffIdentity(tx, { tenantId: T, ...person, now: NOW }),
      );
      expect((await believed(database)).alice).toBeNull();
    });
  });

  describe("clients' accounts of the version before they carried a hash", () => {
    let database: Database;
    beforeAll(async () => {
      database = await open({ bare: true });
      await fillOlder(database);
      await withOwner(database.db, (tx) => migrateTo(tx, UNSIGNED_CLIENTS));
    });
    afterAll(() => database.close());

    const owns = (staffId: string, maker = "lead") =>
      withTenant(database.db, T, async (tx) =>
        (await ownersOf(tx, { tenantId: T, makers: [maker] })).has(staffId),
      );

    it("are signed by the start, and work at once", async () => {
      await prepareDatabase(database, "sandbox");
      expect(await believed(database)).toMatchObject(WHOLE);
      expect([await owns("alice"), await owns("alice", "alice")]).toEqual([false, true]);
    });

    it("are not signed once more for somebody who took hashes and migration away", async () => {
      await withOwner(database.db, async (tx) => {
        await tx.execute(sql`alter table contact_identities drop column mac`);
        await tx.execute(
          sql`delete from drizzle.__drizzle_migrations where created_at > ${UNSIGNED_CLIENTS}`,
        );
        await enterTenant(tx, T);
        await tx.execute(sql`update contact_identities set contact_id = 'mallory'`);
      });
      await prepareDatabase(database, "sandbox");
      expect((await believed(database)).client).toBe("forged");
      expect(await owns("alice")).toBe(true);
    });
  });

  describe("a backup", () => {
    let folder: string;
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), "countersign-signed-"));
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    const restored = async (from: Database, masterKey: Buffer, check = async (_tx: Tx) => {}) => {
      const path = join(folder, `${Math.random()}.backup`);
      await dumpDatabase(from.db, { path, product: "1", now: NOW, write() {} });
      const target = await open({ bare: true, poolSize: 1 });
      bindRowKey(target.db, rowKeyOf(masterKey));
      const times = { now: NOW, realNow: NOW };
      try {
        await restoreDatabase(target, { path, world: "sandbox", ...times, check, write() {} });
      } catch (error) {
        await target.close();
        throw error;
      }
      return target;
    };
    const KEY = Buffer.alloc(32, 3);

    it("of an older version is signed as it is restored", async () => {
      const old = await open({ bare: true });
      await fillOlder(old);
      const target = await restored(old, KEY);
      const payoutsStoppedReason = expect.stringContaining("restored from a backup");
      expect(await believed(target)).toMatchObject({ ...WHOLE, tenant: { payoutsStoppedReason } });
      await old.close();
      await target.close();
    });

    it("of this version keeps its hashes, and is believed with the same key alone", async () => {
      const source = await open({ bare: true });
      bindRowKey(source.db, rowKeyOf(KEY));
      await fillOlder(source);
      await prepareDatabase(source, "sandbox");
      const same = await restored(source, KEY);
      expect(await believed(same)).toMatchObject({ forged: [], alice: { id: "alice" } });
      const other = await restored(source, Buffer.alloc(32, 4));
      expect(await believed(other)).toMatchObject({ alice: null, token: null, orders: [] });
      for (const one of [same, other, source]) await one.close();
    });

    it("is checked for its key before older rows are signed", async () => {
      const old = await open({ bare: true });
      await fillOlder(old);
      await checkMasterKey(old.db, createSecrets(KEY));
      const other = createSecrets(Buffer.alloc(32, 4));
      const check = async (tx: Tx) => {
        const [columns] = await queryRows<{ signed: boolean }>(
          tx,
          sql`select exists(select 1 from information_schema.columns
            where table_name = 'staff' and column_name = 'mac') as signed`,
        );
        expect(columns?.signed).toBe(false);
        if (!(await isKeyOf(tx, other))) throw new StartError("another key");
      };
      await expect(restored(old, Buffer.alloc(32, 4), check)).rejects.toThrow("another key");
      await old.close();
    });
  });

  describe("a start", () => {
    const source = (byte: number) => ({
      fromEnv: Buffer.alloc(32, byte).toString("hex"),
      dataDir: "/nonexistent",
    });

    it("with another key is refused before older rows are signed", async () => {
      const database = await open({ bare: true });
      await fillOlder(database);
      await checkMasterKey(database.db, createSecrets(Buffer.alloc(32, 3)));
      await expect(unlockDatabase(database.db, source(4))).rejects.toThrow(/^MASTER_KEY: is not/);
      await unlockDatabase(database.db, source(3));
      await prepareDatabase(database, "sandbox");
      expect(await believed(database)).toMatchObject(WHOLE);
      await database.close();
    });

    it("on a new database signs with its key from the first row on", async () => {
      const database = await open({ bare: true });
      await unlockDatabase(database.db, source(5));
      await prepareDatabase(database, "sandbox");
      await checkMasterKey(database.db, createSecrets(Buffer.alloc(32, 5)));
      await expect(unlockDatabase(database.db, source(6))).rejects.toThrow(/^MASTER_KEY: is not/);
      await database.close();
    });
  });
});
