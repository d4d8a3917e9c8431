import { type StepKind, stepAfter, stepDue } from "../domain/approval-steps.ts";
import type { JobRef } from "../domain/jobs.ts";
import { holdSteps, lockDueApprovals, setStep } from "../store/approval-steps.ts";
import { type ApprovalRow, lockApproval, OPEN_APPROVALS } from "../store/approvals.ts";
import { type Tx, withTenant } from "../store/db.ts";
import { missedMs } from "../store/heartbeats.ts";
import { approveItself } from "./approve-itself.ts";
import type { DeskDeps } from "./deps.ts";
import { tellAdmins } from "./escalate.ts";
import { expire } from "./expire.ts";
import { remindOperators } from "./remind.ts";
import { note } from "./show-approval.ts";

type Step = (tx: Tx, deps: DeskDeps, approval: ApprovalRow) => Promise<void>;

/** What is done when a step of an open approval is due; each writes what is due next. */
export const APPROVAL_STEPS: Record<StepKind, Step> = {
  remind,
  escalate,
  expire,
  approve_itself: approveItself,
};

/**
 * Handler of `approval` jobs: reminds, escalates, ends. Doing it twice is a no-op. A machine that
 * slept comes back to what only seems due: the step is left to the sweep after the next beat.
 */
export async function handleApproval(deps: DeskDeps, ref: JobRef): Promise<void> {
  const { tenantId, id } = ref;
  await withTenant(deps.db, tenantId, async (tx) => {
    await holdSteps(tx, tenantId);
    const approval = await lockApproval(tx, tenantId, id);
    const now = deps.clock.now();
    const realNow = deps.realNow();
    if (!approval || !isDue(approval, now)) return;
    if ((await missedMs(tx, { tenantId, realNow })) > 0) return;
    await APPROVAL_STEPS[stepDue(approval, now)](tx, deps, approval);
  });
}

function isDue({ status, nextStepAt }: ApprovalRow, now: number): boolean {
  return OPEN_APPROVALS.includes(status) && nextStepAt !== null && nextStepAt <= now;
}

/** As many as are told of in one line. */
const MOST_AT_ONCE = 50;

/** What is due for the same step goes with it: one line names them all. */
async function withSameStep(tx: Tx, deps: DeskDeps, approval: ApprovalRow): Promise<ApprovalRow[]> {
  const now = deps.clock.now();
  const { tenantId, id } = approval;
  const others = await lockDueApprovals(tx, { tenantId, except: id, now, limit: MOST_AT_ONCE - 1 });
  const kind = stepDue(approval, now);
  const same = others.filter((one) => stepDue(one, now) === kind);
  return [approval, ...same].sort((one, other) => one.number - other.number);
}

async function remind(tx: Tx, deps: DeskDeps, first: ApprovalRow): Promise<void> {
  const approvals = await withSameStep(tx, deps, first);
  await remindOperators(tx, deps, approvals);
  for (const approval of approvals) {
    const waiting = { ...approval, remindersSent: approval.remindersSent + 1 };
    await goOn(tx, deps, approval, waiting);
    await note(tx, deps, approval, { eventType: "approval.reminded", by: null, decision: null });
  }
}

async function escalate(tx: Tx, deps: DeskDeps, first: ApprovalRow): Promise<void> {
  const approvals = await withSameStep(tx, deps, first);
  await tellAdmins(tx, deps, approvals);
  for (const approval of approvals) {
    const waiting = {
      ...approval,
      // what never expires waits ever longer for the next time
      remindersSent: approval.remindersSent + 1,
      escalatedAt: approval.escalatedAt ?? deps.clock.now(),
    };
    await goOn(tx, deps, approval, waiting);
    await note(tx, deps, approval, { eventType: "approval.escalated", by: null, decision: null });
  }
}

async function goOn(
  tx: Tx,
  deps: DeskDeps,
  approval: ApprovalRow,
  waiting: Pick<ApprovalRow, "expiresAt" | "remindersSent" | "escalatedAt" | "approvesItselfAt">,
): Promise<void> {
  const now = deps.clock.now();
  const { remindersSent, escalatedAt } = waiting;
  await setStep(tx, {
    ...{ tenantId: approval.tenantId, id: approval.id, remindersSent, escalatedAt },
    nextStepAt: stepAfter(waiting, { dueAt: approval.nextStepAt ?? now, now }),
  });
}
