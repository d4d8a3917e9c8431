import { approvalName } from "../domain/approval.ts";
import type { DeskAnswer, FormRequest } from "../domain/desk.ts";
import type { JsonObject } from "../domain/json.ts";
import type { Language } from "../domain/language.ts";
import { type ApprovalRow, approvalById } from "../store/approvals.ts";
import type { Tx } from "../store/db.ts";
import { readBoundValue } from "../tools/approval-card.ts";
import type { AnyTool, EditRule } from "../tools/contract.ts";
import { currentAction, readSum } from "../tools/edit-action.ts";
import { decide } from "./decide.ts";
import { DECISION_TEXTS, fieldName } from "./decision-texts.ts";
import type { DeskDeps } from "./deps.ts";
import type { Press, Submitted } from "./desk-event.ts";
import { refusalOf } from "./may-decide.ts";
import { placeOfForm } from "./pressed-place.ts";
import { note } from "./show-approval.ts";
import { DESK_TEXTS } from "./texts.ts";

/** What an approver changes; sending it approves the request so. Its subject is the button's value. */
export const EDIT_FORM = "edit_action";
/** Slack takes no more in one field. */
const FORM_CHARS = 3_000;

/** null: nothing of it can be changed, or not by this person now. */
export async function editForm(tx: Tx, deps: DeskDeps, press: Press): Promise<FormRequest | null> {
  const asked = await askedBy(tx, deps, press);
  if (!asked || asked.refusal) return null;
  const { approval } = asked;
  const tool = deps.registry.find(approval.toolName)?.tool;
  const language = deps.dress.staffLanguage;
  const texts = DECISION_TEXTS[language];
  const fields = tool ? fieldsOf(tool, currentAction(approval), language) : [];
  if (fields.length === 0) return null;
  return {
    form: EDIT_FORM,
    subject: press.click.value,
    title: texts.editTitle(approvalName(approval.number)),
    submitLabel: texts.editSubmit,
    fields,
  };
}

/** The answer to the button beside which the form opens. */
export async function answerEditPress(tx: Tx, deps: DeskDeps, press: Press): Promise<DeskAnswer> {
  const texts = DECISION_TEXTS[deps.dress.staffLanguage];
  const asked = await askedBy(tx, deps, press);
  if (!asked) return { text: DESK_TEXTS[deps.dress.staffLanguage].gone };
  const { approval, refusal } = asked;
  if (!refusal)
    return { text: press.click.messenger === "slack" ? texts.editAsk : texts.editReply };
  const said = { by: press.staff?.id ?? null, decision: refusal.code };
  await note(tx, deps, approval, { eventType: "approval.refused", ...said });
  return { text: refusal.message };
}

/** What is wrong with the form, by field; sums are checked against the request when it is decided. */
export function editErrors(
  values: Record<string, string>,
  language: Language,
): Record<string, string> {
  const texts = DECISION_TEXTS[language].wrong;
  const wrong = Object.entries(values).filter(
    ([name, value]) => readName(name)?.rule === "down" && readSum(value) === null,
  );
  return Object.fromEntries(wrong.map(([name]) => [name, texts.not_a_sum]));
}

/**
 * Fields left empty stay as they are. Change and approval are one decision: either both count or
 * none.
 */
export async function approveEdited(
  tx: Tx,
  deps: DeskDeps,
  { tenantId, staff, submission }: Submitted,
): Promise<string> {
  const edit: JsonObject = {};
  for (const [name, value] of Object.entries(submission.values)) {
    const field = readName(name)?.field;
    if (field !== undefined && value.trim() !== "") edit[field] = value;
  }
  const decided = await decide(tx, deps, {
    ...{ tenantId, staff, decision: "approve", edit, via: submission.messenger },
    place: placeOfForm(submission),
    ...readBoundValue(submission.subject),
  });
  return decided.message;
}

async function askedBy(tx: Tx, deps: DeskDeps, { tenantId, staff, click }: Press) {
  const { approvalId, seen } = readBoundValue(click.value);
  const approval = await approvalById(tx, tenantId, approvalId);
  if (!approval) return null;
  const asked = { tenantId, staff, decision: "approve" as const, seen, place: click };
  return { approval, refusal: await refusalOf(tx, deps, asked, approval) };
}

function fieldsOf(tool: AnyTool, action: ApprovalRow["proposedActionJson"], language: Language) {
  const texts = DECISION_TEXTS[language];
  const shown = (field: string) => String(action[field] ?? "");
  // what does not fit into a form would come back cut
  const rules = Object.entries(tool.edit ?? {}).filter(
    ([field]) => shown(field).length <= FORM_CHARS,
  );
  return rules.map(([field, rule]) => {
    const now = shown(field);
    const currency = typeof action.currency === "string" ? ` ${action.currency}` : "";
    const name = fieldName(field, language);
    const label = rule === "down" ? `${name}, ${texts.lower} ${now}${currency}` : name;
    return {
      name: `${rule}-${field}`,
      label,
      multiline: rule === "text",
      optional: rules.length > 1,
      maxLength: rule === "down" ? 40 : FORM_CHARS,
      ...(rule === "text" ? { initial: now } : {}),
    };
  });
}

/** The rule stands before the field's name: a form is checked without the request. */
function readName(name: string): { rule: EditRule; field: string } | null {
  const match = /^(down|text)-(.+)$/.exec(name);
  if (!match?.[1] || !match[2]) return null;
  return { rule: match[1] as EditRule, field: match[2] }; // the pattern names both rules
}
