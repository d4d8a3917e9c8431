import { newId } from "../domain/ids.ts";
import type { JsonObject } from "../domain/json.ts";
import { actionDigest } from "../policy/digest.ts";
import { evaluate, type GateDecision, type GateFacts } from "../policy/evaluate.ts";
import { strictestTerms, type Terms } from "../policy/terms.ts";
import { type ApprovalRow, setApproval, voidVotes } from "../store/approvals.ts";
import { partyOf } from "../store/conversations.ts";
import type { Tx } from "../store/db.ts";
import { loadRoundFacts, type RoundFacts } from "../store/gate-facts.ts";
import { candidateById, insertGate, type StoredCandidate } from "../store/proposals.ts";
import { payloadSummary, postWholeTexts } from "../tools/ask-approval.ts";
import type { ActionEdit, PreparedAction } from "../tools/contract.ts";
import { currentAction, editOf, prepareWith, readEdit } from "../tools/edit-action.ts";
import { gateFactsOf } from "../tools/gate-input.ts";
import { argumentFacts } from "../tools/own-resources.ts";
import type { RegisteredTool } from "../tools/registry.ts";
import { capRefusal } from "./daily-cap.ts";
import { type Decided, refused, type StaffDecision } from "./decision.ts";
import { DECISION_TEXTS, fieldName } from "./decision-texts.ts";
import type { DeskDeps } from "./deps.ts";
import { note } from "./show-approval.ts";
import { DESK_TEXTS } from "./texts.ts";

/** With `edited` the row as it is now: new digest, and no votes but those still to come. */
export type Edited =
  | { kind: "edited"; approval: ApprovalRow }
  | { kind: "refused"; decided: Decided };

interface Editing {
  approval: ApprovalRow;
  by: StaffDecision;
  registered: RegisteredTool;
  candidate: StoredCandidate;
}

/**
 * Changes the action that waits, as far as its tool lets approvers: prepared and gated again, under a
 * new digest. Votes on what it was before count no more. Nothing is written when it is refused.
 */
export async function editApproval(
  tx: Tx,
  deps: DeskDeps,
  approval: ApprovalRow,
  by: StaffDecision & { edit: JsonObject },
): Promise<Edited> {
  const language = deps.dress.staffLanguage;
  const texts = DECISION_TEXTS[language];
  const no = (message: string): Edited => ({
    kind: "refused",
    decided: refused("edit_refused", message),
  });
  const registered = deps.registry.find(approval.toolName);
  const candidate = await candidateById(tx, approval.tenantId, approval.candidateId);
  if (!registered || !candidate) return no(texts.toolChanged);
  const read = readEdit(registered.tool, currentAction(approval), by.edit);
  if (read.kind === "wrong") {
    const name = fieldName(read.field, language);
    if (read.rule === "not_editable") return no(texts.noEdit(name));
    return no(texts.refusedEdit(name, texts.wrong[read.rule]));
  }
  return change(tx, deps, { approval, by, registered, candidate }, read.edit);
}

async function change(tx: Tx, deps: DeskDeps, editing: Editing, edit: ActionEdit): Promise<Edited> {
  const { approval, by } = editing;
  const texts = DECISION_TEXTS[deps.dress.staffLanguage];
  const no = (decided: Decided): Edited => ({ kind: "refused", decided });
  const merged = { ...editOf(approval), ...edit };
  const judged = await judge(tx, deps, editing, merged);
  if (judged.kind === "not_prepared") return no(refused("edit_refused", judged.message));
  const { prepared, decision } = judged;
  if (decision.kind === "deny") return no(refused("edit_refused", texts.policyRefuses));
  const terms = strictestTerms(approval, decision);
  if (terms.approverRole === "admin" && by.staff.role !== "admin")
    return no(refused("forbidden", DESK_TEXTS[deps.dress.staffLanguage].needsAdmin));
  const capped = await capRefusal(tx, deps, { staff: by.staff, approval, action: prepared.action });
  if (capped) return no(capped);
  return { kind: "edited", approval: await write(tx, deps, editing, { prepared, terms }) };
}

type Judged =
  | { kind: "judged"; prepared: PreparedAction; decision: GateDecision }
  | { kind: "not_prepared"; message: string };

async function judge(tx: Tx, deps: DeskDeps, editing: Editing, edit: ActionEdit): Promise<Judged> {
  const { approval, registered, candidate } = editing;
  const { tool } = registered;
  const { tenantId, conversationId, runId } = approval;
  const texts = DECISION_TEXTS[deps.dress.staffLanguage];
  const args = tool.parameters.safeParse(candidate.argumentsJson);
  if (!args.success) return { kind: "not_prepared", message: texts.toolChanged };
  const now = deps.clock.now();
  const scope = { tenantId, ...(await partyOf(tx, tenantId, conversationId)), runId, now };
  const prepared = await prepareWith(tx, tool, { args: args.data, scope, edit });
  if (prepared?.kind !== "action")
    return { kind: "not_prepared", message: prepared?.result.summary ?? texts.toolChanged };
  const round = await loadRoundFacts(tx, { ...scope, maker: approval.requestedBy });
  if (round.schemaVersions.get(tool.name)?.version !== approval.schemaVersion)
    return { kind: "not_prepared", message: texts.toolChanged };
  const { sameAccount } = await argumentFacts(tx, tool, candidate.argumentsJson, scope);
  const facts = factsOf(round, editing, { prepared, sameAccount });
  const decision = evaluate(facts, round.policies);
  await insertGate(tx, gateRow(deps, editing, { facts, decision }));
  return { kind: "judged", prepared, decision };
}

function factsOf(
  round: RoundFacts,
  { approval, registered, candidate }: Editing,
  { prepared, sameAccount }: { prepared: PreparedAction; sameAccount: boolean },
): GateFacts {
  return gateFactsOf(round, {
    registered,
    source: candidate.source,
    readOnlyRun: false,
    sameAccount,
    payloadBytes: Buffer.byteLength(JSON.stringify(prepared.action)),
    digest: actionDigest(approval.toolName, prepared.action),
    hasBusinessKey: prepared.businessKey !== null,
    callsInRun: 0, // the call was counted when it was proposed
    attemptsUsed: 0,
  });
}

function gateRow(
  deps: DeskDeps,
  { approval, by }: Editing,
  { facts, decision }: { facts: GateFacts; decision: GateDecision },
) {
  return {
    id: newId(),
    tenantId: approval.tenantId,
    runId: approval.runId,
    candidateId: approval.candidateId,
    toolName: approval.toolName,
    userId: by.staff.id,
    role: facts.known.actor_role,
    policyResult: decision.kind,
    matchedPolicyId: decision.policyId,
    requiresApproval: decision.kind === "approval",
    blockReason: decision.kind === "deny" ? decision.reason : null,
    factsJson: { ...facts, tool: { ...facts.tool } },
    moment: "edit",
    createdAt: deps.clock.now(),
  };
}

async function write(
  tx: Tx,
  deps: DeskDeps,
  { approval, by }: Editing,
  { prepared, terms }: { prepared: PreparedAction; terms: Terms },
): Promise<ApprovalRow> {
  const { tenantId, id, toolName } = approval;
  const now = deps.clock.now();
  const set = {
    ...terms,
    actionDigest: actionDigest(toolName, prepared.action),
    materialJson: prepared.material,
    payloadSummary: payloadSummary(prepared),
    approvedActionJson: prepared.action,
    editedBy: by.staff.id,
  };
  await voidVotes(tx, { tenantId, approvalId: id, now });
  await setApproval(tx, { tenantId, id, ...set });
  const edited = { ...approval, ...set };
  await note(tx, deps, edited, { eventType: "approval.edited", by: by.staff.id, decision: "edit" });
  await postWholeTexts(tx, deps.dress, edited, now);
  return edited;
}
