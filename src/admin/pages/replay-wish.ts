import { readJsonText } from "./policy-form.ts";

/** What POST /quality/replays takes, or why the form cannot be sent. */
export type ReplayWish =
  | { body: { conversation_id: string; model: string | null; policies?: unknown } }
  | { refused: "name" }
  | { refused: "json"; message: string };

/** Reads the form; a list of rules counts only when it was chosen. */
export function wishOf(field: (name: string) => string): ReplayWish {
  const chosen = field("model");
  const name = field("model_name").trim();
  if (chosen === "other" && name === "") return { refused: "name" };
  const model = { own: "", other: name }[chosen] ?? null;
  const body = { conversation_id: field("conversation_id"), model };
  if (field("rules") !== "given") return { body };
  const read = readJsonText(field("policies"));
  if (!read.ok) return { refused: "json", message: read.message };
  return { body: { ...body, policies: read.value } };
}
