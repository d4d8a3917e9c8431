import type { CandidateSource } from "../domain/candidate.ts";
import { newId } from "../domain/ids.ts";
import type { Json } from "../domain/json.ts";
import { argumentsHash } from "../policy/digest.ts";
import type { GateDecision } from "../policy/evaluate.ts";
import type { AuditRow } from "../store/audit.ts";
import type { AuditEvent } from "../store/audit-events.ts";
import type { Tx } from "../store/db.ts";
import type { RoundFacts } from "../store/gate-facts.ts";
import type { Lease } from "../store/lease.ts";
import type { CandidateRow, ProposalRows } from "../store/proposals.ts";
import type { ApprovalDress } from "./ask-approval.ts";
import type { CheckedArguments } from "./check-arguments.ts";
import type { CallScope, PreparedAction } from "./contract.ts";
import { gateFactsOf } from "./gate-input.ts";
import { namesForeign } from "./own-resources.ts";
import type { ArgumentError } from "./parse-arguments.ts";
import type { RegisteredTool, Registry } from "./registry.ts";

/** What proposing needs beside its transaction; made once. */
export interface ProposeDeps {
  registry: Registry;
  dress: ApprovalDress;
  /** What one run may cost before its calls are refused, USD, decimal; what the desk asks has no run. */
  costLimitUsd?: string;
}

/** Where the calls come from. All sources go one road: model, desk, system. */
export interface Proposing extends CallScope {
  source: CandidateSource;
  /** Contact whose message caused it, or staff id. */
  maker: string;
  readOnlyRun: boolean;
  /** Our call id is (message, ordinal); null when no model message asked. */
  messageId: string | null;
  cycle: number;
  modelCallId: string | null;
  lease: Lease;
  realNow: number;
  /** What the card shows under "client says": one line. */
  clientSays: string | null;
  /** There is nobody beside the maker who could decide: it takes effect by itself. */
  takesEffectAlone?: boolean;
}

/** As it came; nothing in it is believed. */
export interface RawCall {
  name: string;
  /** Unparsed, as the model wrote it. */
  arguments: string;
  /** The answer was cut off: its arguments may look whole and be wrong. */
  cut?: boolean;
}

/** A call whose arguments fit the schema, on its way through the gate. */
export interface Judged {
  registered: RegisteredTool;
  args: Json;
  call: RawCall;
  /** What the arguments name that is not the contact's own. */
  notOwn: readonly ArgumentError[];
}

/** What one round of proposals has gathered; written at its end, one statement a table. */
export interface Step {
  tx: Tx;
  deps: ProposeDeps;
  proposing: Proposing;
  round: RoundFacts;
  rows: ProposalRows;
  audit: AuditRow[];
  /** Arguments' hash → the first such call of this answer. */
  seen: Map<string, CandidateRow>;
}

/** In rows; null: the desk itself asks, for no client. */
export function conversationOrNone({ conversationId }: CallScope): string | null {
  return conversationId === "" ? null : conversationId;
}

/** At the moment of the proposal; dispatch makes its own from rows that it reads anew. */
export function gateFacts(
  step: Step,
  { registered, call, notOwn }: Judged,
  known: { digest: string | null; hasBusinessKey: boolean },
) {
  const { round, proposing } = step;
  const { name } = registered.tool;
  return gateFactsOf(round, {
    registered,
    source: proposing.source,
    readOnlyRun: proposing.readOnlyRun,
    payloadBytes: Buffer.byteLength(call.arguments),
    callsInRun: round.callsInRun.get(name) ?? 0,
    attemptsUsed: round.attemptsUsed,
    costLimitUsd: step.deps.costLimitUsd,
    sameAccount: !namesForeign(notOwn),
    ...known,
  });
}

/**
 * Names and arguments are cut to what a row holds: what a model writes has no bounds of its own.
 */
export function candidateRow(
  step: Step,
  made: { candidateId: string; ordinal: number; call: RawCall; args: Json },
): CandidateRow {
  const { proposing } = step;
  const toolName = made.call.name.slice(0, 128);
  return {
    id: made.candidateId,
    tenantId: proposing.tenantId,
    runId: proposing.runId,
    conversationId: conversationOrNone(proposing),
    messageId: proposing.messageId,
    ordinal: made.ordinal,
    cycle: proposing.cycle,
    modelCallId: proposing.modelCallId,
    source: proposing.source,
    maker: proposing.maker,
    toolName,
    argumentsRaw: made.call.arguments.slice(0, 70_000),
    argumentsJson: made.args,
    argumentsHash: argumentsHash(toolName, made.args ?? made.call.arguments),
    schemaVersion: 0,
    status: "proposed",
    createdAt: proposing.now,
  };
}

/**
 * For a read or a draft that runs in the run itself: it begins as `running`, under the run's own
 * lease.
 */
export function executionRow(
  step: Step,
  candidate: CandidateRow,
  made: { executionId: string; prepared: PreparedAction; digest: string },
) {
  const { proposing } = step;
  return {
    id: made.executionId,
    tenantId: proposing.tenantId,
    runId: proposing.runId,
    conversationId: conversationOrNone(proposing),
    candidateId: candidate.id,
    toolName: candidate.toolName,
    payloadJson: made.prepared.action,
    actionDigest: made.digest,
    businessKey: made.prepared.businessKey,
    hasSideEffect: false,
    status: "running" as const,
    attempts: 1,
    runAfter: proposing.now,
    leaseOwner: proposing.lease.owner,
    leaseToken: proposing.lease.token,
    leaseUntil: proposing.lease.untilMs,
    createdAt: proposing.now,
    startedAt: proposing.now,
  };
}

/** Gathers a row of the trail; `propose` writes all of them at its end, in this order. */
export function note(
  step: Step,
  candidate: CandidateRow,
  eventType: AuditEvent,
  said: { summary: string; decision?: string },
): void {
  const { proposing } = step;
  step.audit.push({
    tenantId: proposing.tenantId,
    eventType,
    createdAt: proposing.now,
    runId: proposing.runId,
    conversationId: conversationOrNone(proposing),
    candidateId: candidate.id,
    userId: proposing.maker,
    toolName: candidate.toolName,
    ...said,
  });
}

/** Records how the arguments were judged; the values themselves stand in the candidate's row. */
export function noteCheck(step: Step, candidate: CandidateRow, checked: CheckedArguments): void {
  const { proposing, rows } = step;
  rows.checks.push({
    id: newId(),
    tenantId: proposing.tenantId,
    runId: proposing.runId,
    candidateId: candidate.id,
    toolName: candidate.toolName,
    schemaVersion: candidate.schemaVersion,
    isValid: checked.ok,
    errorsJson: checked.ok ? [] : checked.errors.map((error) => ({ ...error })),
    normalizedArgumentsJson: checked.ok ? checked.args : null,
    createdAt: proposing.now,
  });
  const decision = checked.ok ? "valid" : "invalid";
  const rules = checked.ok ? [] : [...new Set(checked.errors.map(({ rule }) => rule))];
  const summary = [`arguments ${decision}`, ...rules].join(", ");
  note(step, candidate, "arguments.checked", { decision, summary });
}

/** Records a decision with the facts that it was made on, so that it can be followed later. */
export function noteGate(
  step: Step,
  candidate: CandidateRow,
  judged: Judged,
  decision: GateDecision,
): void {
  const { proposing, rows } = step;
  const facts = gateFacts(step, judged, {
    digest: candidate.actionDigest ?? null,
    hasBusinessKey: candidate.businessKey !== null,
  });
  rows.gates.push({
    id: newId(),
    tenantId: proposing.tenantId,
    runId: proposing.runId,
    candidateId: candidate.id,
    toolName: candidate.toolName,
    userId: proposing.maker,
    role: facts.known.actor_role,
    policyResult: decision.kind,
    matchedPolicyId: decision.policyId,
    requiresApproval: decision.kind === "approval",
    blockReason: decision.kind === "deny" ? decision.reason : null,
    factsJson: { ...facts, tool: { ...facts.tool } },
    moment: "proposal",
    createdAt: proposing.now,
  });
  const summary = decision.kind === "deny" ? `denied: ${decision.reason}` : decision.kind;
  note(step, candidate, "gate.decided", { decision: decision.kind, summary });
}
