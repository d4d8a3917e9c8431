import type { JsonObject } from "../../src/domain/json.ts";

/** A case as the export writes it; nothing is wrong with it. */
export function regressionCase(changes: JsonObject = {}): JsonObject {
  return {
    recordType: "tool_call_regression_case",
    id: 7,
    source: "tool_call_feedback",
    toolName: "send_email",
    label: "bad_args",
    title: "A letter without a subject",
    status: "active",
    proposalId: 3,
    toolCallId: 41,
    input: {
      toolName: "send_email",
      args: { subject: "" },
      feedback: { label: "bad_args", note: "no subject" },
    },
    expected: { behavior: "The arguments are refused", actionItems: [] },
    context: {
      toolCall: { result: { ok: true }, error: false, cycle: 0, toolCallIndex: 1, latencyMs: 12 },
    },
    createdAt: 1_764_500_000,
    updatedAt: 1_764_500_060,
    createdByAdminId: null,
    ...changes,
  };
}

/** The same case about another tool. */
export function caseAbout(tool: string, changes: JsonObject = {}): JsonObject {
  const { input } = regressionCase() as { input: JsonObject }; // of the builder above
  return regressionCase({ toolName: tool, input: { ...input, toolName: tool }, ...changes });
}

/** `value` at a path like `input.feedback.note`; undefined takes the field away. */
export function withField(record: JsonObject, path: string, value: unknown): JsonObject {
  const copy = structuredClone(record);
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  let holder = copy as Record<string, unknown>;
  for (const key of keys) {
    holder[key] ??= {};
    holder = holder[key] as Record<string, unknown>; // paths go through objects
  }
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return copy;
}

/** A file of cases. */
export function jsonl(...records: unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}
