import type { PolicyRow } from "../../domain/policy-row.ts";

/** JSON as somebody typed it. */
export type ReadJson = { ok: true; value: unknown } | { ok: false; message: string };

export function readJsonText(text: string): ReadJson {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

/** A row of the form; what is no number stays text, so that the API says what is wrong with it. */
export function rowOf(field: (name: string) => string, condition: unknown): object {
  const isChecked = (name: string) => field(name) === "on";
  return {
    id: field("id").trim(),
    tool_name: field("tool_name").trim(),
    role: field("role").trim(),
    condition_json: condition,
    allow_call: isChecked("allow_call"),
    requires_approval: isChecked("requires_approval"),
    approvals_required: numberOf(field("approvals_required")),
    approver_role: field("approver_role"),
    approval_ttl_s:
      field("approval_ttl_s").trim() === "" ? null : numberOf(field("approval_ttl_s")),
    max_calls_per_run: numberOf(field("max_calls_per_run")),
    max_payload_size: numberOf(field("max_payload_size")),
    is_active: isChecked("is_active"),
  };
}

/** In place of the row that was edited; at the end when there was none. */
export function withRow(rows: readonly PolicyRow[], row: object, was: string): object[] {
  if (!rows.some(({ id }) => id === was)) return [...rows, row];
  return rows.map((one) => (one.id === was ? row : one));
}

function numberOf(text: string): number | string {
  return /^\d+$/.test(text.trim()) ? Number(text) : text;
}
