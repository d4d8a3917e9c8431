import type { DeskAnswer, FormRequest } from "../../domain/desk.ts";
import type { ClickEvent, SubmissionEvent } from "../../domain/inbound.ts";
import type { CardButton } from "../../domain/messenger.ts";
import { maskedCode } from "../../domain/payout-code.ts";
import type { Tx } from "../../store/db.ts";
import { changeOrder, orderName } from "../../store/orders.ts";
import { type PayoutCodeDraft, sealPayoutDraft } from "../../store/payout-codes.ts";
import type { StaffMember } from "../../store/staff.ts";
import type { DeskDeps } from "../deps.ts";
import { openSecretForm } from "../secret-forms.ts";
import { type CodeWork, findUntyped, noteCode, noteRefusal } from "./find-payout.ts";
import { payoutCodeForm, readTypedCode } from "./form.ts";
import { CODE_TEXTS } from "./texts.ts";

/** Sends what was typed; `value` is the handoff's id, as of all buttons about a code. */
export const SEND_CODE = "payout_code_send";
/** Opens the form once more, from the message that shows what was typed. */
export const TYPE_AGAIN = "payout_code_again";

interface Clicked {
  tenantId: string;
  staff: StaffMember | null;
  click: ClickEvent;
}

/** null: the person may not type a code now; the click's answer says why. */
export async function codeFormFor(
  tx: Tx,
  deps: DeskDeps,
  { tenantId, staff, click }: Clicked,
): Promise<FormRequest | null> {
  const { messenger, value: handoffId } = click;
  const found = await findUntyped(tx, deps, { tenantId, handoffId, staff });
  if (found.kind === "refused") return null;
  const language = deps.dress.staffLanguage;
  const name = orderName(found.work.order);
  return payoutCodeForm({ handoffId, orderName: name, messenger, language });
}

/** The answer to the button that asks for the form, which opens beside it. */
export async function answerAsking(
  tx: Tx,
  deps: DeskDeps,
  { tenantId, staff, click }: Clicked,
): Promise<DeskAnswer> {
  const texts = CODE_TEXTS[deps.dress.staffLanguage];
  const found = await findUntyped(tx, deps, { tenantId, handoffId: click.value, staff });
  if (found.kind === "refused")
    return { text: await noteRefusal(tx, deps, found, staff), alert: true };
  if (click.action === TYPE_AGAIN) return { text: texts.again, replaces: true };
  return { text: click.messenger === "slack" ? texts.askOpen : texts.askReply };
}

/**
 * What an operator typed is kept sealed and shown back for checking: whole where only that person
 * reads it, else its last two characters. Nothing is sent yet.
 */
export async function keepTypedCode(
  tx: Tx,
  deps: DeskDeps,
  given: { tenantId: string; staff: StaffMember | null; submission: SubmissionEvent },
): Promise<DeskAnswer> {
  const { tenantId, staff, submission } = given;
  const found = await findUntyped(tx, deps, { tenantId, handoffId: submission.subject, staff });
  if (found.kind === "refused") return { text: await noteRefusal(tx, deps, found, staff) };
  const { work } = found;
  const now = deps.clock.now();
  const values = openSecretForm(deps.secrets, tenantId, submission);
  const typed = readTypedCode(values, { now, language: deps.dress.staffLanguage });
  if (typed.kind === "wrong") return { text: typed.text };
  const { code, until } = typed;
  // Slack shows it whole with the answer; elsewhere the first press of Send does
  const sendableFrom = submission.messenger === "slack" ? now : null;
  const draft = { code, until, typedAt: now, sendableFrom };
  await keepDraft(tx, deps, work, draft);
  const by = work.staff.id;
  await noteCode(tx, deps, { order: work.order, by, eventType: "payout_code.typed" });
  return echo(deps, work, draft);
}

/** Sealed for this order; a new one takes the place of the old. */
export async function keepDraft(
  tx: Tx,
  deps: DeskDeps,
  { tenantId, order, staff }: CodeWork,
  draft: PayoutCodeDraft,
): Promise<void> {
  const sealed = sealPayoutDraft(deps.secrets, { tenantId, orderId: order.id }, draft);
  const which = { tenantId, id: order.id, now: deps.clock.now() };
  await changeOrder(tx, which, { payoutCodeDraft: sealed, payoutCodeDraftBy: staff.id });
}

function echo(
  deps: DeskDeps,
  { order, staff, handoffId }: CodeWork,
  { code, until, sendableFrom }: PayoutCodeDraft,
): DeskAnswer {
  const texts = CODE_TEXTS[deps.dress.staffLanguage];
  const name = orderName(order);
  const buttons: CardButton[] = [
    { label: texts.send, action: SEND_CODE, value: handoffId, style: "primary" },
    { label: texts.typeAgain, action: TYPE_AGAIN, value: handoffId },
  ];
  const text = texts.typedMasked({ order: name, mask: maskedCode(code), who: staff.name, until });
  if (sendableFrom === null) return { text, buttons };
  return { text, privately: texts.typed({ order: name, code, until }), buttons };
}
