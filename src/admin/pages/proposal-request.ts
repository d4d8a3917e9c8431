import { readJsonText } from "./policy-form.ts";

/** What a form of a proposal asks the API for; `refused`: expected arguments that are no JSON. */
export type ProposalRequest =
  | { act: "dismiss" | "apply" | "case"; body: object }
  | { refused: string };

/** Empty fields are left out: the API has its defaults. */
export function requestOf(fields: Readonly<Record<string, string>>): ProposalRequest {
  const text = (name: string) => fields[name]?.trim() || undefined;
  const note = text("note");
  if (fields.act === "dismiss") return { act: "dismiss", body: { note } };
  if (fields.act === "apply") {
    const value = text("ref_value");
    const ref = value === undefined ? undefined : { kind: fields.ref_kind, value };
    return { act: "apply", body: { ref, note } };
  }
  const args = text("expected_args");
  const read = args === undefined ? null : readJsonText(args);
  if (read && !read.ok) return { refused: read.message };
  return {
    act: "case",
    body: {
      title: text("title"),
      behavior: text("behavior"),
      tool_call_id: text("tool_call_id"),
      expected_tool: text("expected_tool"),
      expected_args: read?.value,
      expected_policy_result: text("expected_policy_result"),
      forbidden_tools: listOf(fields.forbidden_tools, /[\s,]+/),
      action_items: listOf(fields.action_items, /\n/),
      note,
    },
  };
}

function listOf(text: string | undefined, between: RegExp): string[] | undefined {
  const parts = (text ?? "").split(between).map((part) => part.trim());
  const named = parts.filter((part) => part !== "");
  return named.length > 0 ? named : undefined;
}
