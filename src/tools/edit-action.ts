import { isDeepStrictEqual } from "node:util";
import type { Json, JsonObject } from "../domain/json.ts";
import { canonicalDecimal, compareAmounts, isDecimal } from "../domain/money.ts";
import type { ApprovalRow } from "../store/approvals.ts";
import type { Tx } from "../store/db.ts";
import type {
  ActionEdit,
  AnyTool,
  CallScope,
  EditRule,
  PreparedAction,
  PrepareRefusal,
} from "./contract.ts";
import { refusal } from "./results.ts";

type Edited = Pick<ApprovalRow, "proposedActionJson" | "approvedActionJson">;

/** What would be carried out: the proposal, or what an approver has made of it. */
export function currentAction(approval: Edited): JsonObject {
  return approval.approvedActionJson ?? approval.proposedActionJson;
}

/** One field that differs, as people read it; `from` is the proposal, never an earlier edit. */
export interface FieldChange {
  field: string;
  from: string;
  to: string;
}

/** What approvers have changed of the proposal. */
export function changesOf(approval: Edited): FieldChange[] {
  const action = currentAction(approval);
  return Object.entries(approval.proposedActionJson).flatMap(([field, before]) => {
    const after = action[field] ?? null;
    if (isDeepStrictEqual(before, after)) return [];
    return [{ field, from: textOf(before), to: textOf(after) }];
  });
}

/** The same, as a tool's `prepare` takes it; undefined: nothing was changed. */
export function editOf(approval: Edited): ActionEdit | undefined {
  const changes = changesOf(approval);
  if (changes.length === 0) return undefined;
  return Object.fromEntries(changes.map(({ field, to }) => [field, to]));
}

/** Only fields that really change; a form that was sent as it stood is `unchanged`. */
export type ReadEdit =
  | { kind: "edit"; edit: ActionEdit }
  | { kind: "wrong"; field: string; rule: EditProblem };

/** Which rule an approver's change breaks; `not_lower`: sums only go down. */
export type EditProblem = "not_editable" | "not_a_sum" | "not_lower" | "not_a_text" | "unchanged";

/** Checks what an approver wants to change against the tool's rules and the action as it is now. */
export function readEdit(tool: AnyTool, action: JsonObject, given: JsonObject): ReadEdit {
  const edit: Record<string, string> = {};
  for (const [field, value] of Object.entries(given)) {
    const rule = ruleOf(tool, field);
    if (!rule) return { kind: "wrong", field, rule: "not_editable" };
    const read = readField(rule, textOf(action[field] ?? null), value);
    if (read.kind === "wrong") return { kind: "wrong", field, rule: read.rule };
    if (read.text !== action[field]) edit[field] = read.text;
  }
  const field = Object.keys(given)[0] ?? "";
  if (Object.keys(edit).length === 0) return { kind: "wrong", field, rule: "unchanged" };
  return { kind: "edit", edit };
}

/** By own keys only; undefined: nobody may change this field. */
export function ruleOf(tool: AnyTool, field: string): EditRule | undefined {
  return tool.edit && Object.hasOwn(tool.edit, field) ? tool.edit[field] : undefined;
}

type ReadField = { kind: "text"; text: string } | { kind: "wrong"; rule: EditProblem };

const LONGEST_TEXT = 4_000;

function readField(rule: EditRule, before: string, value: Json): ReadField {
  switch (rule) {
    case "down": {
      const sum = typeof value === "string" ? readSum(value) : null;
      if (sum === null || !isDecimal(before)) return { kind: "wrong", rule: "not_a_sum" };
      if (compareAmounts(sum, before) > 0) return { kind: "wrong", rule: "not_lower" };
      return { kind: "text", text: sum };
    }
    case "text": {
      const text = typeof value === "string" ? value.trim() : "";
      const isText = text !== "" && text.length <= LONGEST_TEXT && text.isWellFormed();
      if (!isText || text.includes("\0")) return { kind: "wrong", rule: "not_a_text" };
      return { kind: "text", text };
    }
    default:
      return rule satisfies never;
  }
}

/**
 * "60 000" and "60000.50" are sums. A comma is refused: it may part thousands or cents, and money is
 * not guessed. null: no sum above zero.
 */
export function readSum(text: string): string | null {
  const digits = text.trim().replace(/(?<=\d)[ \u00a0\u202f](?=\d{3}(?!\d))/gu, "");
  if (!isDecimal(digits)) return null;
  const sum = canonicalDecimal(digits);
  return sum === "0" ? null : sum;
}

/**
 * Prepares the call anew, with what an approver changed. A tool that changes more than it was told is
 * not believed.
 */
export async function prepareWith(
  tx: Tx,
  tool: AnyTool,
  call: { args: Json; scope: CallScope; edit: ActionEdit | undefined },
): Promise<PreparedAction | PrepareRefusal | null> {
  const { args, scope, edit } = call;
  if (!tool.prepare) return null;
  const plain = await tool.prepare(tx, args as never, scope); // checked by its own schema
  if (!edit || plain.kind === "refused") return plain;
  const edited = await tool.prepare(tx, args as never, scope, edit); // as above
  if (edited.kind === "refused") return edited;
  const isWithin = Object.entries(edit).every(([field, value]) =>
    staysWithin(ruleOf(tool, field), textOf(plain.action[field] ?? null), value),
  );
  return isWithin && isOnlyEdited(plain, edited, edit) ? edited : CHANGED_MORE;
}

/** The proposal may have become less meanwhile than what people approved of it. */
function staysWithin(rule: EditRule | undefined, proposed: string, value: string): boolean {
  if (rule !== "down") return rule !== undefined;
  return isDecimal(proposed) && isDecimal(value) && compareAmounts(value, proposed) <= 0;
}

function isOnlyEdited(plain: PreparedAction, edited: PreparedAction, edit: ActionEdit): boolean {
  const isAsTold = Object.entries(edit).every(([field, value]) => edited.action[field] === value);
  const isElseSame = Object.entries(plain.action).every(
    ([field, value]) =>
      Object.hasOwn(edit, field) || isDeepStrictEqual(edited.action[field] ?? null, value),
  );
  return isAsTold && isElseSame && edited.businessKey === plain.businessKey;
}

const CHANGED_MORE: PrepareRefusal = {
  kind: "refused",
  result: refusal({
    type: "action",
    reason: "edit_changed_more",
    summary: "the action cannot be changed so; nothing was done",
    needsOperator: true,
  }),
};

/** Who gets something, and in what currency, is never an approver's to change. */
const NEVER_EDITABLE =
  /currency|asset|network|destination|beneficiary|recipient|account|address|wallet|method|location|contact|order|^to$|^email$|Id$/i;

/** Names a field that no tool may declare; null when all are fine. */
export function uneditableField(tool: AnyTool): string | null {
  return Object.keys(tool.edit ?? {}).find((field) => NEVER_EDITABLE.test(field)) ?? null;
}

function textOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
