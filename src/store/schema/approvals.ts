import { sql } from "drizzle-orm";
import { index, integer, jsonb, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { ApprovalStatus, DecisionVia } from "../../domain/approval.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { RiskClass } from "../../domain/tool.ts";
import { id, instant, mac, tenantId } from "./columns.ts";

export const approvalQueue = pgTable(
  "approval_queue",
  {
    id: id(),
    tenantId: tenantId(),
    /** Spoken as A-17. */
    number: integer("number").notNull(),
    runId: text("run_id"),
    /** null: a change that the desk itself asks for. */
    conversationId: text("conversation_id"),
    candidateId: text("candidate_id").notNull(),
    toolName: text("tool_name").notNull(),
    /** Why people are asked: `payout`, `kyc`, `unknown_outcome` … names the card. */
    requestedAction: text("requested_action").notNull(),
    riskLevel: text("risk_level").$type<RiskClass>().notNull(),
    payloadSummary: text("payload_summary").notNull(),
    /** The maker: contact id, or staff id. */
    requestedBy: text("requested_by").notNull(),
    clientSays: text("client_says"),
    status: text("status").$type<ApprovalStatus>().notNull(),
    proposedActionJson: jsonb("proposed_action_json").$type<JsonObject>().notNull(),
    approvedActionJson: jsonb("approved_action_json").$type<JsonObject>(),
    effectiveActionJson: jsonb("effective_action_json").$type<JsonObject>(),
    /** The card's facts, made with the action: label and whole value, in order. */
    materialJson: jsonb("material_json").$type<{ label: string; value: string }[]>().notNull(),
    actionDigest: text("action_digest").notNull(),
    businessKey: text("business_key"),
    schemaVersion: integer("schema_version").notNull(),
    policyId: text("policy_id"),
    approvalsRequired: integer("approvals_required").notNull(),
    approverRole: text("approver_role").$type<"operator" | "admin">().notNull(),
    /** null: does not expire (it is about money that came in, or is said to have come in). */
    expiresAt: instant("expires_at"),
    /** Staff id of the person whose decision ended it. */
    approver: text("approver"),
    decidedVia: text("decided_via").$type<DecisionVia>(),
    approvedAt: instant("approved_at"),
    decidedAt: instant("decided_at"),
    rejectedReason: text("rejected_reason"),
    /** When it is reminded of, escalated or ended; null: nothing more is due. */
    nextStepAt: instant("next_step_at"),
    remindersSent: integer("reminders_sent").notNull().default(0),
    escalatedAt: instant("escalated_at"),
    /** The lead objected, or another reason to let nobody approve it by mistake. */
    frozenAt: instant("frozen_at"),
    frozenReason: text("frozen_reason"),
    /** Fields of the action that an approver may change; the tool's rules say how. */
    editableFields: jsonb("editable_fields").$type<string[]>().notNull().default([]),
    /** Staff id of whoever changed the action before approving it. */
    editedBy: text("edited_by"),
    /** A change of authority that one admin alone asked for takes effect then, unless cancelled. */
    approvesItselfAt: instant("approves_itself_at"),
    /** Head of the sealed trail when people were asked; stands on the card, outside the database. */
    auditHead: text("audit_head"),
    mac: mac(),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("approval_queue_number").on(t.tenantId, t.number),
    uniqueIndex("approval_queue_business_key")
      .on(t.tenantId, t.businessKey)
      .where(sql`business_key is not null and status in ('pending', 'frozen')`),
    index("approval_queue_open").on(t.nextStepAt).where(sql`status in ('pending', 'frozen')`),
    index("approval_queue_conversation").on(t.tenantId, t.conversationId),
  ],
);

/** One person's decision. A person counts once, whatever account was used. */
export const approvalVotes = pgTable(
  "approval_votes",
  {
    id: id(),
    tenantId: tenantId(),
    approvalId: text("approval_id").notNull(),
    staffId: text("staff_id").notNull(),
    decision: text("decision").$type<"approve" | "reject">().notNull(),
    reason: text("reason"),
    via: text("via").$type<DecisionVia>().notNull(),
    /** What the person decided on: of an edited action the earlier votes do not count. */
    actionDigest: text("action_digest").notNull(),
    /** It counts no longer: the action was edited, or the person suspended before it was sent. */
    voidedAt: instant("voided_at"),
    mac: mac(),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("approval_votes_person")
      .on(t.tenantId, t.approvalId, t.staffId)
      .where(sql`voided_at is null`),
  ],
);

/** Where a card stands, so that it can be edited after a decision. */
export const approvalCards = pgTable(
  "approval_cards",
  {
    id: id(),
    tenantId: tenantId(),
    approvalId: text("approval_id").notNull(),
    outboxId: text("outbox_id").notNull(),
    channelId: text("channel_id").notNull(),
    chatId: text("chat_id").notNull(),
    externalId: text("external_id"),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [index("approval_cards_approval").on(t.tenantId, t.approvalId)],
);

/** One request in a digest; `inBulk`: the button for many grants it, too. */
export interface DigestItem {
  approvalId: string;
  /** Of its action when it was shown. */
  actionDigest: string;
  inBulk: boolean;
}

/** Where the card of a digest stands. */
export interface DigestCard {
  outboxId: string;
  channelId: string;
  chatId: string;
}

/** One card for many pending requests; a button for all of them is bound to exactly these. */
export const approvalDigests = pgTable(
  "approval_digests",
  {
    id: id(),
    tenantId: tenantId(),
    itemsJson: jsonb("items_json").$type<DigestItem[]>().notNull(),
    /** The same for all states of a card; none: it was an answer to one person. */
    cardsJson: jsonb("cards_json").$type<DigestCard[]>().notNull().default([]),
    /** When the card was first posted; null: never. */
    postedAt: instant("posted_at"),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [index("approval_digests_posted").on(t.tenantId, t.postedAt)],
);
