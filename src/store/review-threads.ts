import { and, eq, sql } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import type { MessengerName } from "../domain/inbound.ts";
import type { Language } from "../domain/language.ts";
import type { Outgoing } from "../domain/messenger.ts";
import type { Tx } from "./db.ts";
import { verified } from "./row-mac.ts";
import { contacts, conversations, reviewThreads } from "./schema/chat.ts";
import { destinations, tenants } from "./schema/tenancy.ts";

interface ConversationRef {
  tenantId: string;
  conversationId: string;
}

/** A chat in which a conversation is mirrored, and its thread there when one was made. */
export interface ReviewPlace {
  channelId: string;
  messenger: MessengerName;
  chatId: string;
  thread: { id: string; mirroredSeq: number } | null;
  /** Where the client is written to. */
  lead: { channelId: string; chatId: string; messenger: MessengerName; name: string };
  /** What the staff read. */
  language: Language;
}

/** Every review chat of the tenant, as it stands for one conversation. */
export async function reviewPlaces(tx: Tx, of: ConversationRef): Promise<ReviewPlace[]> {
  const rows = await tx
    .select({
      place: destinations,
      threadId: reviewThreads.id,
      mirroredSeq: reviewThreads.mirroredSeq,
      leadChannelId: conversations.channelId,
      leadChatId: conversations.chatId,
      leadMessenger: conversations.messenger,
      name: contacts.name,
      language: tenants.language,
    })
    .from(destinations)
    .innerJoin(tenants, eq(tenants.id, destinations.tenantId))
    .innerJoin(
      conversations,
      and(eq(conversations.tenantId, of.tenantId), eq(conversations.id, of.conversationId)),
    )
    .innerJoin(
      contacts,
      and(eq(contacts.tenantId, of.tenantId), eq(contacts.id, conversations.contactId)),
    )
    .leftJoin(
      reviewThreads,
      and(
        eq(reviewThreads.tenantId, of.tenantId),
        eq(reviewThreads.conversationId, of.conversationId),
        eq(reviewThreads.channelId, destinations.channelId),
        eq(reviewThreads.chatId, destinations.chatId),
      ),
    )
    .where(and(eq(destinations.tenantId, of.tenantId), eq(destinations.purpose, "review")))
    .orderBy(destinations.createdAt, destinations.id);
  const own = rows.filter(({ place }) => verified(tx, "destinations", place));
  return own.map(({ threadId, mirroredSeq, place, ...row }) => ({
    channelId: place.channelId,
    messenger: place.messenger,
    chatId: place.chatId,
    thread: threadId === null || mirroredSeq === null ? null : { id: threadId, mirroredSeq },
    lead: {
      channelId: row.leadChannelId,
      chatId: row.leadChatId,
      messenger: row.leadMessenger,
      name: row.name,
    },
    language: row.language,
  }));
}

/** Makes the row of a thread that is still to be opened; null: somebody was faster. */
export async function addReviewThread(
  tx: Tx,
  thread: ConversationRef & {
    place: Pick<ReviewPlace, "channelId" | "messenger" | "chatId">;
    mirroredSeq: number;
    now: number;
  },
): Promise<string | null> {
  const { tenantId, conversationId, mirroredSeq, now } = thread;
  const { channelId, messenger, chatId } = thread.place;
  const added = await tx
    .insert(reviewThreads)
    .values({
      ...{ id: newId(), tenantId, conversationId, channelId, messenger, chatId },
      ...{ status: "opening" as const, mirroredSeq, createdAt: now },
    })
    .onConflictDoNothing()
    .returning({ id: reviewThreads.id });
  return added[0]?.id ?? null;
}

/** What opens the thread: named after the client and the messenger they write in. */
export function threadOpening(client: {
  name: string;
  messenger: MessengerName;
}): Extract<Outgoing, { kind: "thread" }> {
  const messenger = client.messenger === "telegram" ? "Telegram" : "Slack";
  // the messenger's name stands at the end and must not be cut off
  const name = Array.from(client.name).slice(0, 100).join("");
  return { kind: "thread", title: `${name} · ${messenger}` };
}

/** A thread as delivery needs it. */
export interface ReviewThread {
  status: "opening" | "open" | "flat";
  threadId: string | null;
  client: { name: string; messenger: MessengerName };
}

/** null: it could not be opened, and is made anew with the next thing to show. */
export async function reviewThreadById(
  tx: Tx,
  tenantId: string,
  id: string,
): Promise<ReviewThread | null> {
  const rows = await tx
    .select({
      status: reviewThreads.status,
      threadId: reviewThreads.threadId,
      name: contacts.name,
      messenger: conversations.messenger,
    })
    .from(reviewThreads)
    .innerJoin(
      conversations,
      and(eq(conversations.tenantId, tenantId), eq(conversations.id, reviewThreads.conversationId)),
    )
    .innerJoin(
      contacts,
      and(eq(contacts.tenantId, tenantId), eq(contacts.id, conversations.contactId)),
    )
    .where(and(eq(reviewThreads.tenantId, tenantId), eq(reviewThreads.id, id)));
  const row = rows[0];
  if (!row) return null;
  const { status, threadId, name, messenger } = row;
  return { status, threadId, client: { name, messenger } };
}

/** The thread is open (or, `flat`, there can be none), or must be opened again. */
export async function setReviewThread(
  tx: Tx,
  ref: { tenantId: string; id: string },
  state: Pick<ReviewThread, "status" | "threadId">,
): Promise<void> {
  const { status, threadId } = state;
  await tx.update(reviewThreads).set({ status, threadId }).where(thread(ref));
}

/** It could not be opened: the next thing to show tries anew. */
export async function dropReviewThread(
  tx: Tx,
  ref: { tenantId: string; id: string },
): Promise<void> {
  await tx.delete(reviewThreads).where(thread(ref));
}

/** Topics do not move with a group; the threads of a chat that moved begin anew there. */
export async function moveReviewThreads(
  tx: Tx,
  chat: { tenantId: string; channelId: string; chatId: string },
  toChatId: string,
): Promise<void> {
  const { tenantId, channelId, chatId } = chat;
  const old = and(
    eq(reviewThreads.tenantId, tenantId),
    eq(reviewThreads.channelId, channelId),
    eq(reviewThreads.chatId, chatId),
  );
  await tx.delete(reviewThreads).where(
    and(
      old,
      sql`exists (select 1 from review_threads r where r.tenant_id = ${tenantId}
        and r.conversation_id = review_threads.conversation_id
        and r.channel_id = ${channelId} and r.chat_id = ${toChatId})`,
    ),
  );
  await tx.update(reviewThreads).set({ chatId: toChatId }).where(old);
}

function thread({ tenantId, id }: { tenantId: string; id: string }) {
  return and(eq(reviewThreads.tenantId, tenantId), eq(reviewThreads.id, id));
}
