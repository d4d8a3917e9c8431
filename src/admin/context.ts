import type { Context } from "hono";
import type { Jobs } from "../domain/jobs.ts";
import type { JsonObject } from "../domain/json.ts";
import type { Language } from "../domain/language.ts";
import type { ModelDesk } from "../domain/model-desk.ts";
import type { PolicyRow } from "../domain/policy-row.ts";
import type { Clock } from "../lib/clock.ts";
import type { ShadowEvals } from "../quality/coach/deps.ts";
import type { EvalsRunner } from "../quality/evals/runner.ts";
import type { ReplayDeps } from "../quality/replay/replays.ts";
import type { Db, Tx } from "../store/db.ts";
import type { Secrets } from "../store/secrets.ts";
import type { StaffRole } from "../store/staff.ts";
import type { ApprovalDress } from "../tools/ask-approval.ts";
import type { Registry } from "../tools/registry.ts";

/** Who asks: the holder of ADMIN_TOKEN (or the seeding process), or one staff member. */
export type Principal =
  | { kind: "setup" }
  | { kind: "personal"; tenantId: string; staffId: string; role: StaffRole };

/** A decision by a person's own token; ADMIN_TOKEN cannot make one. */
export interface Decision {
  tenantId: string;
  approvalId: string;
  staffId: string;
  decision: "approve" | "reject";
  reason?: string | undefined;
  edit?: JsonObject | undefined;
  /** Of the action that the person decides on, or its head. */
  digest?: string | undefined;
  via: "api";
}

/** `code` says why it was not accepted: `forbidden` answers 403, anything else 409. */
export type DecisionAnswer =
  | { accepted: true; message: string }
  | { accepted: false; code: string; message: string };

/** As the knowledge base has it; shown as JSON without another look. */
export interface FoundPassage {
  [field: string]: unknown;
}

/**
 * What the product gives to the API. `decide` and `searchKnowledge` open their own transactions.
 */
export interface AdminDeps {
  db: Db;
  clock: Clock;
  secrets: Secrets;
  registry: Registry;
  jobs: Jobs<Tx>;
  /** Language and look of cards. */
  dress: ApprovalDress;
  decide(decision: Decision): Promise<DecisionAnswer>;
  /** Problems of rows that are well formed; null when there are none. */
  validatePolicies(rows: readonly PolicyRow[]): string[] | null;
  /**
   * When a change that was asked for takes effect by itself; null: its card did not come to stand in
   * a chat within a moment. Called after the commit.
   */
  startOfDelay?(asked: { tenantId: string; approval: string }): Promise<number | null>;
  /** A tenant was made: its tools and default policies are written in the same transaction. */
  prepareTenant(tx: Tx, tenantId: string): Promise<void>;
  /** What tools a tenant has changes in this transaction. */
  toolsChanged(tx: Tx, tenantId: string): void;
  /** A tenant is made, called or spoken to in another way by this transaction. */
  officeChanged(tx: Tx, office: { tenantId: string; language: Language }): void;
  models: ModelDesk;
  /** What people think of models has changed in this transaction. */
  ratingsChanged(tx: Tx): void;
  /** What tools a tenant has may have changed; called after the commit. */
  invalidateTools(tenantId: string): void;
  /** Documents of the tenant changed; called after the commit. */
  knowledgeChanged(tenantId: string): void;
  searchKnowledge(query: {
    tenantId: string;
    text: string;
    limit: number;
  }): Promise<FoundPassage[]>;
  /** Where people reach the installation; left out: at the address the request names. */
  publicUrl?: string | null;
  /** The page of the sandbox is served beside the pages for staff. */
  playground?: boolean;
  log: { error(details: object, message: string): void };
  /** How recorded conversations are put to models and rules again. */
  replay: ReplayDeps;
  /** Left out: this process cannot run evals. */
  evals?: Pick<EvalsRunner, "running" | "start">;
  shadowEvals?: ShadowEvals;
  /** Of this process: what it begins is told as failed when it is gone. */
  bootId: string;
  /** Of the product, as its package says. */
  version: string;
}

/** Hono's types for what the middlewares hand on. */
export interface AdminEnv {
  /** Set only by the process itself, never from a request. */
  Bindings: { principal?: Principal };
  Variables: { principal: Principal; tenantId: string };
}

/** One request, after `authenticate` and, but for `/tenants`, `enforceAccess`. */
export type AdminContext = Context<AdminEnv>;

/** As the audit trail and `updated_by` name the one who changed something. */
export function actorOf(principal: Principal): string {
  return principal.kind === "setup" ? "setup" : principal.staffId;
}
