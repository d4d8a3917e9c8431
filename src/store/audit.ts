import { newId } from "../domain/ids.ts";
import type { Tx } from "./db.ts";
import { auditLog } from "./schema/tenancy.ts";
import { storable } from "./storable.ts";

export interface AuditRow {
  tenantId: string;
  /** Noun first: `approval.decided`. */
  eventType: string;
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
  refs?: Record<string, string>;
}

/** Appends to the trail, all rows in one statement and in the given order. */
export async function writeAudit(tx: Tx, rows: readonly AuditRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.insert(auditLog).values(rows.map((row) => storable({ id: newId(), refs: {}, ...row })));
}
