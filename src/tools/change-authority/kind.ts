import type { z } from "zod";
import type { Jobs } from "../../domain/jobs.ts";
import type { Json, JsonObject } from "../../domain/json.ts";
import type { Language } from "../../domain/language.ts";
import type { AuditEvent } from "../../store/audit-events.ts";
import type { Tx } from "../../store/db.ts";
import type { Secrets } from "../../store/secrets.ts";

/** What a change may touch beside its own rows. */
export interface AuthorityDeps {
  secrets: Secrets;
  jobs: Jobs<Tx>;
  /** What tools a tenant has may change in this transaction. */
  toolsChanged(tx: Tx, tenantId: string): void;
  /** Stands on a test card. */
  sandbox: boolean;
}

/** Who asks, in which tenant, at what product time (milliseconds). */
export interface ChangeScope {
  tenantId: string;
  /** Staff id of whoever asked for it, or `setup`. */
  by: string;
  now: number;
  /** Of refusals and of what people compare. */
  language: Language;
}

/** What is replaced by what. `before` and `after` hold no secret in the clear. */
export interface ChangePlan {
  /** What it is about, within its kind: a newer request about the same takes the place of an older one. */
  subject: string;
  before: Json;
  after: Json;
  /** Old → new, for people. */
  material: { label: string; value: string }[];
}

/** One kind of change to who may do what, or to where money and words go. */
export interface AuthorityKind<Args> {
  args: z.ZodType<Args>;
  /** Reads only. Throws UserError for what cannot be done. */
  plan(tx: Tx, deps: AuthorityDeps, scope: ChangeScope, args: Args): Promise<ChangePlan>;
  /** Writes and audits it; answers the ids that it made. Throws UserError as `plan` does. */
  apply(tx: Tx, deps: AuthorityDeps, scope: ChangeScope, args: Args): Promise<JsonObject>;
}

/** What a kind says of its change; no secret and no value of one. */
export interface AuditLine {
  eventType: AuditEvent;
  summary: string;
  refs?: Record<string, string>;
}

/** Of a change that no run asked for: it names the person, and neither run nor conversation. */
export function auditRow({ tenantId, by, now }: ChangeScope, line: AuditLine) {
  return { tenantId, userId: by, createdAt: now, ...line };
}

/** As a card shows that one thing takes the place of another. */
export function oldToNew(before: string, after: string): string {
  return `${before} → ${after}`;
}
