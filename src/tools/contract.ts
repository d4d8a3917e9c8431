import type { z } from "zod";
import type { JsonObject } from "../domain/json.ts";
import type { Language } from "../domain/language.ts";
import type { LeadFile } from "../domain/messenger.ts";
import type { RiskClass, ToolErrorCode, ToolResult } from "../domain/tool.ts";
import type { Tx } from "../store/db.ts";

/** Whom a call is for. From the session, never from arguments. */
export interface CallScope {
  tenantId: string;
  conversationId: string;
  contactId: string;
  runId: string | null;
  language: Language;
  /** Product time, milliseconds. */
  now: number;
}

/** What will happen, whole: digest, card, edit, business key and dispatch use it. */
export interface PreparedAction {
  kind: "action";
  action: JsonObject;
  /** At most one execution with this key is running, unknown or completed: `payout:EX-20418`. */
  businessKey: string | null;
  /** What people must see before they decide, in this order. Values are whole. */
  material: { label: string; value: string }[];
  /** What the lead sent that the decision is about; shown to people before the card. */
  files?: LeadFile[];
  /** What the lead stated, as the backend read it; stands before their own words, apart. */
  stated?: string;
}

/** The call cannot be prepared: the model is told, nothing is asked of anybody. */
export interface PrepareRefusal {
  kind: "refused";
  result: ToolResult;
}

export interface ToolCall<Action = JsonObject> extends CallScope {
  action: Action;
  executionId: string;
  /** Sent to providers that are idempotent by key; null for reads and drafts. */
  idempotencyKey: string | null;
  signal: AbortSignal;
  /** A transaction of its own, for reading; the call itself runs outside any transaction. */
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

/**
 * How the work of a call ended. A tool that writes our rows returns `write`: it runs in the same
 * transaction that records the result, so that a row without a recorded result cannot exist.
 */
export type ToolWork =
  | { kind: "result"; result: ToolResult }
  | { kind: "write"; apply(tx: Tx): Promise<WriteResult> }
  /**
   * The provider took it and is still at work. It is asked by key until it says how that ended, and
   * never sent again. `apply` may run many times: the same answer written twice changes nothing.
   */
  | { kind: "pending"; apply(tx: Tx): Promise<WriteResult> }
  /** Certainly nothing happened outside; may be tried again. */
  | { kind: "retry"; code: ToolErrorCode; message: string; afterMs: number }
  /** Something may have happened outside. */
  | { kind: "unknown"; message: string };

export interface WriteResult {
  result: ToolResult;
  /** Follow-up calls, proposed by the system through the same road. */
  proposes?: FollowUp[];
}

export interface FollowUp {
  tool: string;
  args: JsonObject;
  /** The proposal reached nobody (the tool is off, the policy forbids it): people are told so. */
  otherwise?(tx: Tx): Promise<void>;
}

/** A look-up that leaves the outcome open says so as `absent` or `unreachable`. */
export type FoundWork = Exclude<ToolWork, { kind: "retry" | "unknown" }>;

/** What asking a provider by idempotency key told. */
export type LookUp<Found = FoundWork> =
  | { kind: "found"; work: Found }
  | { kind: "absent" }
  | { kind: "unreachable"; message: string };

/** What decides whether a tool is offered to a tenant at all. */
export interface TenantTools {
  secretNames: ReadonlySet<string>;
  hasActiveRate: boolean;
}

/** A tool: name, description, strict parameters, and how it runs. */
export interface RagTool<Args = never> {
  name: string;
  title: string;
  /** When to use and when not, needed fields, limits, risk, what it returns, approval. */
  description: string;
  risk: RiskClass;
  sideEffectType: "none" | "internal_rows" | "external_api" | "message";
  parameters: z.ZodType<Args>;
  /** The `data` of an `ok` result. */
  output: z.ZodType;
  /** May a model be offered it? */
  offered: boolean;
  /** Part of the exchange desk: its stage rules apply. */
  staged: boolean;
  /** Provider answers by key for ever: an absent key may be sent again. */
  idempotentByKey?: boolean;
  isAvailable(tenant: TenantTools): boolean;
  /** Application rules apart from the schema; the text names field and rule. */
  check?(args: Args): string | null;
  /** Tools with effects must have it. Runs in the proposing, deciding or dispatching transaction. */
  prepare?(tx: Tx, args: Args, scope: CallScope): Promise<PreparedAction | PrepareRefusal>;
  run(call: ToolCall): Promise<ToolWork>;
  lookUp?(call: ToolCall): Promise<LookUp>;
  /**
   * A person says that the action happened, which nobody could find out: writes what follows from
   * that in our rows. Doing it twice changes nothing.
   */
  affirm?(tx: Tx, scope: CallScope, action: JsonObject): Promise<void>;
}

/** For lists that hold tools of every argument type. */
export type AnyTool = RagTool<never>;
