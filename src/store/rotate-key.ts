import { and, eq, inArray, sql } from "drizzle-orm";
import { StartError } from "../domain/errors.ts";
import { writeAudit } from "./audit.ts";
import { wrapAuditKeyAnew } from "./audit-key.ts";
import { refuseCompany } from "./company.ts";
import type { Database } from "./database.ts";
import { queryRows, type Tx, withOwner } from "./db.ts";
import { actAsOwner, asSystem, enterTenant } from "./enter-tenant.ts";
import { opensWord, putKeyWord, sealedWord } from "./key-check.ts";
import { lockKey } from "./key-lock.ts";
import { sealPayoutCodesAnew } from "./payout-codes.ts";
import { rowKeyOf } from "./row-mac.ts";
import { approvalQueue } from "./schema/approvals.ts";
import { toolArgumentChecks, toolCallCandidates, toolExecutionQueue } from "./schema/tools.ts";
import { createSecrets, encryptSecretsAnew, type KeyChange } from "./secrets.ts";
import {
  isBelieved,
  type RowKeys,
  type SealForm,
  type SignedAnew,
  signSharedAnew,
  signTenantAnew,
  sum,
} from "./sign-anew.ts";
import { listTenantIds } from "./tenants.ts";

export interface Rotation {
  from: Buffer;
  to: Buffer;
  /** Product time, milliseconds. */
  now: number;
  sealForm(change: KeyChange): SealForm;
  requests: SealedRequests;
}

/** Calls whose arguments hold sealed values, and whose action holds keyed hashes of them. */
export interface SealedRequests {
  toolName: string;
  /** As the action names it. */
  kind: string;
  /** Sealed text -> the same under the new key; null in the place of one that does not open. */
  sealAnew(tenantId: string, args: unknown, change: KeyChange): Map<string, string | null>;
}

export interface Rotated extends SignedAnew {
  secrets: number;
  /** Values outside the table of secrets: codes, forms, requests. */
  sealed: number;
  /** Could not be read with the old key either. */
  unopened: { table: string; tenantId: string; id: string }[];
}

interface Keys extends RowKeys {
  change: KeyChange;
}

/**
 * Puts everything that hangs on the master key under another one, in one transaction. A row that the
 * old key does not vouch for is not signed anew. Throws StartError, and nothing is changed, while a
 * process works on the database or a request waits that cannot be carried over.
 */
export function rotateMasterKey({ kind, db }: Database, rotation: Rotation): Promise<Rotated> {
  const { from, to } = rotation;
  const change = { from: createSecrets(from), to: createSecrets(to) };
  const keys = { from: rowKeyOf(from), to: rowKeyOf(to), change };
  return withOwner(db, async (tx) => {
    // first the lock, then the look: a process that starts in between is refused
    if (!(await lockKey(tx))) throw new StartError(BUSY);
    await refuseCompany({ kind, db: tx }, "change the master key");
    const word = await sealedWord(tx);
    if (word === null || !opensWord(change.from, word)) throw new StartError(NOT_THE_KEY);
    const tenantIds = await allTenantIds(tx);
    await refuseOpenRequests(tx, tenantIds, { rotation, keys });
    await putKeyWord(tx, change.to);
    await wrapAuditKeyAnew(tx, change);
    const parts: Rotated[] = [{ ...(await signSharedAnew(tx, keys)), ...NOTHING }];
    for (const id of tenantIds) {
      await enterTenant(tx, id);
      parts.push(await rotateTenant(tx, id, { rotation, keys }));
      await actAsOwner(tx);
    }
    return total(parts);
  });
}

const BUSY = "DATABASE_URL: another process is changing the master key; wait until it has ended";
const NOT_THE_KEY =
  "MASTER_KEY: is not the key that this database was written with; put that key back first";
const NOTHING = { secrets: 0, sealed: 0, unopened: [] };

/** Also those whose own row somebody has deleted: their secrets must not be lost with it. */
async function allTenantIds(tx: Tx): Promise<string[]> {
  const known = await listTenantIds(tx);
  const rows = await asSystem(tx, "", () =>
    queryRows<{ id: string }>(tx, sql`select distinct tenant_id as id from audit_log`),
  );
  await actAsOwner(tx);
  return [...new Set([...known, ...rows.map(({ id }) => id)])].sort();
}

interface Rotating {
  rotation: Rotation;
  keys: Keys;
}

async function rotateTenant(tx: Tx, tenantId: string, rotating: Rotating): Promise<Rotated> {
  const { rotation, keys } = rotating;
  const secrets = await encryptSecretsAnew(tx, tenantId, rotation);
  const codes = await sealPayoutCodesAnew(tx, tenantId, keys.change);
  const requests = await sealRequestsAnew(tx, tenantId, rotating);
  const signed = await signTenantAnew(tx, tenantId, keys, rotation.sealForm(keys.change));
  const place = (table: string) => (id: string) => ({ table, tenantId, id });
  const unopened = [
    ...secrets.unopened.map(place("tenant_secrets")),
    ...codes.unopened.map(place("exchange_orders")),
    ...requests.unopened.map(place("tool_call_candidates")),
    ...signed.unopened.map(place("inbox")),
  ];
  const { done, unbelieved } = signed;
  await writeAudit(tx, [
    {
      ...{ tenantId, userId: "rotate", createdAt: rotation.now },
      eventType: "secrets.rotated",
      summary: `the master key was changed: ${secrets.done} secrets, ${done} signed rows; ${unbelieved.length} rows are not believed, ${unopened.length} values do not open`,
    },
  ]);
  return { secrets: secrets.done, sealed: codes.done + requests.done, done, unbelieved, unopened };
}

function total(parts: readonly Rotated[]): Rotated {
  return {
    ...sum(parts),
    secrets: parts.reduce((all, { secrets }) => all + secrets, 0),
    sealed: parts.reduce((all, { sealed }) => all + sealed, 0),
    unopened: parts.flatMap(({ unopened }) => unopened),
  };
}

/** What they decide on has keyed hashes in it, which people were shown the digest of. */
async function refuseOpenRequests(
  tx: Tx,
  tenantIds: readonly string[],
  rotating: Rotating,
): Promise<void> {
  const open: string[] = [];
  for (const id of tenantIds) {
    await enterTenant(tx, id);
    for (const number of await openRequests(tx, id, rotating)) open.push(`A-${number} (${id})`);
    await actAsOwner(tx);
  }
  if (open.length > 0)
    throw new StartError(
      `${open.join(", ")}: a change of payment details is not finished, and what people see of it hangs on the old key; start the bot, approve or reject it there, stop the bot, and run this again`,
    );
}

const UNFINISHED = ["queued", "running", "unknown", "retry_scheduled"] as const;

/** A request that is not believed is never carried out, and holds nothing up. */
async function openRequests(
  tx: Tx,
  tenantId: string,
  { rotation: { requests }, keys }: Rotating,
): Promise<number[]> {
  const isOfKind = sql`${approvalQueue.proposedActionJson}->>'kind' = ${requests.kind}`;
  const isUnfinished = sql`exists(select 1 from ${toolExecutionQueue} e
    where e.tenant_id = ${approvalQueue.tenantId} and e.approval_id = ${approvalQueue.id}
      and ${inArray(sql`e.status`, [...UNFINISHED])})`;
  const rows = await tx
    .select()
    .from(approvalQueue)
    .where(
      and(
        eq(approvalQueue.tenantId, tenantId),
        eq(approvalQueue.toolName, requests.toolName),
        isOfKind,
        sql`(${inArray(approvalQueue.status, ["pending", "frozen"])} or ${isUnfinished})`,
      ),
    );
  return rows
    .filter((row) => isBelieved(keys.from, "approval_queue", row))
    .map(({ number }) => number);
}

/** Of requests that are over: what was asked for stays readable, under the new key alone. */
async function sealRequestsAnew(
  tx: Tx,
  tenantId: string,
  { rotation: { requests }, keys }: Rotating,
): Promise<{ done: number; unopened: string[] }> {
  const candidates = await tx
    .select({ id: toolCallCandidates.id, args: toolCallCandidates.argumentsJson })
    .from(toolCallCandidates)
    .where(
      and(
        eq(toolCallCandidates.tenantId, tenantId),
        eq(toolCallCandidates.toolName, requests.toolName),
      ),
    );
  let done = 0;
  const unopened: string[] = [];
  for (const { id, args } of candidates)
    for (const [old, anew] of requests.sealAnew(tenantId, args, keys.change)) {
      if (anew === null) unopened.push(id);
      else await replaceSealed(tx, { tenantId, candidateId: id, old, anew });
      done += anew === null ? 0 : 1;
    }
  return { done, unopened };
}

async function replaceSealed(
  tx: Tx,
  { tenantId, candidateId, old, anew }: Record<"tenantId" | "candidateId" | "old" | "anew", string>,
): Promise<void> {
  const { argumentsRaw, argumentsJson } = toolCallCandidates;
  const { normalizedArgumentsJson } = toolArgumentChecks;
  await tx
    .update(toolCallCandidates)
    .set({
      argumentsRaw: sql`replace(${argumentsRaw}, ${old}, ${anew})`,
      argumentsJson: sql`replace(${argumentsJson}::text, ${old}, ${anew})::jsonb`,
    })
    .where(and(eq(toolCallCandidates.tenantId, tenantId), eq(toolCallCandidates.id, candidateId)));
  await tx
    .update(toolArgumentChecks)
    .set({
      normalizedArgumentsJson: sql`replace(${normalizedArgumentsJson}::text, ${old}, ${anew})::jsonb`,
    })
    .where(
      and(
        eq(toolArgumentChecks.tenantId, tenantId),
        eq(toolArgumentChecks.candidateId, candidateId),
      ),
    );
}
