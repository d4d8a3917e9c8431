import type { HistoryRules } from "./repair-history.ts";

/** What one endpoint takes and demands; it is learned from what it refuses. */
export interface Demands extends Required<HistoryRules> {
  /** Takes `metadata` with the operation; OpenAI's own wants `store` for it. */
  metadata: boolean;
  /** Takes the wish for figures at the end of a stream. */
  streamUsage: boolean;
  /**
   * `own`: what this model thought goes back as it came; `always`: an assistant's message without
   * it says "", for endpoints that refuse a history of another model else.
   */
  reasoning: "never" | "own" | "always";
  /** Each first call of a message carries a signature; Gemini's own word stands for a missing one. */
  signatures: boolean;
}

export const USUAL: Demands = {
  ...{ alternate: false, systemFirst: false, shortIds: false },
  ...{ metadata: true, streamUsage: true, reasoning: "own", signatures: false },
};

/** What a refusal teaches besides what was heeded already; null: nothing. */
export function learn(
  heeded: Demands,
  refusal: { status: number; error: string },
): Partial<Demands> | null {
  if (refusal.status !== 400 && refusal.status !== 422) return null;
  for (const [pattern, change] of LESSONS) {
    if (!pattern.test(refusal.error)) continue;
    const isNews = Object.entries(change).some(
      ([name, value]) => heeded[name as keyof Demands] !== value, // LESSONS holds no other names
    );
    if (isNews) return change;
  }
  return null;
}

/** In the words of OpenAI, DeepSeek, Gemini, Mistral and the templates of local servers. */
const LESSONS: readonly [RegExp, Partial<Demands>][] = [
  [/\bmetadata\b/i, { metadata: false }],
  [/stream_options|include_usage/i, { streamUsage: false }],
  [/reasoning_content.{0,60}(must be|is required|missing|passed back)/i, { reasoning: "always" }],
  [/missing.{0,40}reasoning_content/i, { reasoning: "always" }],
  [/reasoning(_content|_details)?\b/i, { reasoning: "never" }],
  [/thought_?signature/i, { signatures: true }],
  [/tool.?call.?id.{0,120}\b(length|9)\b/i, { shortIds: true }],
  [/alternat|unexpected role|last role|only user,? (and )?assistant/i, { alternate: true }],
  [/system (message|prompt|role).{0,60}(first|begin|start)/i, { systemFirst: true }],
];
