import type { JsonObject } from "../domain/json.ts";
import type { PolicyRow } from "../domain/policy-row.ts";
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

/** What people granted: null for calls that need nobody. */
export interface Approval {
  digest: string;
  schemaVersion: number;
  approvals: number;
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

export type GateReason =
  | BlockReason
  | "digest_mismatch"
  | "schema_changed"
  | "lease_lost"
  | "not_approved";

export type GateResult =
  | { kind: "permit"; permit: Permit; decision: GateDecision }
  | { kind: "deny"; reason: GateReason; decision: GateDecision };

export interface GateInput {
  facts: GateFacts;
  rows: readonly PolicyRow[];
  execution: Execution;
  /** The tool's schema version now. */
  activeSchemaVersion: number;
  approval: Approval | null;
  realNow: number;
}

/** Evaluates again at dispatch, checks lease, digest and approval, and only then gives a permit. */
export function gate(input: GateInput): GateResult {
  const { execution, facts } = input;
  const decision = evaluate(facts, input.rows);
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
  if (!approval || approval.approvals < Math.max(1, needed)) return "not_approved";
  if (approval.digest !== execution.digest) return "digest_mismatch";
  if (approval.schemaVersion !== execution.schemaVersion) return "schema_changed";
  if (execution.idempotencyKey === null) return "idempotency_key_missing";
  return null;
}
