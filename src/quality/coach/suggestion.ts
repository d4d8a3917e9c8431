import { z } from "zod";
import type { CoachSuggestion } from "../../domain/quality.ts";
import { STYLE_LIMITS, type StyleDraft } from "../../domain/style.ts";
import {
  governedProblem,
  shapeProblem,
  styleProblems,
  textProblem,
} from "../styles/check-style.ts";
import { lastObjectIn } from "./last-object.ts";

const MOST_SHOWN = 10;
const MOST_ANSWER = 100_000;
const text = (longest: number) => z.string().trim().min(1).max(longest);
const ids = z.array(z.string().max(40)).max(STYLE_LIMITS.skills).default([]);

/** All that a coach may say. Whatever else an answer holds refuses it whole. */
const suggestionSchema: z.ZodType<CoachSuggestion> = z.strictObject({
  guidance: z.string().max(STYLE_LIMITS.guidance).nullable().default(null),
  addExamples: z
    .array(
      z.strictObject({
        client: text(STYLE_LIMITS.exampleText),
        answer: text(STYLE_LIMITS.exampleText),
      }),
    )
    .max(STYLE_LIMITS.examples)
    .default([]),
  attachSkills: ids,
  detachSkills: ids,
  rationale: text(2000),
});

/** The same for an endpoint that writes by a schema; without bounds, which many of them refuse. */
export const SUGGESTION_FORMAT = {
  name: "coach_suggestion",
  schema: {
    type: "object",
    properties: {
      guidance: { type: ["string", "null"] },
      addExamples: {
        type: "array",
        items: {
          type: "object",
          properties: { client: { type: "string" }, answer: { type: "string" } },
          required: ["client", "answer"],
          additionalProperties: false,
        },
      },
      attachSkills: { type: "array", items: { type: "string" } },
      detachSkills: { type: "array", items: { type: "string" } },
      rationale: { type: "string" },
    },
    required: ["guidance", "addExamples", "attachSkills", "detachSkills", "rationale"],
    additionalProperties: false,
  },
};

/** The style that a suggestion is for. */
export interface Coached {
  draft: StyleDraft;
  /** Skills that there are. */
  skillIds: ReadonlySet<string>;
}

/** A suggestion that may stand, or what is wrong with the answer, one sentence each. */
export type Read = { suggestion: CoachSuggestion } | { problems: string[] };

/** Takes the JSON object out of whatever stands around it. */
export function readSuggestion(answer: string, coached: Coached): Read {
  const value = lastObjectIn(answer.slice(-MOST_ANSWER));
  if (value === null) return { problems: ["the answer holds no whole JSON object"] };
  const parsed = suggestionSchema.safeParse(value);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      ({ path, message }) => `${path.map(String).join(".") || "the object"}: ${message}`,
    );
    return { problems: problems.slice(0, MOST_SHOWN) };
  }
  const problems = suggestionProblems(parsed.data, coached);
  return problems.length > 0
    ? { problems: problems.slice(0, MOST_SHOWN) }
    : { suggestion: parsed.data };
}

/** Also right before it is put in force: the style or its skills may have changed. */
export function suggestionProblems(
  suggestion: CoachSuggestion,
  { draft, skillIds }: Coached,
): string[] {
  const { attachSkills, detachSkills, rationale } = suggestion;
  const said = shapeProblem(rationale);
  return [
    ...(said ? [`rationale: ${said}`] : []),
    ...detachSkills
      .filter((id) => !draft.skills.includes(id))
      .map((id) => `detachSkills: ${id} is not attached`),
    ...attachSkills
      .filter((id) => !skillIds.has(id))
      .map((id) => `attachSkills: there is no skill ${id}`),
    ...attachSkills
      .filter((id) => detachSkills.includes(id))
      .map((id) => `attachSkills: ${id} is detached, too`),
    ...styleProblems(
      withSuggestion(draft, { ...suggestion, attachSkills: attachSkills.filter(isIn(skillIds)) }),
      skillIds,
    ).map(({ path, message }) => `${path}: ${message}`),
    ...governedProblems(suggestion, draft),
  ];
}

/** A person may write that a check holds; a coach's own words leave what is governed alone. */
function governedProblems(
  { guidance, addExamples }: CoachSuggestion,
  { guidance: standing }: StyleDraft,
): string[] {
  const own = (guidance ?? "").split(/(?<=[.!?;…])\s+|\n/).filter((one) => !standing.includes(one));
  const texts = [own.join("\n"), ...addExamples.map(({ answer }) => answer)];
  return texts.flatMap((text, at) => {
    const why = textProblem(text) === null ? governedProblem(text, { strict: true }) : null;
    const path = at === 0 ? "guidance" : `addExamples.${at - 1}.answer`;
    return why === null ? [] : [`${path}: ${why}`];
  });
}

/** The style as it would be. */
export function withSuggestion(draft: StyleDraft, suggestion: CoachSuggestion): StyleDraft {
  const { guidance, addExamples, attachSkills, detachSkills } = suggestion;
  const kept = draft.skills.filter((id) => !detachSkills.includes(id));
  return {
    guidance: guidance ?? draft.guidance,
    examples: [...draft.examples, ...addExamples],
    skills: [...new Set([...kept, ...attachSkills])],
  };
}

function isIn(ids: ReadonlySet<string>) {
  return (id: string) => ids.has(id);
}
