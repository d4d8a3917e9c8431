import { and, eq, sql } from "drizzle-orm";
import type { DeskAnswer } from "../domain/desk.ts";
import { newId } from "../domain/ids.ts";
import type {
  CommandEvent,
  EditEvent,
  InboundEvent,
  MembershipEvent,
  MessageEvent,
  MovedEvent,
} from "../domain/inbound.ts";
import type { Jobs } from "../domain/jobs.ts";
import { type Language, languageOf, languageOfCode } from "../domain/language.ts";
import type { Clock } from "../lib/clock.ts";
import { writeAudit } from "./audit.ts";
import { accountHolder, insertAccount } from "./contact-accounts.ts";
import { SIGNED_PLACE } from "./conversations.ts";
import { type Db, sqlState, type Tx, UNIQUE_VIOLATION, withTenant } from "./db.ts";
import { HANDLED } from "./inbox.ts";
import { mirrorLead } from "./mirror-lead.ts";
import { moveChat } from "./move-chat.ts";
import { orderAlbum } from "./order-album.ts";
import { queueRun } from "./queue-run.ts";
import { applyEdit } from "./receive-edit.ts";
import { macOf, verified } from "./row-mac.ts";
import { contacts, conversations, inbox, messages } from "./schema/chat.ts";
import { findStaffByIdentity } from "./staff.ts";
import { storable } from "./storable.ts";
import { isUnchangedCommand } from "./unchanged-command.ts";

/** What storing an event needs; both hooks run in its transaction. */
export interface ReceiveContext {
  db: Db;
  jobs: Jobs<Tx>;
  clock: Clock;
  /** Quiet time after a lead's last message before the run starts, milliseconds. */
  coalesceMs: number;
  /** A lead's words, before anything of the conversation is locked: they may stop what waits. */
  heed?(
    tx: Tx,
    said: { tenantId: string; channelId: string; chatId: string; text: string; editOf?: string },
  ): Promise<void>;
  /** The person blocked the bot. */
  onBlocked?(tx: Tx, who: { tenantId: string; contactId: string }): Promise<void>;
}

/** Said after the commit: the event is stored, whatever comes of it. */
export type Received =
  /** A lead's message or a change of one: its run is queued, nothing else to do. */
  | { kind: "run"; inboxId: string }
  /**
   * A click, command, form or reaction: call `Desk.handle` with this id now. `command`: what a
   * message turned out to be.
   */
  | { kind: "desk"; inboxId: string; command?: CommandEvent }
  /** What it says is written, nothing follows from it. */
  | { kind: "done"; inboxId: string }
  /** Stored, nobody acts on it. */
  | { kind: "ignored"; inboxId: string }
  /** Seen before. `answer` is what was answered then, when the desk had answered. */
  | { kind: "duplicate"; inboxId: string; answer: DeskAnswer | null };

/**
 * The one way in: inbox row, contact, conversation, message, run and job in one transaction.
 * The caller acknowledges to the messenger only after this resolved.
 */
export async function receive(
  context: ReceiveContext,
  tenantId: string,
  event: InboundEvent,
): Promise<Received> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await receiveOnce(context, tenantId, event);
    } catch (error) {
      // two first messages of one person at once: the second finds what the first made
      if (sqlState(error) !== UNIQUE_VIOLATION || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}

const MOST_ATTEMPTS = 3;

function receiveOnce(
  context: ReceiveContext,
  tenantId: string,
  event: InboundEvent,
): Promise<Received> {
  return withTenant(context.db, tenantId, async (tx) => {
    const clean = storable(event);
    const inboxId = newId();
    const row = inboxRow(tenantId, inboxId, clean);
    const receivedAt = context.clock.now();
    const inserted = await tx
      .insert(inbox)
      .values({ ...row, status: "new", receivedAt, mac: macOf(tx, "inbox", row) })
      .onConflictDoNothing()
      .returning({ id: inbox.id });
    if (inserted.length === 0) return duplicateOf(tx, clean);
    return route({ tx, context, tenantId, inboxId }, clean);
  });
}

function inboxRow(tenantId: string, id: string, event: InboundEvent) {
  const { channelId, eventKey, kind } = event;
  return { id, tenantId, channelId, eventKey, kind, payload: event };
}

interface Step {
  tx: Tx;
  context: ReceiveContext;
  tenantId: string;
  inboxId: string;
}

async function route(step: Step, event: InboundEvent): Promise<Received> {
  const { inboxId } = step;
  switch (event.kind) {
    case "message": {
      const command = await staffCommand(step, event);
      if (command) return toDesk(step, command);
      if (event.isPassedOn && (await isOfStaff(step, event))) return ignore(step);
      return (await attach(step, event)) ? { kind: "run", inboxId } : ignore(step);
    }
    case "edit":
      return edit(step, event);
    case "membership":
      await markMembership(step, event);
      return ignore(step);
    case "moved":
      await move(step, event);
      return { kind: "done", inboxId };
    case "command":
      return (await isUnchangedCommand(step.tx, step.tenantId, event))
        ? ignore(step)
        : toDesk(step);
    case "reaction":
    case "click":
    case "submission":
      return toDesk(step);
    default:
      return event satisfies never;
  }
}

async function toDesk(step: Step, command?: CommandEvent): Promise<Received> {
  const { tx, context, tenantId, inboxId } = step;
  // the net for a process that dies before the desk answered
  await context.jobs.enqueue(tx, "desk", { tenantId, id: inboxId }, 2000);
  return { kind: "desk", inboxId, ...(command ? { command } : {}) };
}

/** A slash word that no lead's message is: one of the staff wrote it. Its inbox row says so then. */
async function staffCommand(
  { tx, tenantId, inboxId }: Step,
  event: MessageEvent,
): Promise<CommandEvent | null> {
  const { slashWord, externalId: _id, text: _text, media, replyToId: _reply, ...origin } = event;
  if (!slashWord || media.length > 0) return null;
  if (!(await isOfStaff({ tx, tenantId }, event))) return null;
  const command: CommandEvent = { ...origin, ...slashWord, kind: "command" };
  const row = inboxRow(tenantId, inboxId, command);
  await tx
    .update(inbox)
    .set({ kind: row.kind, payload: command, mac: macOf(tx, "inbox", row) })
    .where(and(eq(inbox.tenantId, tenantId), eq(inbox.id, inboxId)));
  return command;
}

async function isOfStaff(
  { tx, tenantId }: Pick<Step, "tx" | "tenantId">,
  { messenger, person }: MessageEvent,
): Promise<boolean> {
  if (person.isBot) return false;
  const who = { tenantId, messenger, teamId: person.teamId, userId: person.id };
  return (await findStaffByIdentity(tx, who))?.status === "active";
}

/** Files of an album come one by one, without a sign of the last. */
const ALBUM_QUIET_MS = 1000;

/** Only private chats are conversations; false when nothing new was attached. */
async function attach(step: Step, event: MessageEvent): Promise<boolean> {
  if (event.chatKind !== "private" || event.person.isBot) return false;
  const { tx, context, tenantId } = step;
  const now = context.clock.now();
  await heed(step, event);
  const contactId = await contactOf(step, event);
  const conversation = contactId && (await conversationOf(step, event, contactId));
  if (!conversation) return false;
  const language = languageOf(event.text, conversation.language);
  const added = await tx
    .insert(messages)
    .values({
      id: newId(),
      tenantId,
      conversationId: conversation.id,
      author: "lead",
      kind: "text",
      text: event.text,
      media: event.media,
      externalId: event.externalId,
      sentAt: event.sentAt,
      createdAt: now,
    })
    .onConflictDoNothing()
    .returning({ seq: messages.seq });
  if (added.length === 0) return false; // the same message under another event
  const takenIn = tx
    .update(conversations)
    .set({ language, updatedAt: now })
    .where(and(eq(conversations.tenantId, tenantId), eq(conversations.id, conversation.id)));
  const album = event.media[0]?.album;
  const { externalId } = event;
  if (album !== undefined)
    await orderAlbum(tx, { tenantId, conversationId: conversation.id, externalId, album });
  const follows = () =>
    conversation.mode === "bot"
      ? queueRun(tx, {
          jobs: context.jobs,
          tenantId,
          conversationId: conversation.id,
          now,
          coalesceMs: Math.max(context.coalesceMs, album === undefined ? 0 : ALBUM_QUIET_MS),
        })
      : showStaff(step, conversation.id, added[0]?.seq ?? 0);
  await Promise.all([takenIn, finishInbox(step, "done"), follows()]);
  return true;
}

async function heed({ tx, context, tenantId }: Step, said: MessageEvent | EditEvent) {
  const { channelId, chatId, text } = said;
  const change = said.kind === "edit" ? { editOf: said.externalId } : {};
  await context.heed?.(tx, { tenantId, channelId, chatId, text, ...change });
}

/** No reply of the bot will show it: a person speaks with the lead. */
function showStaff({ tx, context, tenantId }: Step, conversationId: string, upToSeq: number) {
  const write = { jobs: context.jobs, tenantId, now: context.clock.now() };
  return mirrorLead(tx, write, { conversationId, upToSeq });
}

/** How long an edit may be on its way before the message itself, which is then delivered again. */
const OVERTAKES_WITHIN_MS = 15 * 60_000;

async function edit(step: Step, event: EditEvent): Promise<Received> {
  const { tx, context, tenantId, inboxId } = step;
  if (event.chatKind !== "private" || event.person.isBot) return ignore(step);
  const { jobs, coalesceMs } = context;
  const now = context.clock.now();
  await heed(step, event);
  const edited = await applyEdit(tx, { tenantId, jobs, now, coalesceMs }, event);
  if (edited === "unchanged") return ignore(step);
  if (edited === "unknown") {
    // an old message that nobody knows is no news; a fresh one was overtaken by its edit
    if (now - event.writtenAt > OVERTAKES_WITHIN_MS) return ignore(step);
    const message: MessageEvent = { ...event, kind: "message", replyToId: null };
    return (await attach(step, message)) ? { kind: "run", inboxId } : ignore(step);
  }
  await finishInbox(step, "done");
  return { kind: edited === "run" ? "run" : "done", inboxId };
}

/** Told by both chats and by the next refused send: whoever is first moves it. */
async function move(step: Step, event: MovedEvent): Promise<void> {
  const { tx, context, tenantId } = step;
  const { channelId, chatId, toChatId } = event;
  await moveChat(tx, { tenantId, channelId, chatId }, toChatId);
  context.jobs.wakeDelivery(tx);
  await writeAudit(tx, [
    {
      tenantId,
      eventType: "chat.moved",
      summary: `${event.messenger} chat ${chatId} has the id ${toChatId} from now on`,
      createdAt: context.clock.now(),
    },
  ]);
  await finishInbox(step, "done");
}

/** null: something else than the product gave the account to somebody; nobody is served by it. */
async function contactOf(
  step: Step,
  event: MessageEvent | MembershipEvent,
): Promise<string | null> {
  const { tx, context, tenantId } = step;
  const { messenger, person } = event;
  const account = { tenantId, messenger, teamId: person.teamId, userId: person.id };
  const found = await accountHolder(tx, account);
  if (found === "forged") return null;
  if (found) {
    const { contactId } = found;
    // a message from a person who had blocked the bot means that the block is over
    await tx
      .update(contacts)
      .set({ blockedAt: null })
      .where(
        and(
          eq(contacts.tenantId, tenantId),
          eq(contacts.id, contactId),
          sql`blocked_at is not null`,
        ),
      );
    return contactId;
  }
  const contactId = newId();
  await Promise.all([
    tx
      .insert(contacts)
      .values({ id: contactId, tenantId, name: person.name, createdAt: context.clock.now() }),
    insertAccount(tx, { ...account, contactId }),
  ]);
  return contactId;
}

interface Attached {
  id: string;
  language: Language;
  mode: "bot" | "operator";
}

async function conversationOf(
  step: Step,
  event: MessageEvent,
  contactId: string,
): Promise<Attached | null> {
  const { tx, context, tenantId } = step;
  const now = context.clock.now();
  const columns = {
    ...SIGNED_PLACE,
    language: conversations.language,
    mode: conversations.mode,
  };
  const { channelId, messenger, chatId } = event;
  const place = { id: newId(), tenantId, contactId, channelId, messenger, chatId };
  const inserted = tx
    .insert(conversations)
    .values({
      ...place,
      mac: macOf(tx, "conversations", place),
      language: languageOf(event.text, languageOfCode(event.person.languageCode) ?? "en"),
      createdAt: now,
      updatedAt: now,
    })
    .onConflictDoNothing();
  // locks the conversation: two messages at once queue one run
  const locked = tx
    .select(columns)
    .from(conversations)
    .where(
      and(
        eq(conversations.tenantId, tenantId),
        eq(conversations.channelId, event.channelId),
        eq(conversations.chatId, event.chatId),
      ),
    )
    .for("update");
  const [, [row]] = await Promise.all([inserted, locked]);
  if (!row) throw new Error("a conversation that was just inserted is missing");
  return verified(tx, "conversations", row);
}

async function markMembership(step: Step, event: MembershipEvent): Promise<void> {
  if (event.chatKind !== "private") return;
  if (event.change !== "blocked" && event.change !== "unblocked") return;
  const contactId = await contactOf(step, event);
  if (contactId === null) return;
  const blockedAt = event.change === "blocked" ? step.context.clock.now() : null;
  // first, so that requests are locked before the contact, as a decision does
  if (blockedAt !== null)
    await step.context.onBlocked?.(step.tx, { tenantId: step.tenantId, contactId });
  await step.tx
    .update(contacts)
    .set({ blockedAt })
    .where(and(eq(contacts.tenantId, step.tenantId), eq(contacts.id, contactId)));
}

async function ignore(step: Step): Promise<Received> {
  await finishInbox(step, "ignored");
  return { kind: "ignored", inboxId: step.inboxId };
}

async function finishInbox(step: Step, status: "done" | "ignored"): Promise<void> {
  await step.tx
    .update(inbox)
    .set({ status, doneAt: step.context.clock.now(), mac: HANDLED })
    .where(and(eq(inbox.tenantId, step.tenantId), eq(inbox.id, step.inboxId)));
}

async function duplicateOf(tx: Tx, event: InboundEvent): Promise<Received> {
  const rows = await tx
    .select({ id: inbox.id, answer: inbox.answer })
    .from(inbox)
    .where(and(eq(inbox.channelId, event.channelId), eq(inbox.eventKey, event.eventKey)));
  return { kind: "duplicate", inboxId: rows[0]?.id ?? "", answer: rows[0]?.answer ?? null };
}
