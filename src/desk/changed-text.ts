import type { Language } from "../domain/language.ts";
import type { ApprovalRow } from "../store/approvals.ts";
import type { Tx } from "../store/db.ts";
import { staffById } from "../store/staff.ts";
import { changesOf } from "../tools/edit-action.ts";
import { DECISION_TEXTS, fieldName } from "./decision-texts.ts";

const LONGEST_VALUE = 60;

/** What an approver has made of the proposal, for the card; null: nothing. */
export async function changedText(
  tx: Tx,
  approval: ApprovalRow,
  language: Language,
): Promise<string | null> {
  const changes = changesOf(approval);
  if (approval.editedBy === null || changes.length === 0) return null;
  const texts = DECISION_TEXTS[language];
  const who = (await staffById(tx, approval.tenantId, approval.editedBy))?.name ?? "?";
  const parts = changes.map(({ field, from, to }) =>
    texts.change(fieldName(field, language), shortened(from), shortened(to)),
  );
  return texts.edited(who, parts.join("; "));
}

function shortened(text: string): string {
  const characters = [...text];
  if (characters.length <= LONGEST_VALUE) return text;
  return `${characters.slice(0, LONGEST_VALUE).join("")}…`;
}
