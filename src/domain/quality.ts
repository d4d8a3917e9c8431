import type { ActionableLabel } from "./feedback.ts";
import type { Json } from "./json.ts";

/** What an improvement proposal would change. */
export const PROPOSAL_KINDS = ["tool_selection", "tool_coverage", "tool_arguments"] as const;
/** Stands in exported cases. */
export type ProposalKind = (typeof PROPOSAL_KINDS)[number];

/** What each actionable label asks for. */
export const KIND_OF_LABEL: Readonly<Record<ActionableLabel, ProposalKind>> = {
  wrong_tool: "tool_selection",
  missing_tool: "tool_coverage",
  bad_args: "tool_arguments",
};

/** What can have answered a proposal; the value names it: a URL, a version, REG-7. */
export const ARTIFACT_KINDS = [
  "pull_request",
  "commit",
  "prompt_patch",
  "tool_schema_patch",
  "policy_patch",
  "knowledge_patch",
  "regression_case",
  "eval_case",
  "ticket",
] as const;

/** Where to look for the change that was made. */
export interface ArtifactRef {
  kind: (typeof ARTIFACT_KINDS)[number];
  value: string;
}

/** How a proposal ended. `ref`: only when it was applied. */
export interface ProposalResolution {
  ref?: ArtifactRef;
  note?: string;
  /** Staff id, or `setup`. */
  by: string;
  at: number;
  /** The labels that it answers, each with the time it was given at: one given later asks anew. */
  labels?: Record<string, number>;
}

/** A message of a client and the answer that the style would give. */
export interface StyleExample {
  client: string;
  answer: string;
}

/** All that a coach may suggest. Tools, schemas and policies are no part of it. */
export interface CoachSuggestion {
  /** The style's guidance, whole, as it would read; null: as it is. */
  guidance: string | null;
  addExamples: StyleExample[];
  attachSkills: string[];
  detachSkills: string[];
  rationale: string;
}

/** The evals before and after; an accepted suggestion has broken none that passed. */
export interface ShadowSummary {
  modelId: string;
  at: number;
  total: number;
  passedBefore: number;
  passedAfter: number;
  /** Names of cases that passed before and fail after. */
  broken: string[];
  /** Names of cases that failed before and pass after. */
  mended: string[];
}

/**
 * The evals of one suggestion; `at` is when they began or, done, when they ended. `boot`: the process
 * that runs them; when it is gone nobody will write their end.
 */
export type Shadow = {
  /** Names this attempt: a later one is not overwritten by it. */
  token: string;
  /** The style's version that the suggestion was put on; 0: there was none. */
  version: number;
  /** Hash of what was compared, the texts of skills with it. */
  digest: string;
} & ({ state: "running"; at: number; boot?: string } | ShadowEnd);

/** `error`: for a person. */
export type ShadowEnd =
  | { state: "failed"; at: number; error: string }
  | ({ state: "done" } & ShadowSummary);

/** What a call came to: in the rows then, or in a trial now. */
export interface JudgedCall {
  toolName: string;
  args: Json;
  /** null: the gate was not reached (schema, unknown tool, resource of another). */
  policyResult: "allow" | "approval" | "deny" | null;
  /** Why it was denied or refused: a block reason or an error code; null: it was not. */
  reason: string | null;
}

/** One answer of the model: as it was, and as it comes out now. */
export interface ReplayedTurn {
  /** The lead's message that is answered (seq). */
  seq: number;
  asked: string;
  recorded: { text: string; calls: JudgedCall[] };
  replayed: { text: string; calls: JudgedCall[]; error: string | null };
  same: boolean;
}
