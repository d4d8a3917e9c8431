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
import type { InboundEvent, Media, MessengerName } from "../../domain/inbound.ts";
import type { Language } from "../../domain/language.ts";
import type { Outgoing } from "../../domain/messenger.ts";
import { id, instant, mac, tenantId } from "./columns.ts";

export const contacts = pgTable("contacts", {
  id: id(),
  tenantId: tenantId(),
  name: text("name").notNull(),
  /** What is known of the person, e.g. `exchangeKyc: {status, verificationId}`. */
  attributes: jsonb("attributes").$type<Record<string, unknown>>().notNull().default({}),
  email: text("email"),
  /** The address is known to be the person's: mail to it may be proposed. */
  emailVerifiedAt: instant("email_verified_at"),
  blockedAt: instant("blocked_at"),
  createdAt: instant("created_at").notNull(),
});

/** The customer's card, field by field. */
export const contactAttributes = pgTable(
  "contact_attributes",
  {
    tenantId: tenantId(),
    contactId: text("contact_id").notNull(),
    name: text("name").notNull(),
    value: text("value").notNull(),
    /** Staff id of the approver, contact id, or `setup`. */
    updatedBy: text("updated_by").notNull(),
    updatedAt: instant("updated_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.contactId, t.name] })],
);

/** Things to do that the bot drafted; people take them up or throw them away. */
export const tasks = pgTable(
  "tasks",
  {
    id: id(),
    tenantId: tenantId(),
    /** Spoken as T-5. */
    number: integer("number").notNull(),
    conversationId: text("conversation_id").notNull(),
    contactId: text("contact_id").notNull(),
    title: text("title").notNull(),
    description: text("description").notNull(),
    priority: text("priority").$type<"low" | "normal" | "high">().notNull(),
    dueDate: text("due_date"),
    status: text("status").$type<"draft" | "open" | "done" | "dropped">().notNull(),
    candidateId: text("candidate_id").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("tasks_number").on(t.tenantId, t.number),
    index("tasks_conversation").on(t.tenantId, t.conversationId),
  ],
);

export const contactIdentities = pgTable(
  "contact_identities",
  {
    id: id(),
    tenantId: tenantId(),
    contactId: text("contact_id").notNull(),
    messenger: text("messenger").$type<MessengerName>().notNull(),
    teamId: text("team_id").notNull().default(""),
    userId: text("user_id").notNull(),
    /** Whose account it is: nobody decides on what he asked for as a client. */
    mac: mac(),
  },
  (t) => [uniqueIndex("contact_identities_user").on(t.tenantId, t.messenger, t.teamId, t.userId)],
);

export const conversations = pgTable(
  "conversations",
  {
    id: id(),
    tenantId: tenantId(),
    contactId: text("contact_id").notNull(),
    channelId: text("channel_id").notNull(),
    messenger: text("messenger").$type<MessengerName>().notNull(),
    chatId: text("chat_id").notNull(),
    stage: text("stage").notNull().default("exchange_request"),
    mode: text("mode").$type<"bot" | "operator">().notNull().default("bot"),
    language: text("language").$type<Language>().notNull(),
    /** Over whose conversation it is, and where: a payout's code goes to no other chat. */
    mac: mac(),
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
  },
  (t) => [
    uniqueIndex("conversations_chat").on(t.tenantId, t.channelId, t.chatId),
    index("conversations_contact").on(t.tenantId, t.contactId),
  ],
);

/** What stands in a conversation, in order of `seq`. Prompts are projected from these rows. */
export const messages = pgTable(
  "messages",
  {
    id: id(),
    tenantId: tenantId(),
    seq: bigint("seq", { mode: "number" }).generatedAlwaysAsIdentity().notNull(),
    conversationId: text("conversation_id").notNull(),
    author: text("author").$type<"lead" | "bot" | "staff" | "system">().notNull(),
    /** `calls`: the model asked for tools; `event`: a system line about an outcome. */
    kind: text("kind").$type<"text" | "calls" | "event">().notNull(),
    text: text("text").notNull(),
    media: jsonb("media").$type<Media[]>().notNull().default([]),
    status: text("status").$type<"kept" | "superseded">().notNull().default("kept"),
    runId: text("run_id"),
    externalId: text("external_id"),
    /** When the lead wrote it, by the messenger's clock; `createdAt` is when it came in. */
    sentAt: instant("sent_at"),
    /** The lead changed the text in the messenger; `text` is the newest. */
    editedAt: instant("edited_at"),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    index("messages_conversation").on(t.tenantId, t.conversationId, t.seq),
    uniqueIndex("messages_external")
      .on(t.tenantId, t.conversationId, t.externalId)
      .where(sql`external_id is not null and author = 'lead'`),
  ],
);

/** Every event of a messenger, written before it is acknowledged. */
export const inbox = pgTable(
  "inbox",
  {
    id: id(),
    tenantId: tenantId(),
    channelId: text("channel_id").notNull(),
    eventKey: text("event_key").notNull(),
    kind: text("kind").$type<InboundEvent["kind"]>().notNull(),
    payload: jsonb("payload").$type<InboundEvent>().notNull(),
    status: text("status").$type<"new" | "done" | "ignored">().notNull(),
    attempts: integer("attempts").notNull().default(0),
    /** What the person was answered in private; kept so that doing it twice answers the same. */
    answer: jsonb("answer").$type<{ text: string; alert?: boolean }>(),
    receivedAt: instant("received_at").notNull(),
    doneAt: instant("done_at"),
    mac: mac(),
  },
  (t) => [
    uniqueIndex("inbox_event").on(t.channelId, t.eventKey),
    index("inbox_new").on(t.receivedAt).where(sql`status = 'new'`),
  ],
);

/** What must be sent or edited. Sent in order of `seq` within one chat. */
export const outbox = pgTable(
  "outbox",
  {
    id: id(),
    tenantId: tenantId(),
    seq: bigint("seq", { mode: "number" }).generatedAlwaysAsIdentity().notNull(),
    channelId: text("channel_id").notNull(),
    chatId: text("chat_id").notNull(),
    threadId: text("thread_id"),
    purpose: text("purpose")
      .$type<"reply" | "notice" | "card" | "card_edit" | "mirror">()
      .notNull(),
    content: jsonb("content").$type<Outgoing>().notNull(),
    status: text("status")
      .$type<"queued" | "sending" | "sent" | "uncertain" | "failed" | "cancelled">()
      .notNull(),
    attempts: integer("attempts").notNull().default(0),
    dueAt: instant("due_at").notNull(),
    leaseToken: text("lease_token"),
    /** Real time. */
    leaseUntil: instant("lease_until"),
    /** Parts already sent, so that a retry goes on after them. */
    externalIds: jsonb("external_ids").$type<string[]>().notNull().default([]),
    conversationId: text("conversation_id"),
    messageId: text("message_id"),
    approvalId: text("approval_id"),
    /** The card of a request for a person. */
    handoffId: text("handoff_id"),
    /** Sent into this thread, whose id in the messenger may not be known yet. */
    reviewThreadId: text("review_thread_id"),
    lastError: text("last_error"),
    createdAt: instant("created_at").notNull(),
    sentAt: instant("sent_at"),
  },
  (t) => [
    index("outbox_open")
      .on(t.channelId, t.chatId, t.seq)
      .where(sql`status in ('queued', 'sending')`),
    index("outbox_approval").on(t.tenantId, t.approvalId),
    index("outbox_handoff").on(t.tenantId, t.handoffId).where(sql`handoff_id is not null`),
    index("outbox_shown")
      .on(t.tenantId, t.channelId, t.chatId, t.seq)
      .where(sql`message_id is not null`),
    index("outbox_message").on(t.tenantId, t.messageId).where(sql`message_id is not null`),
  ],
);

export const handoffs = pgTable(
  "handoffs",
  {
    id: id(),
    tenantId: tenantId(),
    conversationId: text("conversation_id").notNull(),
    reason: text("reason").notNull(),
    orderId: text("order_id"),
    summary: text("summary").notNull(),
    status: text("status").$type<"open" | "accepted" | "closed">().notNull(),
    createdAt: instant("created_at").notNull(),
    closedAt: instant("closed_at"),
  },
  (t) => [index("handoffs_conversation").on(t.tenantId, t.conversationId)],
);

/** Where a conversation is mirrored for the staff: a thread in Slack, a topic in Telegram. */
export const reviewThreads = pgTable(
  "review_threads",
  {
    id: id(),
    tenantId: tenantId(),
    conversationId: text("conversation_id").notNull(),
    channelId: text("channel_id").notNull(),
    messenger: text("messenger").$type<MessengerName>().notNull(),
    chatId: text("chat_id").notNull(),
    /** The thread's id in the messenger; null until it is opened, and where threads do not exist. */
    threadId: text("thread_id"),
    status: text("status").$type<"opening" | "open" | "flat">().notNull(),
    /** The newest of the lead's messages that stands there. */
    mirroredSeq: bigint("mirrored_seq", { mode: "number" }).notNull().default(0),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("review_threads_place").on(t.tenantId, t.conversationId, t.channelId, t.chatId),
  ],
);
