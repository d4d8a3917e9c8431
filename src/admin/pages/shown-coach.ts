import type { CoachSuggestion, Shadow } from "../../domain/quality.ts";
import type { StyleContent } from "../../domain/style.ts";
import type { ShownStyle } from "./shown-style.ts";
import type { TextKey } from "./texts-en.ts";

export const COACH_PATH = "/admin/styles/coach";

/** GET /quality/coach/proposals */
export interface CoachProposal {
  id: string;
  number: number;
  style_id: string;
  status: "pending" | "accepted" | "dismissed";
  model_id: string;
  /** 0: there was none. */
  base_version: number;
  feedback_ids: string[];
  suggestion_json: CoachSuggestion;
  shadow_json: Shadow | null;
  decided_by: string | null;
  created_by: string;
  created_at: string;
  decided_at: string | null;
  /** null: it is decided, or does not fit. */
  becomes: StyleContent | null;
}

/** Why an open one would be refused, as far as can be seen; null: nothing is in the way. */
export function whyNotAccepted(
  { shadow_json: shadow, becomes }: CoachProposal,
  style: ShownStyle | undefined,
): TextKey | null {
  if (becomes === null) return "coachNo.unfit";
  if (shadow === null) return "coachNo.none";
  if (shadow.state !== "done") return `coachNo.${shadow.state}`;
  if (shadow.version !== (style?.active?.version ?? 0)) return "coachNo.changed";
  if (shadow.total === 0) return "coachNo.empty";
  return shadow.broken.length > 0 ? "coachNo.broken" : null;
}

/** What it is compared with: the words now, once decided those it was made on; null: not known. */
export function guidanceBefore(
  { status, base_version: base }: CoachProposal,
  style: ShownStyle | undefined,
): string | null {
  if (status === "pending") return style?.active?.guidance ?? "";
  if (base === 0) return "";
  return style?.versions.find(({ version }) => version === base)?.guidance ?? null;
}
