import { sql } from "drizzle-orm";
import {
  bigint,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import type { MessengerName } from "../../domain/inbound.ts";
import { bytea } from "./bytea.ts";
import { id, instant, mac, tenantId } from "./columns.ts";

/** One row: which world this database belongs to. Not a tenant table. */
export const appState = pgTable("app_state", {
  name: text("name").primaryKey(),
  value: text("value").notNull(),
});

export const tenants = pgTable("tenants", {
  id: id(),
  name: text("name").notNull(),
  state: text("state").$type<"setup" | "open">().notNull().default("setup"),
  /** The role in which a lead's run acts. */
  agentRole: text("agent_role").notNull().default("support"),
  language: text("language").$type<"ru" | "en">().notNull().default("en"),
  openedAt: instant("opened_at"),
  /** No effect that pays out is dispatched while this is set. */
  payoutsStoppedAt: instant("payouts_stopped_at"),
  /** For people: why, and what to do before payouts go on. */
  payoutsStoppedReason: text("payouts_stopped_reason"),
  /** No new order is made while this is set. */
  ordersStoppedAt: instant("orders_stopped_at"),
  ordersStoppedReason: text("orders_stopped_reason"),
  /** Over the state: a tenant that is set up follows looser rules. */
  mac: mac(),
  createdAt: instant("created_at").notNull(),
});

/** A bot account of a tenant. Not a tenant table: it tells which tenant an update belongs to. */
export const channels = pgTable("channels", {
  id: id(),
  tenantId: tenantId(),
  messenger: text("messenger").$type<MessengerName>().notNull(),
  botUserId: text("bot_user_id"),
  createdAt: instant("created_at").notNull(),
});

/** Chats that serve the staff: where cards go, where conversations are mirrored. */
export const destinations = pgTable(
  "destinations",
  {
    id: id(),
    tenantId: tenantId(),
    channelId: text("channel_id").notNull(),
    messenger: text("messenger").$type<MessengerName>().notNull(),
    chatId: text("chat_id").notNull(),
    purpose: text("purpose").$type<"operators" | "review" | "kyc">().notNull(),
    /** What the environment named goes when it names it no longer. */
    source: text("source").$type<"environment" | "setup">().notNull().default("setup"),
    /** The id before the chat moved: the environment may still name it so. */
    movedFrom: text("moved_from"),
    mac: mac(),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [uniqueIndex("destinations_chat").on(t.tenantId, t.messenger, t.chatId, t.purpose)],
);

export const staff = pgTable("staff", {
  id: id(),
  tenantId: tenantId(),
  /** As exports name the person. */
  number: bigint("number", { mode: "number" }).notNull().generatedByDefaultAsIdentity(),
  name: text("name").notNull(),
  role: text("role").$type<"operator" | "admin">().notNull(),
  status: text("status").$type<"active" | "suspended">().notNull().default("active"),
  suspendedAt: instant("suspended_at"),
  /** Staff id, or `setup`. */
  suspendedBy: text("suspended_by"),
  mac: mac(),
  createdAt: instant("created_at").notNull(),
});

/** A messenger account of a staff member. One person may have several. */
export const staffIdentities = pgTable(
  "staff_identities",
  {
    id: id(),
    tenantId: tenantId(),
    staffId: text("staff_id").notNull(),
    messenger: text("messenger").$type<MessengerName>().notNull(),
    /** Slack workspace; empty in Telegram. */
    teamId: text("team_id").notNull().default(""),
    userId: text("user_id").notNull(),
    mac: mac(),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [uniqueIndex("staff_identities_user").on(t.tenantId, t.messenger, t.teamId, t.userId)],
);

/** Not a tenant table: the token tells the tenant. Only hashes are kept. */
export const apiTokens = pgTable(
  "api_tokens",
  {
    id: id(),
    kind: text("kind").$type<"setup" | "personal">().notNull(),
    tenantId: text("tenant_id"),
    staffId: text("staff_id"),
    tokenHash: text("token_hash").notNull(),
    expiresAt: instant("expires_at"),
    revokedAt: instant("revoked_at"),
    mac: mac(),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [uniqueIndex("api_tokens_hash").on(t.tokenHash)],
);

/** AES-256-GCM; the additional data binds a value to its tenant, name and version. */
export const tenantSecrets = pgTable(
  "tenant_secrets",
  {
    tenantId: tenantId(),
    name: text("name").notNull(),
    version: integer("version").notNull(),
    ciphertext: bytea("ciphertext").notNull(),
    updatedBy: text("updated_by").notNull(),
    updatedAt: instant("updated_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.name] })],
);

/** Which rows a tenant has in a table: one that somebody deletes is missed. */
export const rowLists = pgTable(
  "row_lists",
  {
    tenantId: tenantId(),
    tableName: text("table_name").notNull(),
    /** Name of the row -> what it is for: a rule's tool ("": taken away), an account's staff member. */
    rows: jsonb("rows").$type<Record<string, string>>().notNull(),
    mac: mac(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.tableName] })],
);

/** Numbers people say aloud (A-17, EX-20418) count per tenant. */
export const counters = pgTable(
  "counters",
  {
    tenantId: tenantId(),
    name: text("name").notNull(),
    value: integer("value").notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.name] })],
);

export const auditLog = pgTable(
  "audit_log",
  {
    id: id(),
    tenantId: tenantId(),
    runId: text("run_id"),
    conversationId: text("conversation_id"),
    candidateId: text("candidate_id"),
    userId: text("user_id"),
    eventType: text("event_type").notNull(),
    toolName: text("tool_name"),
    decision: text("decision"),
    summary: text("summary").notNull(),
    refs: jsonb("refs").$type<Record<string, string>>().notNull().default({}),
    /** Which seal covers the row; null: none yet. The only column that is ever written later. */
    sealNumber: integer("seal_number"),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    index("audit_log_unsealed").on(t.tenantId, t.id).where(sql`seal_number is null`),
    index("audit_log_conversation").on(t.tenantId, t.conversationId, t.id),
    index("audit_log_time").on(t.tenantId, t.createdAt),
  ],
);

/** A batch of audit rows, chained: each seal's keyed hash covers its rows and the seal before. */
export const auditSeals = pgTable(
  "audit_seals",
  {
    tenantId: tenantId(),
    sealNumber: integer("seal_number").notNull(),
    /** Place of its first row in the tenant's trail, from 1. */
    firstIndex: integer("first_index").notNull(),
    /** Ids of its rows, in order. */
    rowIds: jsonb("row_ids").$type<string[]>().notNull(),
    /** A keyed hash of each row, in the same order: tells which one was changed. */
    rowMacs: jsonb("row_macs").$type<string[]>().notNull(),
    previousMac: text("previous_mac").notNull(),
    mac: text("mac").notNull(),
    sealedAt: instant("sealed_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.sealNumber] })],
);

/** When each process was last alive, real time. Not a tenant table. */
export const heartbeats = pgTable("heartbeats", {
  bootId: text("boot_id").primaryKey(),
  role: text("role").notNull(),
  startedAt: instant("started_at").notNull(),
  beatAt: instant("beat_at").notNull(),
});
