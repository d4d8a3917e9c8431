import type { Log } from "../lib/log.ts";
import { headsFile, readHeads, writeHeads } from "./audit-heads.ts";
import { type Head, headAt } from "./audit-seal.ts";
import { type Db, withTenant } from "./db.ts";

/** A witness outside the database of how far the trail had come. */
export interface KeptHeads {
  /** Puts a tenant's newest head outside the database; `before` is the one that it came after. */
  keep(tenantId: string, grown: { before: Head | null; head: Head }): Promise<void>;
  forgetAll(): Promise<void>;
}

/**
 * Heads only go forward: what stands outside stays when the trail in the database does not hold it,
 * for then somebody has cut the trail, or it is another database's.
 */
export function createKeptHeads(deps: { db: Db; log: Log; dataDir: string }): KeptHeads {
  const { db, log, dataDir } = deps;

  async function isInTrail(tenantId: string, known: Head): Promise<boolean> {
    const there = await withTenant(db, tenantId, (tx) => headAt(tx, tenantId, known.sealNumber));
    return there?.mac === known.mac;
  }

  return {
    async keep(tenantId, { before, head }) {
      const heads = await readHeads(dataDir);
      const known = heads.get(tenantId);
      if (known?.mac === head.mac) return;
      if (known && known.mac !== before?.mac && !(await isInTrail(tenantId, known))) {
        log.error(
          { tenant: tenantId, file: headsFile(dataDir), seal: known.sealNumber },
          "the audit trail does not hold the head that is kept outside: run npm run audit -- verify",
        );
        return;
      }
      await writeHeads(dataDir, new Map(heads).set(tenantId, head));
    },
    forgetAll: () => writeHeads(dataDir, new Map()),
  };
}
