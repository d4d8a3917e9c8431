import { createHmac } from "node:crypto";
import type { auditLog, auditSeals } from "./schema/tenancy.ts";

export type StoredAuditRow = typeof auditLog.$inferSelect;
export type Seal = typeof auditSeals.$inferSelect;

/** Stands before the first seal of a tenant. */
export const NO_HEAD = "";

const HEAD_CHARS = 8;
const ROW_MAC_BYTES = 16;

/** Of one row at its place in the tenant's trail, counted from 1. The seal's number is no content. */
export function rowMac(key: Buffer, row: StoredAuditRow, index: number): string {
  const refs = Object.entries(row.refs).sort(([a], [b]) => (a < b ? -1 : 1));
  const { id, tenantId, runId, conversationId, candidateId, userId } = row;
  const { eventType, toolName, decision, summary, createdAt } = row;
  const content = [
    ...["row", tenantId, index, id, runId, conversationId, candidateId, userId],
    ...[eventType, toolName, decision, summary, refs, createdAt],
  ];
  return keyedHash(key, content).subarray(0, ROW_MAC_BYTES).toString("base64url");
}

/** Of a batch: its rows, its place, and through `previousMac` all batches before it. */
export function sealMac(key: Buffer, seal: Omit<Seal, "mac">): string {
  const { tenantId, sealNumber, firstIndex, rowIds, rowMacs, previousMac, sealedAt } = seal;
  const content = [
    "seal",
    tenantId,
    sealNumber,
    firstIndex,
    rowIds,
    rowMacs,
    previousMac,
    sealedAt,
  ];
  return keyedHash(key, content).toString("hex");
}

/** What a card shows of a head: enough to compare by eye. */
export function shortHead(mac: string): string {
  return mac.slice(0, HEAD_CHARS);
}

/** JSON, so that no two contents give the same bytes. */
function keyedHash(key: Buffer, content: unknown): Buffer {
  return createHmac("sha256", key).update(JSON.stringify(content)).digest();
}
