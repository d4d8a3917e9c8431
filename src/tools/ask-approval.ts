import { approvalName } from "../domain/approval.ts";
import { NEW_WAITING, nextStepAt } from "../domain/approval-steps.ts";
import { newId } from "../domain/ids.ts";
import type { Jobs } from "../domain/jobs.ts";
import type { Language } from "../domain/language.ts";
import type { Card } from "../domain/messenger.ts";
import type { ToolReply } from "../domain/tool.ts";
import { actionDigest } from "../policy/digest.ts";
import type { ApprovalTerms } from "../policy/evaluate.ts";
import {
  type ApprovalRow,
  insertApproval,
  pendingByBusinessKey,
  setApproval,
} from "../store/approvals.ts";
import type { AuditRow } from "../store/audit.ts";
import { shownHead } from "../store/audit-seal.ts";
import { editCards, postCards, postTexts } from "../store/cards.ts";
import { nextNumber } from "../store/counters.ts";
import type { Tx } from "../store/db.ts";
import { setCandidate } from "../store/proposals.ts";
import { approvalCard } from "./approval-card.ts";
import { addToDigest } from "./approval-digest.ts";
import type { PreparedAction } from "./contract.ts";
import { wholeTexts } from "./long-values.ts";
import { frozenReply, stateReply, waitingReply } from "./replies.ts";

/** How requests of this installation look and how long they wait; the same for every tenant. */
export interface ApprovalDress {
  jobs: Jobs<Tx>;
  /** Language of the staff's cards. */
  staffLanguage: Language;
  /** Says SANDBOX on every card; nothing else depends on it. */
  sandbox: boolean;
  /** Milliseconds; used where the policy names none. */
  defaultTtlMs: number;
}

/**
 * A call that the gate has put to people. The caller writes the candidate's row and the audit rows
 * in the same transaction.
 */
export interface ApprovalRequest {
  tenantId: string;
  /** null: the desk itself asks. */
  conversationId: string | null;
  runId: string | null;
  candidateId: string;
  toolName: string;
  risk: ApprovalRow["riskLevel"];
  schemaVersion: number;
  /** Contact whose message caused it, or staff id: they may take it back, never approve it. */
  requestedBy: string;
  /** As `cardKindOf` names it; picks the card's title. */
  requestedAction: string;
  /** The lead's own words, one line; never part of the digest. */
  clientSays: string | null;
  prepared: PreparedAction;
  /** `actionDigest` of tool and prepared action, hex: what people grant. */
  digest: string;
  /** The row that asked for it. */
  policyId: string;
  terms: ApprovalTerms;
  /** It is about money that came in, or is said to have come in: it does not expire. */
  neverExpires: boolean;
  /** Fields of the action that an approver may change. */
  editableFields?: readonly string[];
  /** Nobody beside the maker could decide; its time starts when a card of it was delivered. */
  takesEffectAlone?: boolean;
  now: number;
}

/** What the model is told at once, while nobody has decided. */
export interface Asked {
  reply: ToolReply;
  /** An equal action waits already: no second card, the candidate only points to it. */
  isNew: boolean;
  /** For the trail, after what led to the request. */
  audit: AuditRow[];
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
  if (standing && isSame(standing, request.digest))
    return { reply: standingReply(standing), isNew: false, audit: [] };
  if (standing) await supersede(tx, dress, standing, now);
  const number = await nextNumber(tx, tenantId, { name: "approval", first: 1 });
  const auditHead = await shownHead(tx, tenantId);
  const asked = { ...approvalRow(request, number, dress.defaultTtlMs), auditHead };
  const row = { ...asked, ...stillFrozen(standing) };
  await insertApproval(tx, row);
  await addToDigest(tx, dress, { tenantId, now });
  const card = approvalCard(cardOf(row), { language: dress.staffLanguage, sandbox: dress.sandbox });
  const { conversationId } = request;
  await postCards(tx, {
    jobs: dress.jobs,
    tenantId,
    approvalId: row.id,
    conversationId,
    card,
    files: request.prepared.files,
    wholeTexts: wholeTextsOf(row, dress.staffLanguage),
    now,
  });
  const ended = standing ? [supersededRow(standing, now)] : [];
  const audit = [...ended, requestedRow(request, row)];
  return { reply: standingReply(row), isNew: true, audit };
}

/** What the client objected to stays frozen in its next shape, too. */
function stillFrozen(standing: ApprovalRow | null) {
  if (standing?.status !== "frozen") return {};
  const { status, frozenAt, frozenReason } = standing;
  return { status, frozenAt, frozenReason };
}

function standingReply({ number, status }: Pick<ApprovalRow, "number" | "status">): ToolReply {
  return status === "frozen" ? frozenReply(number) : waitingReply(number);
}

/** What approvers have changed since is the same request still. */
function isSame(standing: ApprovalRow, digest: string): boolean {
  if (standing.actionDigest === digest) return true;
  return actionDigest(standing.toolName, standing.proposedActionJson) === digest;
}

/** What its card only begins, whole, as messages to stand before it. */
export function wholeTextsOf(
  { number, materialJson }: Pick<ApprovalRow, "number" | "materialJson">,
  language: Language,
): Card[] {
  return wholeTexts({ name: approvalName(number), material: materialJson }, language);
}

/** An edit may have written long values anew: they stand whole before the card's next state. */
export async function postWholeTexts(
  tx: Tx,
  dress: ApprovalDress,
  approval: ApprovalRow,
  now: number,
): Promise<void> {
  const { tenantId, conversationId, id: approvalId } = approval;
  const wholeTexts = wholeTextsOf(approval, dress.staffLanguage);
  await postTexts(tx, { jobs: dress.jobs, tenantId, conversationId, approvalId, wholeTexts, now });
}

/** The material on one line, for lists and the record; cards show it field by field. */
export function payloadSummary({ material }: Pick<PreparedAction, "material">): string {
  return material.map((fact) => `${fact.label}: ${fact.value}`).join("; ");
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
  > & {
    clientSays?: string | null;
    expiresAt?: number | null;
    approvesItselfAt?: number | null;
    decidedVia?: ApprovalRow["decidedVia"];
    auditHead?: string | null;
    status?: ApprovalRow["status"];
    frozenReason?: string | null;
    editableFields?: readonly string[];
  },
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
    auditHead: row.auditHead ?? null,
    approvesItselfAt: row.approvesItselfAt ?? null,
    startsWhenSeen: row.decidedVia === "delay" && (row.approvesItselfAt ?? null) === null,
    frozen: row.status === "frozen" ? (row.frozenReason ?? "") : null,
    isEditable: (row.editableFields ?? []).length > 0,
    ...state,
  };
}

function approvalRow(request: ApprovalRequest, number: number, defaultTtlMs: number) {
  const { prepared, terms, now } = request;
  const ttlMs = terms.ttlS === null ? defaultTtlMs : terms.ttlS * 1000;
  const expiresAt = request.neverExpires ? null : now + ttlMs;
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
    payloadSummary: payloadSummary(prepared),
    requestedBy: request.requestedBy,
    clientSays: request.clientSays,
    status: "pending" as const,
    proposedActionJson: prepared.action,
    materialJson: prepared.material,
    editableFields: [...(request.editableFields ?? [])],
    actionDigest: request.digest,
    businessKey: prepared.businessKey,
    schemaVersion: request.schemaVersion,
    policyId: request.policyId,
    approvalsRequired: terms.approvalsRequired,
    approverRole: terms.approverRole,
    expiresAt,
    decidedVia: request.takesEffectAlone ? ("delay" as const) : null,
    nextStepAt: nextStepAt({ ...NEW_WAITING, expiresAt }, now),
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
  const end = { status: "superseded" as const, decidedVia: null, decidedAt: now };
  await setApproval(tx, { tenantId, id: standing.id, ...end });
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

function requestedRow(request: ApprovalRequest, row: { id: string; number: number }): AuditRow {
  return {
    tenantId: request.tenantId,
    eventType: "approval.requested",
    summary: `${approvalName(row.number)} asked`,
    createdAt: request.now,
    runId: request.runId,
    conversationId: request.conversationId,
    candidateId: request.candidateId,
    userId: request.requestedBy,
    toolName: request.toolName,
    refs: { approval: row.id, digest: request.digest, policy: request.policyId },
  };
}

function supersededRow(standing: ApprovalRow, createdAt: number): AuditRow {
  const { tenantId, runId, conversationId, candidateId, toolName } = standing;
  return {
    ...{ tenantId, runId, conversationId, candidateId, toolName, createdAt },
    eventType: "approval.decided",
    summary: `${approvalName(standing.number)} ${toolName}: superseded`,
    decision: "superseded",
    refs: { approval: standing.id, digest: standing.actionDigest },
  };
}

const SUPERSEDED = {
  en: "Superseded by a newer request",
  ru: "Заменено более новым запросом",
} as const;
