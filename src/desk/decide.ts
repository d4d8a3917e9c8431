import { type ApprovalRow, lockApproval } from "../store/approvals.ts";
import { writeAudit } from "../store/audit.ts";
import type { Tx } from "../store/db.ts";
import { currentAction } from "../tools/edit-action.ts";
import { approve } from "./approve.ts";
import { capRefusal } from "./daily-cap.ts";
import { type Decided, type Decision, refused, type StaffDecision } from "./decision.ts";
import type { DeskDeps } from "./deps.ts";
import { editApproval } from "./edit-approval.ts";
import { freshStaff } from "./fresh-staff.ts";
import { gateNow } from "./gate-now.ts";
import { refusalOf } from "./may-decide.ts";
import { reject } from "./reject.ts";
import { note } from "./show-approval.ts";
import { DESK_TEXTS } from "./texts.ts";

/** The one choke point for buttons, commands and the API: compare-and-set in one transaction. */
export async function decide(tx: Tx, deps: DeskDeps, asked: Decision): Promise<Decided> {
  const { tenantId } = asked;
  const staff = await freshStaff(tx, tenantId, asked.staff);
  const decision = { ...asked, staff };
  const approval = await lockApproval(tx, tenantId, decision.approvalId);
  const texts = DESK_TEXTS[deps.dress.staffLanguage];
  if (!approval) {
    await noteUnknown(tx, deps, decision);
    return refused("not_found", texts.gone);
  }
  const refusal = await refusalOf(tx, deps, decision, approval);
  const decided =
    refusal ?? (staff ? await take(tx, deps, approval, { ...decision, staff }) : null);
  const answer = decided ?? refused("forbidden", texts.notAllowed);
  if (!answer.accepted) {
    const eventType = isStale(decision, approval, answer) ? "stale_click" : "approval.refused";
    await note(tx, deps, approval, { eventType, by: staff?.id ?? null, decision: answer.code });
  }
  return answer;
}

async function take(
  tx: Tx,
  deps: DeskDeps,
  approval: ApprovalRow,
  by: StaffDecision,
): Promise<Decided> {
  if (by.decision === "reject") return reject(tx, deps, approval, by);
  const { edit } = by;
  if (edit) {
    const edited = await editApproval(tx, deps, approval, { ...by, edit });
    if (edited.kind === "refused") return edited.decided;
    return approve(tx, deps, edited.approval, by);
  }
  const { staff } = by;
  const action = currentAction(approval);
  const capped = await capRefusal(tx, deps, { staff, approval, action });
  if (capped) return capped;
  const gate = await gateNow(tx, deps, approval, by);
  return gate.kind === "refused" ? gate.decided : approve(tx, deps, gate.approval, by);
}

/** The button stands on a card whose request is over, or has been changed since. */
function isStale({ via }: Decision, { status }: ApprovalRow, { code }: Decided): boolean {
  if (via === "api") return false;
  if (code === "changed_since") return true;
  return code === "already_decided" && status !== "approved" && status !== "rejected";
}

/** The id is whatever somebody sent: only one that could be ours is repeated. */
async function noteUnknown(tx: Tx, deps: DeskDeps, decision: Decision): Promise<void> {
  const { tenantId, approvalId, staff } = decision;
  const isId = /^[0-9a-f-]{36}$/.test(approvalId);
  await writeAudit(tx, [
    {
      tenantId,
      eventType: "approval.refused",
      summary: "a decision on a request that does not exist",
      decision: "not_found",
      createdAt: deps.clock.now(),
      userId: staff?.id ?? null,
      ...(isId ? { refs: { approval: approvalId } } : {}),
    },
  ]);
}
