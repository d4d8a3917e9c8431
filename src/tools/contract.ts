import type { z } from "zod";
import type { RetryableFailure } from "../domain/failure.ts";
import type { JsonObject } from "../domain/json.ts";
import type { Language } from "../domain/language.ts";
import type { LeadFile } from "../domain/messenger.ts";
import type { RiskClass, ToolErrorCode, ToolResult } from "../domain/tool.ts";
import type { Tx } from "../store/db.ts";
import type { ResourceKind } from "../store/resource-owners.ts";
import type { Outside } from "./outside.ts";

/** Whom a call is for. From the session, never from arguments. */
export interface CallScope {
  tenantId: string;
  /** Empty, as `contactId`: the desk itself asked for it. */
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
  /** Product time at which its terms end, as of a quote that is not locked; left out: they do not. */
  validUntil?: number | null;
  /** What people must see before they decide, in this order. Values are whole. */
  material: { label: string; value: string }[];
  /** What the lead sent that the decision is about; shown to people before the card. */
  files?: LeadFile[];
}

/** A sum goes only downwards; a text may be written anew. */
export type EditRule = "down" | "text";

/** What an approver changed, by field of the action. Sums are canonical. */
export type ActionEdit = Readonly<Record<string, string>>;

/** The call cannot be prepared: the model is told, nothing is asked of anybody. */
export interface PrepareRefusal {
  kind: "refused";
  result: ToolResult;
}

/**
 * What a tool is given to do one call. It was permitted already; the tool checks nothing of that
 * again.
 */
export interface ToolCall<Action = JsonObject> extends CallScope {
  /**
   * As it was prepared and perhaps edited by an approver; for tools without `prepare`, the
   * arguments.
   */
  action: Action;
  executionId: string;
  /** Sent to providers that are idempotent by key; null for reads and drafts. */
  idempotencyKey: string | null;
  /**
   * Ends with the limit of the call or with the process; work that goes on after it is not waited
   * for.
   */
  signal: AbortSignal;
  /** Every request to a service outside is told here. */
  outside: Outside;
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
  /**
   * Certainly nothing happened outside; tried again as the class of the failure allows (that of the
   * code where none is given). `afterMs`: what the other side asked for. `instead`: how the call ends
   * when it is not tried again; else it fails with the code.
   */
  | {
      kind: "retry";
      code: ToolErrorCode;
      message: string;
      afterMs: number;
      failure?: RetryableFailure;
      instead?: SettledWork;
    }
  /** Something may have happened outside. */
  | { kind: "unknown"; message: string };

/** An end that is known: what is recorded of it does not depend on a look-up. */
export type SettledWork = Extract<ToolWork, { kind: "result" | "write" }>;

/** What a tool's own transaction wrote, told to the model as any other result is. */
export interface WriteResult {
  result: ToolResult;
  /** Follow-up calls, proposed by the system through the same road. */
  proposes?: FollowUp[];
}

/**
 * Goes through checks, gate and approval like a model's call; nothing is promised by proposing it.
 */
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

/** An argument that names something of a contact. */
export interface NamedResource {
  /** Where it stands in the arguments: `orderId`, `documents.0`. */
  path: string;
  kind: ResourceKind;
  id: string;
}

/**
 * What a model is told of a tool, a short line each; risk and approval are told from its class and
 * the policy. No addresses, no secrets, no names of variables.
 */
export interface ToolDescription {
  does: string;
  when: string;
  whenNot: string;
  /** Fields that it needs. */
  needs: string;
  limits: string;
  returns: string;
}

/** A tool: name, description, strict parameters, and how it runs. */
export interface RagTool<Args = never> {
  name: string;
  title: string;
  description: ToolDescription;
  risk: RiskClass;
  sideEffectType: "none" | "internal_rows" | "external_api" | "message";
  parameters: z.ZodType<Args>;
  /** The `data` of an `ok` result; a field with `.meta({ secret: true })` is never kept or shown. */
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
  /**
   * Which arguments name something that must be the asking contact's own. The backend looks each of
   * them up; a foreign or unknown one is refused before anything else is read of it.
   */
  resources?(args: Args): NamedResource[];
  /**
   * Fields of the result, at any depth, that the client must get letter by letter: our wallet, a card
   * to pay to, published contacts. Personal data elsewhere is masked before a model sees it.
   */
  shown?: readonly string[];
  /** Fields with the asking contact's own data: masked so that its owner knows it again. */
  own?: readonly string[];
  /** Names of top-level arguments that hold a person's words for other people, not for machines. */
  prose?: readonly string[];
  /** Fields of the action that an approver may change: never who gets it, nor the currency. */
  edit?: Readonly<Record<string, EditRule>>;
  /**
   * Tools with effects must have it. Runs in the proposing, deciding or dispatching transaction.
   * `edit` is given only to tools that declare its fields: the action then has these values instead.
   */
  prepare?(
    tx: Tx,
    args: Args,
    scope: CallScope,
    edit?: ActionEdit,
  ): Promise<PreparedAction | PrepareRefusal>;
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
