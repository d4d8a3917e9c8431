import { newId } from "../domain/ids.ts";
import type { AuditEvent } from "./audit-events.ts";
import { afterCommit, type Db, databaseOf, type Tx } from "./db.ts";
import { auditLog } from "./schema/tenancy.ts";
import { insertRows } from "./statement.ts";
import { storable } from "./storable.ts";

/** One line of the trail. Written in the transaction of what it tells; never changed afterwards. */
export interface AuditRow {
  tenantId: string;
  eventType: AuditEvent;
  /** One English line with ids and figures; no secret, no text of a lead. */
  summary: string;
  createdAt: number;
  runId?: string | null;
  conversationId?: string | null;
  candidateId?: string | null;
  /** Staff id, contact id, or `setup`. */
  userId?: string | null;
  toolName?: string | null;
  decision?: string | null;
  /** Ids and keyed hashes, by what they are of. */
  refs?: Record<string, string>;
}

type Listener = (tenantId: string, rows: number) => void;

const listeners = new WeakMap<WeakKey, Listener>();

/** Appends to the trail, all rows in one statement and in the given order. */
export async function writeAudit(tx: Tx, rows: readonly AuditRow[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  await insertRows(
    tx,
    auditLog,
    rows.map((row) => storable({ id: newId(), refs: {}, ...row })),
  );
  const database = databaseOf(tx);
  afterCommit(tx, () => listeners.get(database)?.(first.tenantId, rows.length));
}

/** Hears of every commit of this process that added to a tenant's trail. One listener a database. */
export function onAppended(db: Db, listener: Listener): () => void {
  listeners.set(db, listener);
  return () => void listeners.delete(db);
}
