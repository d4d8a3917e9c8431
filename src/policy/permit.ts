import type { JsonObject } from "../domain/json.ts";
import type { Policies } from "../domain/policy-row.ts";
import { isVerified, type Verified } from "../domain/verified.ts";
import { actionDigest } from "./digest.ts";
import { type BlockReason, evaluate, type GateDecision, type GateFacts } from "./evaluate.ts";
import { hasSideEffect } from "./risk.ts";

/** What a permit is bound to. */
export interface Execution {
  tenantId: string;
  executionId: string;
  toolName: string;
  schemaVersion: number;
  action: JsonObject;
  /** The digest written when the action was proposed or approved. */
  digest: string;
  lease: { token: string; untilMs: number };
  /** null for reads and drafts. */
  idempotencyKey: string | null;
}

/**
 * What people granted, as the store vouches for it: null for calls that need nobody. `votes`: those
 * alone that stand at this moment, one of each person.
 */
export interface Approval {
  row: Verified<{
    id: string;
    toolName: string;
    status: string;
    effectiveActionJson: JsonObject | null;
    schemaVersion: number;
    approvalsRequired: number;
  }>;
  votes: readonly Verified<{
    approvalId: string;
    staffId: string;
    decision: "approve" | "reject";
    actionDigest: string;
    voidedAt: number | null;
  }>[];
}

const GATE_KEY = Symbol("gate");

/** The right to run one execution once. Only `gate` below can make one. */
export class Permit {
  readonly #brand: Execution;
  #used = false;

  constructor(key: symbol, execution: Execution) {
    if (key !== GATE_KEY) throw new Error("only the gate makes a permit");
    this.#brand = execution;
  }

  /**
   * Gives the bound execution once; null for a look-alike, a used permit, or a lease that ran
   * out. `realNow` is real time, milliseconds.
   */
  static redeem(permit: Permit, realNow: number): Execution | null {
    if (typeof permit !== "object" || permit === null || !(#brand in permit)) return null;
    if (permit.#used || permit.#brand.lease.untilMs <= realNow) return null;
    permit.#used = true;
    return permit.#brand;
  }
}

/**
 * Beside what a policy blocks: what does not fit any more when the call is to begin. `lease_lost`
 * says nothing against the call: another worker may have it.
 */
export type GateReason =
  | BlockReason
  | "digest_mismatch"
  | "lease_lost"
  | "not_approved"
  | "approval_forged";

/**
 * `decision` is recorded either way; with a refusal it may still say `allow`, as the rows were not
 * why.
 */
export type GateResult =
  | { kind: "permit"; permit: Permit; decision: GateDecision }
  | { kind: "deny"; reason: GateReason; decision: GateDecision };

/** All of it read in the transaction that is to start the execution; older facts decide nothing. */
export interface GateInput {
  facts: GateFacts;
  policies: Policies;
  execution: Execution;
  /** The tool's schema version now. */
  activeSchemaVersion: number;
  /** `forged`: its row is not what the product wrote. */
  approval: Approval | "forged" | null;
  /**
   * Milliseconds of real time, as leases are measured in it; all else of a policy is product time.
   */
  realNow: number;
}

/** Evaluates again at dispatch, checks lease, digest and approval, and only then gives a permit. */
export function gate(input: GateInput): GateResult {
  const { execution, facts } = input;
  const decision = evaluate(facts, input.policies);
  const deny = (reason: GateReason): GateResult => ({ kind: "deny", reason, decision });
  if (decision.kind === "deny") return deny(decision.reason);
  if (facts.tool.name !== execution.toolName) return deny("digest_mismatch");
  if (actionDigest(execution.toolName, execution.action) !== execution.digest)
    return deny("digest_mismatch");
  if (execution.schemaVersion !== input.activeSchemaVersion) return deny("schema_changed");
  if (execution.lease.untilMs <= input.realNow) return deny("lease_lost");
  const ungranted = grantProblem(input, decision);
  if (ungranted) return deny(ungranted);
  return { kind: "permit", permit: new Permit(GATE_KEY, execution), decision };
}

/** Effects, and whatever the policy asks people about, need a grant for exactly this action. */
function grantProblem(input: GateInput, decision: GateDecision): GateReason | null {
  const { execution, approval } = input;
  const needed = decision.kind === "approval" ? decision.terms.approvalsRequired : 0;
  if (needed === 0 && !hasSideEffect(input.facts.tool.risk)) return null;
  if (approval === "forged") return "approval_forged";
  if (!approval) return "not_approved";
  const { row } = approval;
  if (approvalsIn(approval) < Math.max(1, needed, row.approvalsRequired)) return "not_approved";
  if (digestOf(row) !== execution.digest) return "digest_mismatch";
  if (row.schemaVersion !== execution.schemaVersion) return "schema_changed";
  if (execution.idempotencyKey === null) return "idempotency_key_missing";
  // under another key the provider would do the same once more
  return execution.idempotencyKey === row.id ? null : "digest_mismatch";
}

/** People who said yes to exactly what is granted; each counts once. */
function approvalsIn({ row, votes }: Approval): number {
  if (!isVerified(row) || row.status !== "approved") return 0;
  const granted = digestOf(row);
  const standing = votes.filter(
    (vote) =>
      isVerified(vote) &&
      vote.approvalId === row.id &&
      vote.decision === "approve" &&
      vote.voidedAt === null &&
      vote.actionDigest === granted,
  );
  return new Set(standing.map(({ staffId }) => staffId)).size;
}

function digestOf({ toolName, effectiveActionJson }: Approval["row"]): string {
  return actionDigest(toolName, effectiveActionJson ?? {});
}
