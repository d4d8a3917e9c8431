import { and, asc, eq, gt, inArray, lt, lte, ne, type SQL, sql } from "drizzle-orm";
import type { Outgoing } from "../domain/messenger.ts";
import { type MirroredCall, type MirroredWords, mirrorText } from "../domain/mirror-text.ts";
import type { Tx } from "./db.ts";
import {
  addReviewThread,
  type ReviewPlace,
  reviewPlaces,
  threadOpening,
} from "./review-threads.ts";
import { messages, reviewThreads } from "./schema/chat.ts";

/** What a reply of a run answers: shown above it, with the calls that led to it. */
export interface MirroredTurn {
  /** The newest message that the reply takes into account. */
  upToSeq: number;
  calls: readonly MirroredCall[];
}

export interface Mirrored {
  tenantId: string;
  conversationId: string;
  /** Left out: nothing of the lead's is shown. */
  turn?: MirroredTurn;
  said: MirroredWords["said"];
  /** The message that `said` is; reactions to the mirror mean this one. */
  messageId: string | null;
  /** Where `said` goes; elsewhere than to the client it is nothing to mirror. */
  to?: { channelId: string; chatId: string };
  now: number;
}

export interface MirrorRow {
  channelId: string;
  chatId: string;
  purpose: "mirror";
  content: Outgoing;
  messageId: string | null;
  reviewThreadId: string;
}

/** More of them at once are nothing that anybody would read in a thread. */
const LEAD_MESSAGES = 30;

/**
 * The outbox rows that show a turn in every review chat: at most one post a chat, and before the
 * first one what opens the thread. The caller writes them in the same transaction.
 */
export async function mirrorRows(tx: Tx, mirrored: Mirrored): Promise<MirrorRow[]> {
  const places = await reviewPlaces(tx, mirrored);
  const lead = places[0]?.lead;
  if (!lead || !isTo(lead, mirrored.to)) return [];
  const begun = await beginThreads(tx, mirrored, places);
  const words = await leadWords(tx, mirrored, begun);
  await markMirrored(tx, mirrored, begun);
  return begun.flatMap((one) => rowsOf(mirrored, one, words));
}

function isTo(lead: ReviewPlace["lead"], to: Mirrored["to"]): boolean {
  return !to || (to.channelId === lead.channelId && to.chatId === lead.chatId);
}

interface BegunThread {
  place: ReviewPlace;
  id: string;
  isNew: boolean;
  mirroredSeq: number;
}

async function beginThreads(
  tx: Tx,
  mirrored: Mirrored,
  places: readonly ReviewPlace[],
): Promise<BegunThread[]> {
  const begun: BegunThread[] = [];
  for (const place of places) {
    if (place.thread) {
      const { id, mirroredSeq } = place.thread;
      begun.push({ place, id, isNew: false, mirroredSeq });
      continue;
    }
    const mirroredSeq = await lastAnsweredSeq(tx, mirrored);
    const { tenantId, conversationId, now } = mirrored;
    const id = await addReviewThread(tx, { tenantId, conversationId, place, mirroredSeq, now });
    // the one who was faster shows what there is
    if (id !== null) begun.push({ place, id, isNew: true, mirroredSeq });
  }
  return begun;
}

/** A thread begins with what is not answered yet: what was said before is past. */
async function lastAnsweredSeq(tx: Tx, mirrored: Mirrored): Promise<number> {
  const rows = await tx
    .select({ seq: sql<string | number>`coalesce(max(${messages.seq}), 0)` })
    .from(messages)
    .where(
      and(
        ofConversation(mirrored),
        inArray(messages.author, ["bot", "staff"]),
        eq(messages.kind, "text"),
        eq(messages.status, "kept"),
        mirrored.messageId === null ? undefined : ne(messages.id, mirrored.messageId),
      ),
    );
  return Number(rows[0]?.seq ?? 0);
}

type LeadWords = MirroredWords["lead"][number] & { seq: number };

async function leadWords(
  tx: Tx,
  mirrored: Mirrored,
  threads: readonly BegunThread[],
): Promise<LeadWords[]> {
  if (!mirrored.turn || threads.length === 0) return [];
  const fromSeq = Math.min(...threads.map((thread) => thread.mirroredSeq));
  return tx
    .select({ seq: messages.seq, text: messages.text, media: messages.media })
    .from(messages)
    .where(
      and(
        ofConversation(mirrored),
        eq(messages.author, "lead"),
        gt(messages.seq, fromSeq),
        lte(messages.seq, mirrored.turn.upToSeq),
      ),
    )
    .orderBy(asc(messages.seq))
    .limit(LEAD_MESSAGES);
}

async function markMirrored(
  tx: Tx,
  { tenantId, turn }: Mirrored,
  threads: readonly BegunThread[],
): Promise<void> {
  const ids = threads.map((thread) => thread.id);
  if (!turn || ids.length === 0) return;
  await tx
    .update(reviewThreads)
    .set({ mirroredSeq: turn.upToSeq })
    .where(
      and(
        eq(reviewThreads.tenantId, tenantId),
        inArray(reviewThreads.id, ids),
        lt(reviewThreads.mirroredSeq, turn.upToSeq),
      ),
    );
}

function rowsOf(mirrored: Mirrored, thread: BegunThread, words: readonly LeadWords[]): MirrorRow[] {
  const { channelId, chatId, lead, language } = thread.place;
  const { said, turn, messageId } = mirrored;
  const text = mirrorText(
    {
      lead: words.filter(({ seq }) => seq > thread.mirroredSeq),
      said,
      calls: turn?.calls ?? [],
    },
    language,
  );
  const row = { channelId, chatId, purpose: "mirror" as const, reviewThreadId: thread.id };
  const opening = { ...row, content: threadOpening(lead), messageId: null };
  const post = { ...row, content: { kind: "text" as const, text }, messageId };
  return [...(thread.isNew ? [opening] : []), ...(text === "" ? [] : [post])];
}

function ofConversation({ tenantId, conversationId }: Mirrored): SQL | undefined {
  return and(eq(messages.tenantId, tenantId), eq(messages.conversationId, conversationId));
}
