import type { DeskAnswer, FormRequest } from "../domain/desk.ts";
import type { SubmissionEvent } from "../domain/inbound.ts";
import { approvalById } from "../store/approvals.ts";
import type { Tx } from "../store/db.ts";
import { EDIT, REJECT } from "../tools/approval-card.ts";
import { PAYOUT_CODE } from "../tools/handoff-card.ts";
import type { DeskDeps } from "./deps.ts";
import type { Press, Submitted } from "./desk-event.ts";
import { approveEdited, EDIT_FORM, editErrors, editForm } from "./edit-form.ts";
import { refusalOf } from "./may-decide.ts";
import { readTypedCode } from "./payout-code/form.ts";
import { CODE_TEXTS } from "./payout-code/texts.ts";
import { codeFormFor, keepTypedCode, TYPE_AGAIN } from "./payout-code/type-code.ts";
import { addRejectReason, MAX_REASON_CHARS, REJECT_REASON_FORM } from "./reject-reason.ts";
import { PAYOUT_CODE_FORM } from "./secret-forms.ts";
import { DESK_TEXTS } from "./texts.ts";

const FORM_ACTIONS: ReadonlySet<string> = new Set([REJECT, EDIT, PAYOUT_CODE, TYPE_AGAIN]);

/** Other buttons need no look at the database before they are acknowledged. */
export function mayOpenForm(action: string): boolean {
  return FORM_ACTIONS.has(action);
}

/** The form that a button opens; null: it needs none, or the person may not fill it in. */
export async function formOf(tx: Tx, deps: DeskDeps, press: Press): Promise<FormRequest | null> {
  switch (press.click.action) {
    case REJECT:
      return reasonForm(tx, deps, press);
    case EDIT:
      return editForm(tx, deps, press);
    case PAYOUT_CODE:
    case TYPE_AGAIN:
      return codeFormFor(tx, deps, press);
    default:
      return null;
  }
}

/** What is wrong with a form that was filled in, by field; nothing is read but the form. */
export function formErrors(deps: DeskDeps, submission: SubmissionEvent): Record<string, string> {
  const { form, values } = submission;
  if (form === EDIT_FORM) return editErrors(values, deps.dress.staffLanguage);
  if (form === PAYOUT_CODE_FORM) {
    const language = deps.dress.staffLanguage;
    const typed = readTypedCode(values, { now: deps.clock.now(), language });
    return typed.kind === "wrong" ? { [typed.field]: typed.text } : {};
  }
  const isLong = (values.reason ?? "").length > MAX_REASON_CHARS;
  return isLong ? { reason: `≤ ${MAX_REASON_CHARS}` } : {};
}

/** Answers the person alone. Rights are looked at again: a form may lie open for hours. */
export async function answerForm(
  tx: Tx,
  deps: DeskDeps,
  submitted: Submitted,
): Promise<DeskAnswer> {
  switch (submitted.submission.form) {
    case REJECT_REASON_FORM:
      return { text: await addRejectReason(tx, deps, submitted) };
    case EDIT_FORM:
      return { text: await approveEdited(tx, deps, submitted) };
    case PAYOUT_CODE_FORM: {
      const answer = await keepTypedCode(tx, deps, submitted);
      if (!submitted.isStillShown) return answer;
      const warning = CODE_TEXTS[deps.dress.staffLanguage].notDeleted;
      return { ...answer, text: `${answer.text}\n${warning}` };
    }
    default:
      return { text: DESK_TEXTS[deps.dress.staffLanguage].unknownButton };
  }
}

/** A rejection asks for its reason; only people whose press will reject are asked. */
async function reasonForm(
  tx: Tx,
  deps: DeskDeps,
  { tenantId, staff, click }: Press,
): Promise<FormRequest | null> {
  const texts = DESK_TEXTS[deps.dress.staffLanguage];
  const approval = await approvalById(tx, tenantId, click.value);
  if (!approval) return null;
  const asked = { tenantId, staff, decision: "reject" as const, place: click };
  if (await refusalOf(tx, deps, asked, approval)) return null;
  return {
    form: REJECT_REASON_FORM,
    subject: click.value,
    title: texts.rejectTitle,
    submitLabel: texts.rejectTitle,
    fields: [
      {
        name: "reason",
        label: approval.conversationId === null ? texts.rejectReasonInside : texts.rejectReason,
        multiline: true,
        optional: true,
        maxLength: MAX_REASON_CHARS,
      },
    ],
  };
}
