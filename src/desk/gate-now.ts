import { approvalName } from "../domain/approval.ts";
import { evaluate, type GateDecision } from "../policy/evaluate.ts";
import type { GateReason } from "../policy/permit.ts";
import { roleAsked, strictestTerms, type Terms } from "../policy/terms.ts";
import { type ApprovalRow, setApproval } from "../store/approvals.ts";
import { partyOf } from "../store/conversations.ts";
import type { Tx } from "../store/db.ts";
import { loadRoundFacts } from "../store/gate-facts.ts";
import { candidateById } from "../store/proposals.ts";
import type { StaffRole } from "../store/staff.ts";
import { gateFactsOf } from "../tools/gate-input.ts";
import { argumentFacts } from "../tools/own-resources.ts";
import { type Decided, refused, type StaffDecision } from "./decision.ts";
import type { DeskDeps } from "./deps.ts";
import { gateRefusalText } from "./gate-texts.ts";
import { DESK_TEXTS } from "./texts.ts";

/** `open`: the request as it is now: the rules may ask for more people than when it was written. */
export type GateNow =
  | { kind: "open"; approval: ApprovalRow }
  | { kind: "refused"; decided: Decided };

/**
 * What the gate would say if the action were carried out now. A press that could only come to nothing
 * uses nothing up: the request waits on, and the same button works once the reason is gone.
 */
export async function gateNow(
  tx: Tx,
  deps: DeskDeps,
  approval: ApprovalRow,
  by: StaffDecision,
): Promise<GateNow> {
  const language = deps.dress.staffLanguage;
  const judged = await judge(tx, deps, approval);
  if (judged.kind === "deny") {
    const text = gateRefusalText(approvalName(approval.number), judged.reason, language);
    return { kind: "refused", decided: refused("gate_refuses", text) };
  }
  const now = stricter(approval, judged);
  if (now === null) return { kind: "open", approval };
  if (now.approverRole === "admin" && by.staff.role !== "admin")
    return { kind: "refused", decided: refused("forbidden", DESK_TEXTS[language].needsAdmin) };
  await setApproval(tx, { tenantId: approval.tenantId, id: approval.id, ...now });
  return { kind: "open", approval: { ...approval, ...now } };
}

/** As what somebody has to decide on it by the rules of now; `null`: they say nothing of it. */
export async function roleNow(
  tx: Tx,
  deps: DeskDeps,
  approval: ApprovalRow,
): Promise<StaffRole | null> {
  const look = await lookNow(tx, deps, approval);
  return look && roleAsked(look.facts, look.policies);
}

type Judged = GateDecision | { kind: "deny"; reason: GateReason };

async function judge(tx: Tx, deps: DeskDeps, approval: ApprovalRow): Promise<Judged> {
  const look = await lookNow(tx, deps, approval);
  if (!look) return { kind: "deny", reason: "tool_inactive" };
  // a tool that has changed is left to the dispatch: this request could never be granted again, and
  // there it is asked for anew
  return evaluate(look.facts, look.policies);
}

/** null: the tool is not there any more. */
async function lookNow(tx: Tx, deps: DeskDeps, approval: ApprovalRow) {
  const { tenantId, conversationId, runId, requestedBy: maker } = approval;
  const registered = deps.registry.find(approval.toolName);
  const candidate = await candidateById(tx, tenantId, approval.candidateId);
  if (!registered || !candidate) return null;
  const scope = { tenantId, ...(await partyOf(tx, tenantId, conversationId)), runId };
  const round = await loadRoundFacts(tx, { ...scope, maker, now: deps.clock.now() });
  const facts = gateFactsOf(round, {
    ...{ registered, source: candidate.source, readOnlyRun: false },
    ...(await argumentFacts(tx, registered.tool, candidate.argumentsJson, scope)),
    digest: null, // what was rejected or unknown before is asked for at the proposal
    hasBusinessKey: true, // without one it would not have been asked for
    callsInRun: 0, // the call was counted when it was proposed
    attemptsUsed: 0,
  });
  return { facts, policies: round.policies };
}

/** null: the rules ask for no more than the request does. */
function stricter(approval: ApprovalRow, decision: GateDecision): Terms | null {
  const terms = strictestTerms(approval, decision);
  const isSame =
    terms.approvalsRequired === approval.approvalsRequired &&
    terms.approverRole === approval.approverRole;
  return isSame ? null : terms;
}
