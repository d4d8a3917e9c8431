import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq, type SQL, sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SEALED_PLACES } from "../../src/cli/secrets.ts";
import { openSecretForm } from "../../src/desk/secret-forms.ts";
import { ensureAuditKey } from "../../src/store/audit-key.ts";
import type { Database } from "../../src/store/database.ts";
import { type Tx, withOwner, withTenant } from "../../src/store/db.ts";
import { enterTenant } from "../../src/store/enter-tenant.ts";
import { isKeyOf } from "../../src/store/key-check.ts";
import { prepareNewKey } from "../../src/store/new-key-file.ts";
import { openPayoutDraft } from "../../src/store/payout-codes.ts";
import { type Rotation, rotateMasterKey } from "../../src/store/rotate-key.ts";
import { bindRowKey, macOf, rowKeyOf } from "../../src/store/row-mac.ts";
import { approvalQueue } from "../../src/store/schema/approvals.ts";
import { inbox } from "../../src/store/schema/chat.ts";
import { exchangeOrders } from "../../src/store/schema/exchange.ts";
import { auditLog, tenantSecrets } from "../../src/store/schema/tenancy.ts";
import { toolCallCandidates } from "../../src/store/schema/tools.ts";
import { createSecrets } from "../../src/store/secrets.ts";
import { findStaffByIdentity } from "../../src/store/staff.ts";
import { verifyToken } from "../../src/store/tokens.ts";
import { unlockDatabase } from "../../src/store/unlock.ts";
import { forEachEngine } from "../support/database.ts";
import {
  believedRows,
  CODE,
  DRAFT,
  fillKeyed,
  KEYED_TENANTS,
  keyedColumns,
  keyedIds,
  NOW,
  SETUP_TOKEN,
  TYPED,
  WISHED,
} from "../support/keyed-rows.ts";
import { payoutCodeOf } from "../support/payout-code-of.ts";

const OLD = Buffer.alloc(32, 21);
const NEW = Buffer.alloc(32, 22);
const LATER = NOW + 1000;

const rotate = (database: Database, over: Partial<Rotation> = {}) =>
  rotateMasterKey(database, { from: OLD, to: NEW, now: LATER, ...SEALED_PLACES, ...over });

/** As the database's owner may. */
async function intrude({ db }: Database, tenantId: string, statement: SQL): Promise<void> {
  await withOwner(db, async (tx) => {
    await enterTenant(tx, tenantId);
    await tx.execute(statement);
  });
}

/** Everything that this key opens, of one tenant; throws at the first thing that it does not open. */
function opened({ db }: Database, key: Buffer, tenantId: string) {
  const secrets = createSecrets(key);
  const of = keyedIds(tenantId);
  const order = { tenantId, orderId: of.order };
  return withTenant(db, tenantId, async (tx) => {
    const [row] = await tx.select().from(exchangeOrders);
    const events = await tx.select().from(inbox);
    const [request] = await tx.select().from(toolCallCandidates);
    const { argumentsJson, argumentsRaw } = request as unknown as {
      argumentsJson: { change: { values: { exchange_binance_id: { sealed: string } } } };
      argumentsRaw: string;
    };
    const { sealed } = argumentsJson.change.values.exchange_binance_id;
    expect(argumentsRaw).toContain(sealed);
    const place = JSON.stringify(["requisite", tenantId, "exchange_binance_id"]);
    return {
      secret: await secrets.get(tx, tenantId, "crm_key"),
      code: await payoutCodeOf(tx, secrets, order),
      draft: openPayoutDraft(secrets, order, row?.payoutCodeDraft ?? Buffer.of()).code,
      typed: events.map(
        ({ payload }) =>
          payload.kind === "submission" &&
          openSecretForm(secrets, tenantId, {
            ...payload,
            eventKey: `key ${tenantId}`,
          }).code,
      ),
      wished: secrets.open(Buffer.from(sealed, "base64"), place),
    };
  });
}

const ALL = {
  ...{ secret: "second", code: CODE, draft: DRAFT, typed: [TYPED, TYPED], wished: WISHED },
};

async function isUnder(database: Database, key: Buffer): Promise<boolean> {
  const counts = Object.values(await believedRows(database, key));
  const believed = counts.filter(({ believed, rows }) => rows > 0 && believed === rows);
  const refused = counts.filter((count) => count.believed === 0);
  expect([0, counts.length]).toContain(believed.length); // all of them or none
  expect(refused).toHaveLength(counts.length - believed.length);
  const secrets = createSecrets(key);
  const opens = await withOwner(database.db, (tx) => isKeyOf(tx, secrets));
  expect(opens).toBe(believed.length > 0);
  return opens;
}

const auditKey = ({ db }: Database, key: Buffer) =>
  withOwner(db, (tx) => ensureAuditKey(tx, createSecrets(key), 0));

forEachEngine((open) => {
  let database: Database;
  const filled = async () => {
    const one = await open({ bare: true, poolSize: 1 });
    await fillKeyed(one, OLD);
    return one;
  };

  describe("under a new master key", () => {
    let before: Awaited<ReturnType<typeof auditKey>>;
    let rotated: Awaited<ReturnType<typeof rotate>>;
    beforeAll(async () => {
      database = await filled();
      before = await auditKey(database, OLD);
      rotated = await rotate(database);
    });
    afterAll(() => database.close());

    it("stands every column that the old one protected", async () => {
      const tables = Object.keys(await believedRows(database, NEW)).map((of) => of.split(" ")[0]);
      const others = ["audit_seals.mac"]; // under a key of its own, which is wrapped
      const sealed = ["tenant_secrets.ciphertext"];
      sealed.push("exchange_orders.payout_code", "exchange_orders.payout_code_draft");
      expect((await keyedColumns(database)).sort()).toEqual(
        [...new Set(tables.map((table) => `${table}.mac`)), ...others, ...sealed].sort(),
      );
    });

    it("every row of every signed table is believed, and none under the old one", async () => {
      expect(await isUnder(database, NEW)).toBe(true);
      expect(await isUnder(database, OLD)).toBe(false);
      expect(rotated).toMatchObject({ unbelieved: [], unopened: [], secrets: 2, sealed: 4 });
    });

    it.each(KEYED_TENANTS)(
      "all values of tenant %s open, and none with the old one",
      async (id) => {
        expect(await opened(database, NEW, id)).toEqual(ALL);
        await expect(opened(database, OLD, id)).rejects.toThrow(/does not open/);
      },
    );

    it("the store reads people, tokens and the trail's key as before", async () => {
      bindRowKey(database.db, rowKeyOf(NEW));
      const who = { messenger: "telegram" as const, teamId: "", userId: "2001" };
      const [tenantId = ""] = KEYED_TENANTS;
      const alice = await withTenant(database.db, tenantId, (tx) =>
        findStaffByIdentity(tx, { tenantId, ...who }),
      );
      expect(alice).toMatchObject({ role: "admin" });
      const token = await withOwner(database.db, (tx) => verifyToken(tx, SETUP_TOKEN, LATER));
      expect(token).toMatchObject({ kind: "setup" });
      expect(await auditKey(database, NEW)).toEqual(before);
      await expect(auditKey(database, OLD)).rejects.toThrow(/does not open/);
    });

    it("a secret keeps its version and its date", async () => {
      const [row] = await withTenant(database.db, "one", (tx) => tx.select().from(tenantSecrets));
      expect(row).toMatchObject({ version: 2, updatedAt: NOW, updatedBy: "setup" });
    });

    it("the trail of each tenant tells of it", async () => {
      for (const id of KEYED_TENANTS) {
        const told = await withTenant(database.db, id, (tx) =>
          tx.select().from(auditLog).where(eq(auditLog.eventType, "secrets.rotated")),
        );
        expect(told).toMatchObject([{ tenantId: id, createdAt: LATER }]);
      }
    });

    it("the old key changes nothing more", async () => {
      await expect(rotate(database)).rejects.toThrow(/^MASTER_KEY: is not the key/);
    });
  });

  describe("what the old key does not vouch for", () => {
    let rotated: Awaited<ReturnType<typeof rotate>>;
    beforeAll(async () => {
      database = await filled();
      const of = keyedIds("one");
      const forge = (statement: SQL) => intrude(database, "one", statement);
      await forge(sql`update staff set role = 'operator'`);
      await forge(sql`update exchange_orders set amount_to = 9999`);
      await forge(sql`update tool_policy set requires_approval = false`);
      await forge(sql`update inbox set mac = '' where id = ${of.form}`);
      await forge(sql`insert into approval_votes (id, tenant_id, approval_id, staff_id, decision, via,
        action_digest, created_at) values ('made up', 'one', ${of.approval}, 'x', 'approve', 'slack', 'd', now())`);
      await intrude(database, "two", sql`update tenant_secrets set version = 1`);
      rotated = await rotate(database);
    });
    afterAll(() => database.close());

    it("is not signed, and is named", async () => {
      const named = rotated.unbelieved.map(({ table, tenantId }) => `${tenantId} ${table}`).sort();
      expect(named).toEqual([
        ...["one approval_votes", "one exchange_orders", "one inbox", "one staff"],
        "one tool_policy",
      ]);
      expect(rotated.unbelieved).toContainEqual({
        ...{ table: "approval_votes", tenantId: "one", id: "made up" },
      });
      const rows = await believedRows(database, NEW);
      for (const table of ["exchange_orders", "inbox", "staff", "tool_policy"])
        expect(rows[`${table} of one`]).toEqual({ believed: 0, rows: 1 });
      expect(rows["approval_votes of one"]).toEqual({ believed: 1, rows: 2 });
      expect(rows["staff of two"]).toEqual({ believed: 1, rows: 1 });
    });

    it("does not open afterwards, and is named", async () => {
      expect(rotated.unopened).toEqual([
        { table: "tenant_secrets", tenantId: "two", id: "crm_key" },
      ]);
      await expect(opened(database, NEW, "two")).rejects.toThrow(/does not open/);
    });
  });

  it("secrets of a tenant whose own row somebody deleted are not lost", async () => {
    database = await filled();
    await withTenant(database.db, "two", (tx) =>
      tx.insert(auditLog).values({
        ...{ id: "a", tenantId: "two", eventType: "tenant.created", summary: "", createdAt: NOW },
      }),
    );
    await withOwner(database.db, (tx) => tx.execute(sql`delete from tenants where id = 'two'`));
    await rotate(database);
    expect(await opened(database, NEW, "two")).toEqual(ALL);
    await database.close();
  });

  describe("a change of payment details that waits", () => {
    beforeEach(async () => {
      database = await filled();
    });
    afterEach(() => database.close());

    const wait = (tx: Tx) =>
      tx
        .select()
        .from(approvalQueue)
        .then(async ([row]) => {
          if (!row) throw new Error("there is no request");
          const set = { status: "pending" as const };
          const mac = macOf(tx, "approval_queue", { ...row, ...set });
          await tx
            .update(approvalQueue)
            .set({ ...set, mac })
            .where(eq(approvalQueue.id, row.id));
        });

    it("holds it up, and nothing is changed", async () => {
      await withTenant(database.db, "one", wait);
      await expect(rotate(database)).rejects.toThrow(/^A-1 \(one\): a change of payment details/);
      expect(await isUnder(database, OLD)).toBe(true);
    });

    it("holds it up as well while it is being carried out", async () => {
      const of = keyedIds("one");
      await intrude(
        database,
        "one",
        sql`insert into tool_execution_queue (id, tenant_id, candidate_id, approval_id, tool_name,
            payload_json, action_digest, has_side_effect, status, attempts, run_after, created_at)
          values ('e', 'one', ${of.candidate}, ${of.approval}, 'change_authority', '{}', 'd', true,
            'queued', 0, now(), now())`,
      );
      await expect(rotate(database)).rejects.toThrow(/^A-1 \(one\)/);
    });

    it("that somebody else wrote holds nothing up", async () => {
      await intrude(database, "one", sql`update approval_queue set status = 'pending'`);
      const { unbelieved } = await rotate(database);
      expect(unbelieved.map(({ table }) => table)).toEqual(["approval_queue"]);
    });
  });

  describe("when it ends too early", () => {
    let dataDir: string;
    beforeEach(async () => {
      dataDir = mkdtempSync(join(tmpdir(), "countersign-rotate-"));
      writeFileSync(join(dataDir, "master.key"), `${OLD.toString("hex")}\n`, { mode: 0o600 });
      database = await filled();
    });
    afterEach(async () => {
      await database.close();
      rmSync(dataDir, { recursive: true, force: true });
    });

    const files = () => readdirSync(dataDir).sort();
    const keyIn = (name: string) => readFileSync(join(dataDir, name), "utf8").trim();
    const start = (fromEnv?: string) => unlockDatabase(database.db, { fromEnv, dataDir });

    it("before anything is written, the old key opens all, and the next attempt takes the same new one", async () => {
      const fresh = prepareNewKey(dataDir, OLD);
      expect(statSync(join(dataDir, "master.key.new")).mode & 0o777).toBe(0o600);
      expect(await start()).toEqual(OLD);
      expect(files()).toEqual(["master.key", "master.key.new"]);
      expect(prepareNewKey(dataDir, OLD)).toEqual(fresh);
    });

    it("while the new key's file is being written, the next attempt writes another", () => {
      writeFileSync(join(dataDir, "master.key.new.part"), "c0ff");
      const fresh = prepareNewKey(dataDir, OLD);
      expect(keyIn("master.key.new")).toBe(fresh.toString("hex"));
      expect(files()).toEqual(["master.key", "master.key.new"]);
    });

    it.each([1, 2])("in tenant %i, nothing is changed", async (at) => {
      const to = prepareNewKey(dataDir, OLD);
      let seen = 0;
      const requests = {
        ...SEALED_PLACES.requests,
        sealAnew: (...args: Parameters<Rotation["requests"]["sealAnew"]>) => {
          seen += 1;
          if (seen === at) throw new Error("killed");
          return SEALED_PLACES.requests.sealAnew(...args);
        },
      };
      await expect(rotate(database, { to, requests })).rejects.toThrow("killed");
      expect(await isUnder(database, OLD)).toBe(true);
      expect(await opened(database, OLD, "one")).toEqual(ALL);
      expect(await start()).toEqual(OLD);
    });

    it("after the commit, the next start puts the new key in its place and keeps the old one", async () => {
      const to = prepareNewKey(dataDir, OLD);
      await rotate(database, { to });
      expect(await start()).toEqual(to);
      expect(files()).toEqual(["master.key", "master.key.old"]);
      expect([keyIn("master.key"), keyIn("master.key.old")]).toEqual([
        to.toString("hex"),
        OLD.toString("hex"),
      ]);
      expect(statSync(join(dataDir, "master.key")).mode & 0o777).toBe(0o600);
      expect(await isUnder(database, to)).toBe(true);
      expect(await start()).toEqual(to);
    });

    it.each([
      ["the copy of the old key was whole", OLD.toString("hex"), ["master.key.old"]],
      ["the copy was cut", "1515", ["master.key.old", "master.key.old-2"]],
    ])("between copy and swap, when %s", async (_when, copy, kept) => {
      const to = prepareNewKey(dataDir, OLD);
      await rotate(database, { to });
      writeFileSync(join(dataDir, "master.key.old"), copy.length < 64 ? copy : `${copy}\n`);
      expect(await start()).toEqual(to);
      expect(files()).toEqual(["master.key", ...kept]);
      expect(keyIn(kept.at(-1) ?? "")).toBe(OLD.toString("hex"));
    });

    it("and the key is in the environment, a start with the old one says which file has the new one", async () => {
      const to = prepareNewKey(dataDir, OLD);
      await rotate(database, { to });
      const refused = await start(OLD.toString("hex")).catch((error: Error) => error);
      expect(refused).toMatchObject({
        message: `MASTER_KEY: the master key was changed; put the content of ${join(dataDir, "master.key.new")} into MASTER_KEY of every process, then delete that file`,
      });
      expect(await start(to.toString("hex"))).toEqual(to);
      expect(existsSync(join(dataDir, "master.key.new"))).toBe(true);
    });

    it("and the file of a key that is in use already is left, the next key is another one", async () => {
      mkdirSync(join(dataDir, "more"));
      const first = prepareNewKey(join(dataDir, "more"), OLD);
      const second = prepareNewKey(join(dataDir, "more"), first);
      expect(second).not.toEqual(first);
    });
  });
});
