import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq, type SQL, sql } from "drizzle-orm";
import { vi } from "vitest";
import { AuditSealer } from "../../src/audit-sealer.ts";
import type { Log } from "../../src/lib/log.ts";
import { countUnsealed } from "../../src/store/audit-chain.ts";
import { readHeads } from "../../src/store/audit-heads.ts";
import { createKeptHeads, type KeptHeads } from "../../src/store/audit-kept-heads.ts";
import { type AuditKey, ensureAuditKey } from "../../src/store/audit-key.ts";
import { SEAL_ROWS, sealRows } from "../../src/store/audit-seal.ts";
import { type TrailReport, verifyTrail } from "../../src/store/audit-verify.ts";
import type { Database } from "../../src/store/database.ts";
import { type Tx, withOwner, withTenant } from "../../src/store/db.ts";
import { auditLog, auditSeals } from "../../src/store/schema/tenancy.ts";
import { createSecrets } from "../../src/store/secrets.ts";

/** Seals and verifies trails of a database, with a folder for what stands outside. */
export async function openTrails({ db }: Database, now = () => 0) {
  const dataDir = mkdtempSync(join(tmpdir(), "countersign-trail-"));
  const secrets = createSecrets(randomBytes(32));
  const key = await withOwner(db, (tx) => ensureAuditKey(tx, secrets, now()));
  const logged: string[] = [];
  const log = collecting(logged);
  const heads = createKeptHeads({ db, log, dataDir });
  return {
    ...{ dataDir, secrets, key, logged, heads },
    sealer: (afterMs = 50) =>
      new AuditSealer({ db, clock: { now }, log, key: key.key, heads, afterMs }),
    of: (tenantId: string) => trailOf({ db, dataDir, key, heads, tenantId, now }),
    /** Somebody with all rights on the database, and without our keys. */
    intrude: (statement: SQL) => intrude(db, statement),
    close: () => rmSync(dataDir, { recursive: true, force: true }),
  };
}
export type Trails = Awaited<ReturnType<typeof openTrails>>;

interface Place {
  db: Database["db"];
  dataDir: string;
  key: AuditKey;
  heads: KeptHeads;
  tenantId: string;
  now(): number;
}

function trailOf({ db, dataDir, key, heads, tenantId, now }: Place) {
  const inTenant = <T>(work: (tx: Tx) => Promise<T>) => withTenant(db, tenantId, work);
  const unsealed = () => inTenant((tx) => countUnsealed(tx, tenantId));
  return {
    unsealed,
    rows: () =>
      inTenant((tx) =>
        tx.select().from(auditLog).where(eq(auditLog.tenantId, tenantId)).orderBy(auditLog.id),
      ),
    seals: () =>
      inTenant((tx) =>
        tx
          .select()
          .from(auditSeals)
          .where(eq(auditSeals.tenantId, tenantId))
          .orderBy(auditSeals.sealNumber),
      ),
    /** As the sealer does, all that waits. */
    async seal(): Promise<void> {
      for (;;) {
        const sealing = { key: key.key, tenantId, now: now() };
        const { before, head, rows } = await inTenant((tx) => sealRows(tx, sealing));
        if (head) await heads.keep(tenantId, { before, head });
        if (rows < SEAL_ROWS) return;
      }
    },
    async verify(card: string | null = null): Promise<TrailReport> {
      const kept = (await readHeads(dataDir)).get(tenantId) ?? null;
      return verifyTrail(inTenant, { tenantId, key, witnesses: { kept, card } });
    },
    isSealed: () =>
      vi.waitFor(
        async () => {
          if ((await unsealed()) > 0) throw new Error("rows are not sealed");
        },
        { timeout: 20_000 },
      ),
  };
}

const TABLES = ["audit_log", "audit_seals", "approval_queue", "tool_call_candidates"];

/** The tables' owner may take their row security away; without it the owner sees nothing. */
async function intrude(db: Database["db"], statement: SQL): Promise<void> {
  await withOwner(db, async (tx) => {
    const force = (word: string) =>
      Promise.all(
        TABLES.map((name) =>
          tx.execute(sql.raw(`alter table ${name} ${word} force row level security`)),
        ),
      );
    await force("no");
    await tx.execute(statement);
    await force("");
  });
}

function collecting(lines: string[]): Log {
  const keep = (level: string) => (_fields: object, text: string) =>
    void lines.push(`${level}: ${text}`);
  return { debug: keep("debug"), info: keep("info"), warn: keep("warn"), error: keep("error") };
}
