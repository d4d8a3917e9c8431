import type { Desk, DeskAnswer, FormRequest, InboxRef } from "../domain/desk.ts";
import { messageOf } from "../domain/errors.ts";
import type { ClickEvent, DeskEvent, InboundEvent } from "../domain/inbound.ts";
import { RESEND_REPLY } from "../domain/messenger.ts";
import { approvalById } from "../store/approvals.ts";
import { type Tx, withTenant } from "../store/db.ts";
import { failInbox, finishInbox, lockInbox } from "../store/inbox.ts";
import { findStaffByIdentity, type StaffMember } from "../store/staff.ts";
import { APPROVE, HAPPENED, NOT_HAPPENED, REJECT } from "../tools/approval-card.ts";
import { CLOSE_HANDOFF } from "../tools/handoff-card.ts";
import { answerUnknown } from "./answer-unknown.ts";
import { markHandoffDone } from "./close-handoff.ts";
import { answerCommand } from "./commands.ts";
import { decide } from "./decide.ts";
import type { DeskDeps } from "./deps.ts";
import { addRejectReason, MAX_REASON_CHARS, REJECT_REASON_FORM } from "./reject-reason.ts";
import { resendReply } from "./resend-reply.ts";
import { DESK_TEXTS } from "./texts.ts";

/** An event that fails this often is put aside. */
const MOST_ATTEMPTS = 5;

/** What staff do in chat. Every event gets a private answer; twice is once. */
export function createDesk(deps: DeskDeps): Desk {
  return {
    formFor: (tenantId, click) => formFor(deps, tenantId, click),
    checkForm(submission) {
      const reason = submission.values.reason ?? "";
      const errors: Record<string, string> = {};
      if (reason.length > MAX_REASON_CHARS) errors.reason = `≤ ${MAX_REASON_CHARS}`;
      return errors;
    },
    handle: (ref) => handle(deps, ref),
  };
}

async function handle(deps: DeskDeps, ref: InboxRef): Promise<DeskAnswer | null> {
  const { tenantId, inboxId: id } = ref;
  try {
    return await withTenant(deps.db, tenantId, async (tx) => {
      const row = await lockInbox(tx, tenantId, id);
      if (!row) return null;
      if (row.status !== "new") return row.answer;
      const event = row.payload;
      const answer = isDeskEvent(event) ? { text: await act(tx, deps, tenantId, event) } : null;
      await finishInbox(tx, { tenantId, id, answer, now: deps.clock.now() });
      return answer;
    });
  } catch (error) {
    deps.log.error({ inbox: id, error: messageOf(error) }, "desk event failed");
    const fail = { tenantId, id, most: MOST_ATTEMPTS, now: deps.clock.now() };
    await withTenant(deps.db, tenantId, (tx) => failInbox(tx, fail));
    return { text: DESK_TEXTS[deps.dress.staffLanguage].failed, alert: true };
  }
}

function isDeskEvent(event: InboundEvent): event is DeskEvent {
  return event.kind === "click" || event.kind === "command" || event.kind === "submission";
}

async function act(tx: Tx, deps: DeskDeps, tenantId: string, event: DeskEvent): Promise<string> {
  const staff = await staffOf(tx, tenantId, event);
  switch (event.kind) {
    case "click":
      return click(tx, deps, { tenantId, staff, click: event });
    case "command":
      return answerCommand(tx, deps, { tenantId, staff, command: event });
    case "submission":
      if (event.form === REJECT_REASON_FORM)
        return addRejectReason(tx, deps, { tenantId, staff, submission: event });
      return DESK_TEXTS[deps.dress.staffLanguage].unknownButton;
    default:
      return event satisfies never;
  }
}

async function click(
  tx: Tx,
  deps: DeskDeps,
  given: { tenantId: string; staff: StaffMember | null; click: ClickEvent },
): Promise<string> {
  const { tenantId, staff } = given;
  const { action, value, messenger: via } = given.click;
  const approvalId = value;
  switch (action) {
    case APPROVE:
    case REJECT:
      return (await decide(tx, deps, { tenantId, approvalId, staff, decision: action, via }))
        .message;
    case HAPPENED:
    case NOT_HAPPENED:
      return answerUnknown(tx, deps, {
        tenantId,
        approvalId,
        staff,
        happened: action === HAPPENED,
        via,
      });
    case CLOSE_HANDOFF:
      return markHandoffDone(tx, deps, { tenantId, handoffId: value, staff });
    case RESEND_REPLY:
      return resendReply(tx, deps, { tenantId, outboxId: value, staff });
    default:
      return DESK_TEXTS[deps.dress.staffLanguage].unknownButton;
  }
}

/** A rejection asks for its reason; only people who may reject are asked. */
async function formFor(
  deps: DeskDeps,
  tenantId: string,
  event: ClickEvent,
): Promise<FormRequest | null> {
  if (event.action !== REJECT) return null;
  const texts = DESK_TEXTS[deps.dress.staffLanguage];
  const mayReject = await withTenant(deps.db, tenantId, async (tx) => {
    const staff = await staffOf(tx, tenantId, event);
    const approval = await approvalById(tx, tenantId, event.value);
    if (staff?.status !== "active" || approval?.status !== "pending") return false;
    return approval.approverRole === "operator" || staff.role === "admin";
  });
  if (!mayReject) return null;
  return {
    form: REJECT_REASON_FORM,
    subject: event.value,
    title: texts.rejectTitle,
    submitLabel: texts.rejectTitle,
    fields: [
      {
        name: "reason",
        label: texts.rejectReason,
        multiline: true,
        optional: true,
        maxLength: MAX_REASON_CHARS,
      },
    ],
  };
}

function staffOf(tx: Tx, tenantId: string, event: DeskEvent): Promise<StaffMember | null> {
  const { messenger, person } = event;
  if (person.isBot) return Promise.resolve(null);
  return findStaffByIdentity(tx, { tenantId, messenger, teamId: person.teamId, userId: person.id });
}
