import { approvalName } from "../domain/approval.ts";
import { newId } from "../domain/ids.ts";
import type { Jobs } from "../domain/jobs.ts";
import type { Language } from "../domain/language.ts";
import type { ToolReply } from "../domain/tool.ts";
import type { ApprovalTerms } from "../policy/evaluate.ts";
import {
  type ApprovalRow,
  insertApproval,
  pendingByBusinessKey,
  setApproval,
} from "../store/approvals.ts";
import { writeAudit } from "../store/audit.ts";
import { editCards, postCards } from "../store/cards.ts";
import { nextNumber } from "../store/counters.ts";
import type { Tx } from "../store/db.ts";
import { setCandidate } from "../store/proposals.ts";
import { approvalCard } from "./approval-card.ts";
import type { PreparedAction } from "./contract.ts";
import { stateReply, waitingReply } from "./replies.ts";

export interface ApprovalDress {
  jobs: Jobs<Tx>;
  /** Language of the staff's cards. */
  staffLanguage: Language;
  sandbox: boolean;
  /** Milliseconds; used where the policy names none. */
  defaultTtlMs: number;
}

export interface ApprovalRequest {
  tenantId: string;
  conversationId: string;
  runId: string | null;
  candidateId: string;
  toolName: string;
  risk: ApprovalRow["riskLevel"];
  schemaVersion: number;
  requestedBy: string;
  requestedAction: string;
  clientSays: string | null;
  prepared: PreparedAction;
  digest: string;
  policyId: string;
  terms: ApprovalTerms;
  /** It discharges money that was received: it does not expire (it stays a liability). */
  neverExpires: boolean;
  now: number;
}

export interface Asked {
  reply: ToolReply;
  /** An equal action waits already: no second card, the candidate only points to it. */
  isNew: boolean;
}

/**
 * Puts the question to people: row, cards in every operator channel. An equal pending action
 * keeps its number; a different one with the same business key takes its place.
 */
export async function askApproval(
  tx: Tx,
  dress: ApprovalDress,
  request: ApprovalRequest,
): Promise<Asked> {
  const { tenantId, now } = request;
  const key = request.prepared.businessKey;
  const standing = key === null ? null : await pendingByBusinessKey(tx, tenantId, key);
  if (standing?.actionDigest === request.digest)
    return { reply: waitingReply(standing.number), isNew: false };
  if (standing) await supersede(tx, dress, standing, now);
  const number = await nextNumber(tx, tenantId, { name: "approval", first: 1 });
  const row = approvalRow(request, number, dress.defaultTtlMs);
  await insertApproval(tx, row);
  const card = approvalCard(cardOf(row), { language: dress.staffLanguage, sandbox: dress.sandbox });
  const { conversationId } = request;
  await postCards(tx, {
    jobs: dress.jobs,
    tenantId,
    approvalId: row.id,
    conversationId,
    card,
    files: request.prepared.files,
    now,
  });
  await writeAudit(tx, [auditRow(request, "approval.requested", `${approvalName(number)} asked`)]);
  return { reply: waitingReply(number), isNew: true };
}

/** What a card shows of an approval row. */
export function cardOf(
  row: Pick<
    ApprovalRow,
    | "id"
    | "number"
    | "toolName"
    | "requestedAction"
    | "materialJson"
    | "actionDigest"
    | "approvalsRequired"
  > & { clientSays?: string | null; expiresAt?: number | null },
  state: { votes: number; outcome: string | null } = { votes: 0, outcome: null },
): Parameters<typeof approvalCard>[0] {
  return {
    id: row.id,
    number: row.number,
    toolName: row.toolName,
    requestedAction: row.requestedAction,
    material: row.materialJson,
    clientSays: row.clientSays ?? null,
    digest: row.actionDigest,
    approvalsRequired: row.approvalsRequired,
    expiresAt: row.expiresAt ?? null,
    ...state,
  };
}

function approvalRow(request: ApprovalRequest, number: number, defaultTtlMs: number) {
  const { prepared, terms, now } = request;
  const ttlMs = terms.ttlS === null ? defaultTtlMs : terms.ttlS * 1000;
  return {
    id: newId(),
    tenantId: request.tenantId,
    number,
    runId: request.runId,
    conversationId: request.conversationId,
    candidateId: request.candidateId,
    toolName: request.toolName,
    requestedAction: request.requestedAction,
    riskLevel: request.risk,
    payloadSummary: prepared.material.map((fact) => `${fact.label}: ${fact.value}`).join("; "),
    requestedBy: request.requestedBy,
    clientSays: request.clientSays,
    status: "pending" as const,
    proposedActionJson: prepared.action,
    materialJson: prepared.material,
    actionDigest: request.digest,
    businessKey: prepared.businessKey,
    schemaVersion: request.schemaVersion,
    policyId: request.policyId,
    approvalsRequired: terms.approvalsRequired,
    approverRole: terms.approverRole,
    expiresAt: request.neverExpires ? null : now + ttlMs,
    createdAt: now,
  };
}

async function supersede(
  tx: Tx,
  dress: ApprovalDress,
  standing: ApprovalRow,
  now: number,
): Promise<void> {
  const { tenantId, conversationId } = standing;
  await setApproval(tx, { tenantId, id: standing.id, status: "superseded", decidedAt: now });
  await setCandidate(tx, {
    tenantId,
    id: standing.candidateId,
    status: "failed",
    code: "SUPERSEDED",
    reply: stateReply("superseded", "a newer request took its place", standing.number),
    settledAt: now,
  });
  const outcome = SUPERSEDED[dress.staffLanguage];
  const card = approvalCard(cardOf(standing, { votes: 0, outcome }), {
    language: dress.staffLanguage,
    sandbox: dress.sandbox,
  });
  await editCards(tx, {
    jobs: dress.jobs,
    tenantId,
    approvalId: standing.id,
    conversationId,
    card,
    now,
  });
}

function auditRow(request: ApprovalRequest, eventType: string, summary: string) {
  return {
    tenantId: request.tenantId,
    eventType,
    summary,
    createdAt: request.now,
    runId: request.runId,
    conversationId: request.conversationId,
    candidateId: request.candidateId,
    userId: request.requestedBy,
    toolName: request.toolName,
    refs: { digest: request.digest, policy: request.policyId },
  };
}

const SUPERSEDED = {
  en: "Superseded by a newer request",
  ru: "Заменено более новым запросом",
} as const;
