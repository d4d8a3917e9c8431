import { and, desc, eq, or, sql } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import type { EditEvent, Media } from "../domain/inbound.ts";
import type { Jobs } from "../domain/jobs.ts";
import { type Language, languageOf } from "../domain/language.ts";
import type { Tx } from "./db.ts";
import { queueRun } from "./queue-run.ts";
import { queuedRuns } from "./runs.ts";
import { conversations, messages } from "./schema/chat.ts";
import { isTakenIn } from "./taken-in.ts";
import { addMessage } from "./transcript.ts";

export interface EditContext {
  tenantId: string;
  jobs: Jobs<Tx>;
  now: number;
  coalesceMs: number;
}

/** `changed`: kept, and no run starts, as a person speaks with the lead. */
export type Edited = "unknown" | "unchanged" | "changed" | "run";

/**
 * A lead changed a message. Before anybody acted on it, the new text simply takes the place of the
 * old one; afterwards the old one is history, and the new one stands behind a line that says so.
 */
export async function applyEdit(tx: Tx, context: EditContext, event: EditEvent): Promise<Edited> {
  const { tenantId } = context;
  const conversation = await lockChat(tx, tenantId, event);
  const message = conversation && (await newestVersion(tx, tenantId, { conversation, event }));
  if (!conversation || !message) return "unknown";
  const files = event.media.filter((one) => !message.media.some((old) => isSameFile(old, one)));
  if (message.editedAt !== null && event.sentAt < message.editedAt) return "unchanged"; // overtaken
  // the messenger also says "edited" when only a link's preview or a reaction changed
  if (message.text === event.text && files.length === 0) return "unchanged";
  const seq = message.seq;
  const edit = { conversation, message, event, hasNewFiles: files.length > 0 };
  if (await isTakenIn(tx, { tenantId, conversationId: conversation.id, seq }))
    await addVersion(tx, context, edit);
  else await changeInPlace(tx, context, edit);
  await tx
    .update(conversations)
    .set({ language: languageOf(event.text, conversation.language), updatedAt: context.now })
    .where(and(eq(conversations.tenantId, tenantId), eq(conversations.id, conversation.id)));
  if (conversation.mode !== "bot") return "changed";
  await makeSureOfRun(tx, context, conversation.id);
  return "run";
}

interface Chat {
  id: string;
  mode: "bot" | "operator";
  language: Language;
}

interface Version {
  id: string;
  seq: number;
  text: string;
  media: Media[];
  externalId: string | null;
  editedAt: number | null;
  createdAt: number;
}

interface Edit {
  conversation: Chat;
  message: Version;
  event: EditEvent;
  hasNewFiles: boolean;
}

async function lockChat(tx: Tx, tenantId: string, event: EditEvent): Promise<Chat | null> {
  const rows = await tx
    .select({
      id: conversations.id,
      mode: conversations.mode,
      language: conversations.language,
    })
    .from(conversations)
    .where(
      and(
        eq(conversations.tenantId, tenantId),
        eq(conversations.channelId, event.channelId),
        eq(conversations.chatId, event.chatId),
      ),
    )
    .for("update");
  return rows[0] ?? null;
}

/** Between the messenger's id of a message and the number of one of its versions. */
const VERSION_MARK = "~";

/** What a message of the lead's says so far, and when it came in; null: nobody knows it. */
export async function knownWords(
  tx: Tx,
  tenantId: string,
  { conversationId, externalId }: { conversationId: string; externalId: string },
): Promise<{ text: string; createdAt: number } | null> {
  const of = { conversation: { id: conversationId }, event: { externalId } };
  return newestVersion(tx, tenantId, of);
}

async function newestVersion(
  tx: Tx,
  tenantId: string,
  { conversation, event }: { conversation: Pick<Chat, "id">; event: Pick<EditEvent, "externalId"> },
): Promise<Version | null> {
  const rows = await tx
    .select({
      id: messages.id,
      seq: messages.seq,
      text: messages.text,
      media: messages.media,
      externalId: messages.externalId,
      editedAt: messages.editedAt,
      createdAt: messages.createdAt,
    })
    .from(messages)
    .where(
      and(
        eq(messages.tenantId, tenantId),
        eq(messages.conversationId, conversation.id),
        eq(messages.author, "lead"),
        or(
          eq(messages.externalId, event.externalId),
          sql`starts_with(${messages.externalId}, ${event.externalId + VERSION_MARK})`,
        ),
      ),
    )
    .orderBy(desc(messages.seq))
    .limit(1);
  return rows[0] ?? null;
}

async function changeInPlace(tx: Tx, context: EditContext, edit: Edit): Promise<void> {
  const { externalId, media, sentAt } = edit.event;
  if (edit.hasNewFiles) await giveUpId(tx, context.tenantId, edit);
  await tx
    .update(messages)
    .set({
      text: edit.event.text,
      editedAt: sentAt,
      ...(edit.hasNewFiles ? { media, externalId } : {}),
    })
    .where(and(eq(messages.tenantId, context.tenantId), eq(messages.id, edit.message.id)));
}

/** What the model reads before the new text. It must not hold words of the lead's. */
const CHANGED_LINE =
  "The client changed an earlier message of theirs. The next message is its new text and takes the place of the old one, also where that was answered already; answer the new text.";

async function addVersion(tx: Tx, context: EditContext, edit: Edit): Promise<void> {
  const { tenantId, now } = context;
  const { conversation, event, hasNewFiles } = edit;
  const conversationId = conversation.id;
  await addMessage(tx, {
    tenantId,
    conversationId,
    author: "system",
    kind: "event",
    text: CHANGED_LINE,
    runId: null,
    now,
  });
  const id = newId();
  const versionId = `${event.externalId}${VERSION_MARK}${id}`;
  if (hasNewFiles) await giveUpId(tx, tenantId, edit);
  await tx.insert(messages).values({
    id,
    tenantId,
    conversationId,
    author: "lead",
    kind: "text",
    text: event.text,
    media: hasNewFiles ? event.media : event.media.map(asEarlier),
    externalId: hasNewFiles ? event.externalId : versionId,
    editedAt: event.sentAt,
    sentAt: event.sentAt,
    createdAt: now,
  });
}

/** The messenger's id leads to the files that the message has now: an older version loses it. */
async function giveUpId(tx: Tx, tenantId: string, { conversation, event }: Edit): Promise<void> {
  await tx
    .update(messages)
    .set({ externalId: sql`${messages.externalId} || ${VERSION_MARK} || ${messages.id}` })
    .where(
      and(
        eq(messages.tenantId, tenantId),
        eq(messages.conversationId, conversation.id),
        eq(messages.author, "lead"),
        eq(messages.externalId, event.externalId),
      ),
    );
}

async function makeSureOfRun(tx: Tx, context: EditContext, conversationId: string): Promise<void> {
  const { tenantId, jobs, now, coalesceMs } = context;
  const waiting = await queuedRuns(tx, tenantId, conversationId);
  if (waiting.some((run) => run.kind === "message")) return;
  await queueRun(tx, { jobs, tenantId, conversationId, now, coalesceMs });
}

/** The model reads that the message has it; nobody is sent it a second time. */
function asEarlier({ fileId: _, ...facts }: Media): Media {
  return { ...facts, earlier: true };
}

/** A messenger's id of a file may differ each time it is told. */
function isSameFile(left: Media, right: Media): boolean {
  const facts = (one: Media) => [one.kind, one.fileName, one.mimeType, one.sizeBytes, one.label];
  return facts(left).join("\n") === facts(right).join("\n");
}
