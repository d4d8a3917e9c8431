import { sql } from "drizzle-orm";
import { boolean, index, integer, jsonb, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { ActionableLabel } from "../../domain/feedback.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { PolicyRow } from "../../domain/policy-row.ts";
import type {
  CoachSuggestion,
  ProposalKind,
  ProposalResolution,
  ReplayedTurn,
  Shadow,
  StyleExample,
} from "../../domain/quality.ts";
import type { VersionSkill } from "../../domain/style.ts";
import { id, instant, tenantId } from "./columns.ts";

/** What should change, by the labels of one kind on one tool. One is open for each tool and label. */
export const agentToolCallImprovementProposals = pgTable(
  "agent_tool_call_improvement_proposals",
  {
    id: id(),
    tenantId: tenantId(),
    number: integer("number").notNull(),
    kind: text("kind").$type<ProposalKind>().notNull(),
    label: text("label").$type<ActionableLabel>().notNull(),
    /** Empty: a tool is missing, and nobody has said which. */
    toolName: text("tool_name").notNull(),
    status: text("status").$type<"pending" | "dismissed" | "applied">().notNull(),
    resolutionJson: jsonb("resolution_json").$type<ProposalResolution>(),
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
  },
  (t) => [
    uniqueIndex("agent_tool_call_improvement_proposals_number").on(t.tenantId, t.number),
    uniqueIndex("agent_tool_call_improvement_proposals_open")
      .on(t.tenantId, t.toolName, t.label)
      .where(sql`status = 'pending'`),
  ],
);

/** A call that people judged wrong, with what is expected instead. */
export const agentToolCallRegressionCases = pgTable(
  "agent_tool_call_regression_cases",
  {
    id: id(),
    tenantId: tenantId(),
    /** REG-7. */
    number: integer("number").notNull(),
    proposalNumber: integer("proposal_number"),
    /** `agent_tool_calls.number`; null: the reply came without a call. */
    toolCallNumber: integer("tool_call_number"),
    toolName: text("tool_name").notNull(),
    label: text("label").$type<ActionableLabel>().notNull(),
    title: text("title").notNull(),
    status: text("status").$type<"active" | "archived">().notNull(),
    inputJson: jsonb("input_json").$type<JsonObject>().notNull(),
    expectedJson: jsonb("expected_json").$type<JsonObject>().notNull(),
    contextJson: jsonb("context_json").$type<JsonObject>().notNull(),
    /** `staff.number`; null: the set-up made it. */
    createdByNumber: integer("created_by_number"),
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
  },
  (t) => [
    uniqueIndex("agent_tool_call_regression_cases_number").on(t.tenantId, t.number),
    index("agent_tool_call_regression_cases_status").on(t.tenantId, t.status, t.number),
  ],
);

/** How the assistant of a tenant speaks. What it may do stands in tools and policy, never here. */
export const agentStyles = pgTable(
  "agent_styles",
  {
    tenantId: tenantId(),
    styleId: text("style_id").notNull(),
    name: text("name").notNull(),
    /** The one that replies are written in. */
    isActive: boolean("is_active").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("agent_styles_id").on(t.tenantId, t.styleId),
    uniqueIndex("agent_styles_active").on(t.tenantId).where(sql`is_active`),
  ],
);

/** A text that styles may have attached: how to greet, how to explain the fee. */
export const agentSkills = pgTable(
  "agent_skills",
  {
    tenantId: tenantId(),
    skillId: text("skill_id").notNull(),
    text: text("text").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [uniqueIndex("agent_skills_id").on(t.tenantId, t.skillId)],
);

/** A style's guidance as it stood; a change adds a version. */
export const promptVersions = pgTable(
  "prompt_versions",
  {
    id: id(),
    tenantId: tenantId(),
    styleId: text("style_id").notNull(),
    version: integer("version").notNull(),
    guidance: text("guidance").notNull(),
    examplesJson: jsonb("examples_json").$type<StyleExample[]>().notNull(),
    /** With their texts: a version is the whole of what was said under its number. */
    skillsJson: jsonb("skills_json").$type<VersionSkill[]>().notNull(),
    rationale: text("rationale").notNull(),
    isActive: boolean("is_active").notNull(),
    coachProposalId: text("coach_proposal_id"),
    createdBy: text("created_by").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("prompt_versions_number").on(t.tenantId, t.styleId, t.version),
    uniqueIndex("prompt_versions_active").on(t.tenantId, t.styleId).where(sql`is_active`),
  ],
);

/** What a model suggests for a style after reading people's labels. It changes nothing by itself. */
export const coachProposals = pgTable(
  "coach_proposals",
  {
    id: id(),
    tenantId: tenantId(),
    number: integer("number").notNull(),
    styleId: text("style_id").notNull(),
    status: text("status").$type<"pending" | "accepted" | "dismissed">().notNull(),
    modelId: text("model_id").notNull(),
    /** The version of the style that was read; 0: there was none. */
    baseVersion: integer("base_version").notNull(),
    /** Labels that it is made from. */
    feedbackIds: jsonb("feedback_ids").$type<string[]>().notNull(),
    suggestionJson: jsonb("suggestion_json").$type<CoachSuggestion>().notNull(),
    /** The evals under the style as it is and as it would be; null: not run yet. */
    shadowJson: jsonb("shadow_json").$type<Shadow>(),
    decidedBy: text("decided_by"),
    createdBy: text("created_by").notNull(),
    createdAt: instant("created_at").notNull(),
    decidedAt: instant("decided_at"),
  },
  (t) => [uniqueIndex("coach_proposals_number").on(t.tenantId, t.number)],
);

/** A recorded conversation put to another model or under another policy. */
export const conversationReplays = pgTable(
  "conversation_replays",
  {
    id: id(),
    tenantId: tenantId(),
    conversationId: text("conversation_id").notNull(),
    modelId: text("model_id").notNull(),
    /** null: the rules as they stood at the replay. */
    policiesJson: jsonb("policies_json").$type<PolicyRow[]>(),
    turnsJson: jsonb("turns_json").$type<ReplayedTurn[]>().notNull(),
    createdBy: text("created_by").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [index("conversation_replays_conversation").on(t.tenantId, t.conversationId, t.createdAt)],
);
