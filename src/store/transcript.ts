import { and, asc, desc, eq, gte, inArray, lt, lte, sql } from "drizzle-orm";
import type { CandidateStatus } from "../domain/candidate.ts";
import { newId } from "../domain/ids.ts";
import type { Media } from "../domain/inbound.ts";
import type { ToolReply } from "../domain/tool.ts";
import type { Tx } from "./db.ts";
import { messages } from "./schema/chat.ts";
import { toolCallCandidates } from "./schema/tools.ts";
import { statement, type ValueAt } from "./statement.ts";
import { storable } from "./storable.ts";

/** `seq` grows within its conversation; `createdAt` is product time. */
export interface TranscriptMessage {
  id: string;
  seq: number;
  author: "lead" | "bot" | "staff" | "system";
  kind: "text" | "calls" | "event";
  text: string;
  media: Media[];
  runId: string | null;
  /** When a lead wrote it, by the messenger's clock; null: the product wrote it, or it is old. */
  sentAt?: number | null;
  createdAt: number;
}

/** A call in its latest state; `reply`: null: nothing has come of it yet. */
export interface TranscriptCall {
  id: string;
  messageId: string;
  ordinal: number;
  toolName: string;
  argumentsRaw: string;
  status: CandidateStatus;
  code: string | null;
  reply: ToolReply | null;
  runId: string | null;
}

/** The end of a conversation, as a prompt is made of it. */
export interface Transcript {
  messages: TranscriptMessage[];
  /** By message id, in order. */
  calls: Map<string, TranscriptCall[]>;
}

/**
 * The newest `limit` messages in order, with the calls of each and their latest states.
 * `beforeSeq`: as if nothing from that place on had been said.
 */
export async function loadTranscript(
  tx: Tx,
  query: { tenantId: string; conversationId: string; limit: number; beforeSeq?: number },
): Promise<Transcript> {
  const newest = await newestKept(tx, { beforeSeq: Number.MAX_SAFE_INTEGER, ...query });
  const inOrder = newest.reverse();
  const asking = inOrder.filter((message) => message.kind === "calls").map((message) => message.id);
  return { messages: inOrder, calls: await callsOf(tx, query.tenantId, asking) };
}

interface Kept extends Record<string, unknown> {
  tenantId: string;
  conversationId: string;
  beforeSeq: number;
  limit: number;
}

const newestKept = statement((on, value: ValueAt<Kept>) =>
  on
    .select({
      id: messages.id,
      seq: messages.seq,
      author: messages.author,
      kind: messages.kind,
      text: messages.text,
      media: messages.media,
      runId: messages.runId,
      sentAt: messages.sentAt,
      createdAt: messages.createdAt,
    })
    .from(messages)
    .where(
      and(
        eq(messages.tenantId, value("tenantId")),
        eq(messages.conversationId, value("conversationId")),
        eq(messages.status, "kept"),
        lt(messages.seq, value("beforeSeq")),
      ),
    )
    .orderBy(desc(messages.seq))
    .limit(sql.placeholder("limit")),
);

async function callsOf(
  tx: Tx,
  tenantId: string,
  messageIds: string[],
): Promise<Map<string, TranscriptCall[]>> {
  const byMessage = new Map<string, TranscriptCall[]>();
  if (messageIds.length === 0) return byMessage;
  const rows = await tx
    .select({
      id: toolCallCandidates.id,
      messageId: sql<string>`${toolCallCandidates.messageId}`,
      ordinal: toolCallCandidates.ordinal,
      toolName: toolCallCandidates.toolName,
      argumentsRaw: toolCallCandidates.argumentsRaw,
      status: toolCallCandidates.status,
      code: toolCallCandidates.code,
      reply: toolCallCandidates.reply,
      runId: toolCallCandidates.runId,
    })
    .from(toolCallCandidates)
    .where(
      and(
        eq(toolCallCandidates.tenantId, tenantId),
        inArray(toolCallCandidates.messageId, messageIds),
      ),
    )
    .orderBy(asc(toolCallCandidates.ordinal));
  for (const row of withLatestStates(rows)) {
    const calls = byMessage.get(row.messageId);
    if (calls) calls.push(row);
    else byMessage.set(row.messageId, [row]);
  }
  return byMessage;
}

/** Asked again while the first request waits: such a call goes on to show what became of that. */
const POINTERS: ReadonlySet<string | null> = new Set(["ALREADY_WAITING", "SAME_CALL"]);

function withLatestStates(calls: readonly TranscriptCall[]): TranscriptCall[] {
  const asking = calls.filter(({ code }) => !POINTERS.has(code));
  const states = new Map(asking.map((call) => [call.reply?.approval, call]));
  return calls.map((call) => {
    const approval = POINTERS.has(call.code) ? call.reply?.approval : undefined;
    const asked = approval === undefined ? undefined : states.get(approval);
    return asked ? { ...call, status: asked.status, code: asked.code, reply: asked.reply } : call;
  });
}

export interface NewMessage {
  /** Given by the caller when rows that are written with it name it. */
  id?: string;
  tenantId: string;
  conversationId: string;
  author: "bot" | "staff" | "system";
  kind: "text" | "calls" | "event";
  text: string;
  runId: string | null;
  status?: "kept" | "superseded";
  now: number;
}

/** Returns id and place of the new message. */
export async function addMessage(
  tx: Tx,
  message: NewMessage,
): Promise<{ id: string; seq: number }> {
  const { now, ...row } = message;
  const rows = await tx
    .insert(messages)
    .values(storable({ id: newId(), ...row, createdAt: now }))
    .returning({ id: messages.id, seq: messages.seq });
  const added = rows[0];
  if (!added) throw new Error("a message could not be written");
  return added;
}

/** The lead's texts between two places, oldest first: what a card shows under "client says". */
export async function leadTexts(
  tx: Tx,
  query: { tenantId: string; conversationId: string; fromSeq: number; toSeq: number },
): Promise<string[]> {
  const rows = await tx
    .select({ text: messages.text })
    .from(messages)
    .where(
      and(
        eq(messages.tenantId, query.tenantId),
        eq(messages.conversationId, query.conversationId),
        eq(messages.author, "lead"),
        gte(messages.seq, query.fromSeq),
        lte(messages.seq, query.toSeq),
      ),
    )
    .orderBy(asc(messages.seq));
  return rows.map((row) => row.text);
}
