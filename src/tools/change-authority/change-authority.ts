import { z } from "zod";
import { UserError } from "../../domain/errors.ts";
import type { Language } from "../../domain/language.ts";
import { actionDigest } from "../../policy/digest.ts";
import {
  changesSoFar,
  countChange,
  holdAuthority,
  requestOfExecution,
} from "../../store/authority.ts";
import { type Tx, withSavepoint } from "../../store/db.ts";
import { staffById } from "../../store/staff.ts";
import { tenantById } from "../../store/tenants.ts";
import type {
  CallScope,
  LookUp,
  PreparedAction,
  PrepareRefusal,
  RagTool,
  ToolCall,
  WriteResult,
} from "../contract.ts";
import { refusal, success } from "../results.ts";
import type { AuthorityDeps } from "./kind.ts";
import { type AuthorityChange, applyChange, authorityChange, planChange } from "./kinds.ts";
import { CHANGE_AUTHORITY } from "./tool-name.ts";

const parameters = z.strictObject({
  change: authorityChange,
  /** Staff id. */
  by: z.string().min(1).max(64),
  /** The private chat in which it was asked for: the person is told there what came of it. */
  replyTo: z
    .strictObject({ channelId: z.string().max(100), chatId: z.string().max(64) })
    .optional(),
});
/** As the desk and the admin API send them; a model is never offered this tool. */
export type AuthorityArgs = z.infer<typeof parameters>;

/** One change of who may do what. Proposed by the desk when an admin asks; another admin decides. */
export function changeAuthority(deps: AuthorityDeps): RagTool<AuthorityArgs> {
  return {
    name: CHANGE_AUTHORITY,
    title: "Change of authority",
    description: {
      does: "Changes who may do what, or to where money and cards go.",
      when: "the desk proposes it when an admin asks for such a change.",
      whenNot: "never by a model.",
      needs: "the change, as the admin asked for it.",
      limits: "stopped when what it replaces was changed meanwhile.",
      returns: "the ids that it made.",
    },
    risk: "permission_change",
    sideEffectType: "internal_rows",
    parameters,
    output: z.looseObject({ ok: z.literal(true) }),
    offered: false,
    staged: false,
    idempotentByKey: true,
    isAvailable: () => true,
    prepare: (tx, args, scope) => prepare(tx, deps, args, scope),
    async run(call) {
      return { kind: "write", apply: (tx) => carryOut(tx, deps, call) };
    },
    lookUp,
  };
}

/** `before` belongs to the action: where it is another when the change is due, nothing is changed. */
async function prepare(
  tx: Tx,
  deps: AuthorityDeps,
  { change, by }: AuthorityArgs,
  { tenantId, now }: Pick<CallScope, "tenantId" | "now">,
): Promise<PreparedAction | PrepareRefusal> {
  const language = (await tenantById(tx, tenantId))?.language ?? "en";
  try {
    const plan = await planChange(tx, deps, { tenantId, by, now, language }, change);
    const { subject, before, after, material } = plan;
    const about = `authority:${change.kind}:${subject}`;
    return {
      kind: "action",
      action: { kind: change.kind, subject, before, after },
      businessKey: `${about}:${await changesSoFar(tx, tenantId, about)}`,
      material: [{ label: ASKED_BY[language], value: await nameOf(tx, tenantId, by) }, ...material],
    };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { kind: "refused", result: refusedBy(error) };
  }
}

const ASKED_BY: Record<Language, string> = { en: "Asked for by", ru: "Запросил(а)" };

async function nameOf(tx: Tx, tenantId: string, staffId: string): Promise<string> {
  return (await staffById(tx, tenantId, staffId))?.name ?? staffId;
}

/** Looked at once more in the transaction that writes: of two changes at once the second is stopped. */
async function carryOut(tx: Tx, deps: AuthorityDeps, call: ToolCall): Promise<WriteResult> {
  const { tenantId, now } = call;
  await holdAuthority(tx, tenantId);
  const { maker: by, argumentsJson } = await requestOfExecution(tx, tenantId, call.executionId);
  const { change } = parameters.parse(argumentsJson);
  const prepared = await prepare(tx, deps, { change, by }, call);
  if (prepared.kind === "refused") return { result: prepared.result };
  const digest = actionDigest(CHANGE_AUTHORITY, call.action);
  if (actionDigest(CHANGE_AUTHORITY, prepared.action) !== digest)
    return { result: stopped(change) };
  const language = (await tenantById(tx, tenantId))?.language ?? "en";
  const scope = { tenantId, by, now, language };
  try {
    // a part that was written before something refused the rest goes with it
    const made = await withSavepoint(tx, (inner) => applyChange(inner, deps, scope, change));
    await countChange(tx, tenantId, `authority:${change.kind}:${prepared.action.subject}`);
    const summary = `${change.kind} was changed`;
    return { result: success({ type: "authority", id: change.kind, summary }, made) };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { result: refusedBy(error) };
  }
}

function refusedBy({ code, message }: UserError) {
  const of = { type: "authority", reason: code, summary: message };
  return refusal({ ...of, code: "NOT_FOUND" });
}

function stopped({ kind }: AuthorityChange) {
  return refusal({
    type: "authority",
    id: kind,
    reason: "changed_meanwhile",
    summary: "what it would replace was changed meanwhile; nothing was done",
    code: "NOT_FOUND",
  });
}

/** Change and result are written together: a call without a result has changed nothing. */
async function lookUp(): Promise<LookUp> {
  return { kind: "absent" };
}
