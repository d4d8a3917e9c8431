import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Database, openEmbedded, prepareDatabase } from "../../src/store/database.ts";
import { queryRows, withTenant } from "../../src/store/db.ts";
import { loadMasterKey } from "../../src/store/master-key.ts";
import { createSecrets } from "../../src/store/secrets.ts";
import { withTestKey } from "../support/row-key.ts";

let database: Database;
const secrets = createSecrets(Buffer.alloc(32, 1));

beforeAll(async () => {
  database = withTestKey(await openEmbedded({ dir: null, durable: false }));
  await prepareDatabase(database, "sandbox");
});
afterAll(() => database.close());

function put(tenantId: string, name: string, value: string) {
  return withTenant(database.db, tenantId, (tx) =>
    secrets.set(tx, { tenantId, name, value, by: "setup", now: 1000 }),
  );
}

function read(tenantId: string, name: string, from = secrets) {
  return withTenant(database.db, tenantId, (tx) => from.get(tx, tenantId, name));
}

describe("secrets", () => {
  it("come back as they were set, and only ciphertext stands in the database", async () => {
    await put("t1", "exchange_wallet_usdt_trc20", "кошелёк TJtc7HX9");
    expect(await read("t1", "exchange_wallet_usdt_trc20")).toBe("кошелёк TJtc7HX9");
    const rows = await withTenant(database.db, "t1", (tx) =>
      queryRows<{ row: string }>(tx, sql`select tenant_secrets::text as row from tenant_secrets`),
    );
    const stored = rows.map(({ row }) => row).join();
    expect(stored).not.toContain("TJtc7HX9");
    expect(stored).not.toContain(Buffer.from("TJtc7HX9").toString("hex"));
  });

  it("count a version with every value, and name who set it", async () => {
    await put("t1", "twice", "one");
    await put("t1", "twice", "two");
    expect(await read("t1", "twice")).toBe("two");
    const names = await withTenant(database.db, "t1", (tx) => secrets.names(tx, "t1"));
    expect(names.find(({ name }) => name === "twice")).toEqual({
      name: "twice",
      version: 2,
      updatedBy: "setup",
      updatedAt: 1000,
    });
  });

  it("of another tenant are not there", async () => {
    await put("t1", "mine", "value");
    expect(await read("t2", "mine")).toBeNull();
    const all = await withTenant(database.db, "t2", (tx) => secrets.all(tx, "t1"));
    expect(all.size).toBe(0);
  });

  it("are listed by prefix, in which _ is no wildcard", async () => {
    await put("t3", "exchange_binance_id", "1");
    await put("t3", "exchangeXbinance", "2");
    const found = await withTenant(database.db, "t3", (tx) => secrets.all(tx, "t3", "exchange_"));
    expect([...found]).toEqual([["exchange_binance_id", "1"]]);
  });

  it("are gone after a removal, which says whether there was one", async () => {
    await put("t4", "gone", "value");
    const remove = () => withTenant(database.db, "t4", (tx) => secrets.remove(tx, "t4", "gone"));
    expect(await remove()).toBe(true);
    expect(await remove()).toBe(false);
    expect(await read("t4", "gone")).toBeNull();
  });

  it.each([
    ["renamed", sql`update tenant_secrets set name = 'other' where name = 'bound'`, "other"],
    [
      "set back to an older version",
      sql`update tenant_secrets set version = 9 where name = 'bound'`,
      "bound",
    ],
    [
      "changed",
      sql`update tenant_secrets set ciphertext = set_byte(ciphertext, 30, 1 + get_byte(ciphertext, 30) % 200) where name = 'bound'`,
      "bound",
    ],
  ])("do not open when the row was %s", async (_how, change, name) => {
    await withTenant(database.db, "t5", (tx) => tx.execute(sql`delete from tenant_secrets`));
    await put("t5", "bound", "value");
    await withTenant(database.db, "t5", (tx) => tx.execute(change));
    await expect(read("t5", name)).rejects.toThrow("does not open");
  });

  it("do not open under another master key", async () => {
    await put("t6", "bound", "value");
    await expect(read("t6", "bound", createSecrets(Buffer.alloc(32, 2)))).rejects.toThrow(
      "does not open",
    );
  });
});

describe("sealed values", () => {
  it("open only where they were sealed for", () => {
    const sealed = secrets.seal("4821", "order:1:code");
    expect(secrets.open(sealed, "order:1:code")).toBe("4821");
    expect(() => secrets.open(sealed, "order:2:code")).toThrow("does not open");
  });

  it("differ each time, so that equal codes do not show", () => {
    expect(secrets.seal("4821", "a")).not.toEqual(secrets.seal("4821", "a"));
  });
});

describe("the master key", () => {
  it("is made once in the data folder, for its owner only", () => {
    const dataDir = join(mkdtempSync(join(tmpdir(), "key-")), "data");
    const made = loadMasterKey({ dataDir }, { mayCreate: true });
    expect(made).toHaveLength(32);
    expect(loadMasterKey({ dataDir }, { mayCreate: true })).toEqual(made);
    expect(statSync(join(dataDir, "master.key")).mode & 0o777).toBe(0o600);
  });

  it("of the environment wins, and no file is written", () => {
    const dataDir = mkdtempSync(join(tmpdir(), "key-"));
    const hex = "ab".repeat(32);
    expect(loadMasterKey({ fromEnv: hex, dataDir }, { mayCreate: true }).toString("hex")).toBe(hex);
    expect(() => readFileSync(join(dataDir, "master.key"))).toThrow("ENOENT");
  });

  it("is not made anew for data that another one locks; the missing file is named", () => {
    const dataDir = mkdtempSync(join(tmpdir(), "key-"));
    const file = join(dataDir, "master.key");
    expect(() => loadMasterKey({ dataDir }, { mayCreate: false })).toThrow(`${file} is not there`);
    expect(() => readFileSync(file)).toThrow("ENOENT");
  });

  it("of a wrong length stops the start and names MASTER_KEY, never its value", () => {
    const dataDir = mkdtempSync(join(tmpdir(), "key-"));
    expect(() => loadMasterKey({ fromEnv: "c0ffee", dataDir }, { mayCreate: true })).toThrow(
      /^MASTER_KEY(?!.*c0ffee)/,
    );
    writeFileSync(join(dataDir, "master.key"), "short");
    expect(() => loadMasterKey({ dataDir }, { mayCreate: true })).toThrow("MASTER_KEY");
  });
});
