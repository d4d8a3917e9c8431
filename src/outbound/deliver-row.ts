import { messageOf } from "../domain/errors.ts";
import type { Delivery, DeliveryResult, Messenger } from "../domain/messenger.ts";
import type { Clock } from "../lib/clock.ts";
import type { Db, Tx } from "../store/db.ts";
import { type ClaimedRow, recordPart, renewLease } from "../store/outbox-claim.ts";
import {
  cardState,
  type DeliveryEnd,
  finishDelivery,
  markSentOnceMore,
} from "../store/outbox-finish.ts";
import { readyFiles } from "./lead-files.ts";
import { backoffMs, CODE_GONE, endOf, stepInDoubt, waitForThread } from "./next-step.ts";
import { isLostReply, postLostReply } from "./uncertain-card.ts";

/** What delivering one row works with. `signal`: a stop has waited long enough for it. */
export interface DeliverContext {
  db: Db;
  clock: Clock;
  /** By channel id: files are fetched where they came in. */
  messengers: ReadonlyMap<string, Messenger>;
  /** Real time, for leases. */
  realNow(): number;
  /** The code of an order in the clear, or null when it is gone. */
  decryptCode?(
    chat: { tenantId: string; channelId: string; chatId: string },
    orderId: string,
  ): Promise<string | null>;
  /** A person blocked us: written with the end of the row that told it. */
  onBlocked?(tx: Tx, chat: { tenantId: string; channelId: string; chatId: string }): Promise<void>;
  /** A card was delivered; written with the end of its row. */
  onCardSent?(tx: Tx, card: { tenantId: string; approvalId: string | null }): Promise<void>;
  /** A second, third … part of one row left; counted for the chat's limits. */
  onFurtherPart(): Promise<void>;
  /** What a messenger answered to a delivery of this account. */
  onAnswer?(channelId: string, result: DeliveryResult): void;
  signal: AbortSignal;
}

/** Works on one claimed row until its end is written; `more`: there is something to look for. */
export async function deliverRow(
  context: DeliverContext,
  messenger: Messenger,
  row: ClaimedRow,
): Promise<{ end: DeliveryEnd; more: boolean }> {
  // the last part's id is written together with the end, in one commit
  const newParts: string[] = [];
  const end = await attempt(context, messenger, { row, newParts });
  const now = context.clock.now();
  const finished = { end, newParts, now };
  if (end.kind === "blocked") {
    const alongside = (tx: Tx) => context.onBlocked?.(tx, row) ?? Promise.resolve();
    return { end, more: await finishDelivery(context.db, row, { ...finished, alongside }) };
  }
  if (end.kind === "sent" && row.purpose === "card") {
    const alongside = (tx: Tx) => context.onCardSent?.(tx, row) ?? Promise.resolve();
    return { end, more: await finishDelivery(context.db, row, { ...finished, alongside }) };
  }
  if (!isLostReply(row, end)) return { end, more: await finishDelivery(context.db, row, finished) };
  const alongside = (tx: Tx) => postLostReply(tx, row, { end, now });
  await finishDelivery(context.db, row, { ...finished, alongside });
  return { end, more: true };
}

async function attempt(
  context: DeliverContext,
  messenger: Messenger,
  { row, newParts }: { row: ClaimedRow; newParts: string[] },
): Promise<DeliveryEnd> {
  const waiting = waitForThread(row, context.clock.now());
  if (waiting) return waiting;
  const settled = row.uncertain ? await settleDoubt(context, messenger, row) : null;
  if (settled) return settled;
  const ready = await readyContent(context, messenger, row);
  if ("end" in ready) return ready.end;
  const delivery = deliveryOf(context, { row, newParts, content: ready.content });
  const result = await callMessenger(context, messenger, delivery);
  context.onAnswer?.(messenger.channelId, result);
  return endOf(row, result, { now: context.clock.now(), canLookUp: canLookUp(messenger, row) });
}

/** null: it may be sent now, after the parts that are known to be there. */
async function settleDoubt(
  context: DeliverContext,
  messenger: Messenger,
  row: ClaimedRow,
): Promise<DeliveryEnd | null> {
  if (row.purpose === "card_edit") return null; // editing twice is the same
  const step = stepInDoubt(row, canLookUp(messenger, row));
  if (step === "leave")
    return { kind: "uncertain", error: row.lastError ?? "the process stopped while sending" };
  if (step === "send") {
    row.lastError = await markSentOnceMore(context.db, row);
    return null;
  }
  const found = await messenger.lookUp?.({
    chatId: row.chatId,
    threadId: row.threadId,
    outboxId: row.id,
    part: row.sentParts.length,
    sinceMs: row.createdAt,
  });
  if (found === "unreachable") {
    const dueAt = context.clock.now() + backoffMs(row.attempts);
    return { kind: "in_doubt", dueAt, error: "the messenger could not be asked" };
  }
  if (typeof found === "string") {
    await recordPart(context.db, row, { externalId: found, realNow: context.realNow() });
    row.sentParts = [...row.sentParts, found];
  }
  return null;
}

function canLookUp(messenger: Messenger, row: ClaimedRow): boolean {
  // the message that Slack makes of uploads carries no mark of ours
  const isMarked = row.purpose !== "card_edit" && row.content.kind !== "files";
  return messenger.lookUp !== undefined && isMarked;
}

/** The content with secrets filled in and the edited card found, or the reason not to send. */
async function readyContent(
  context: DeliverContext,
  messenger: Messenger,
  row: ClaimedRow,
): Promise<Ready> {
  const { content } = row;
  switch (content.kind) {
    case "text":
      return { content: readyText(row, content) };
    case "card":
    case "thread":
      return { content };
    case "files":
      return { content: await readyFiles(context, messenger, row, content) };
    case "card_edit":
      return readyEdit(context, row, content);
    case "secret_text": {
      const code = await context.decryptCode?.(row, content.orderId);
      if (!code) return { end: { kind: "failed", error: CODE_GONE } };
      const text = content.text.replaceAll("{secret}", () => code);
      return { content: { kind: "text", text, protect: true } };
    }
    default:
      return content satisfies never;
  }
}

type Ready = { content: Delivery["content"] } | { end: DeliveryEnd };

/** Where there are no threads, each post says whose conversation it is. */
function readyText(
  { purpose, reviewThread }: ClaimedRow,
  content: Extract<ClaimedRow["content"], { kind: "text" }>,
): Delivery["content"] {
  const isFlat = reviewThread?.status === "flat";
  const text = isFlat ? `${reviewThread.client.name}:\n${content.text}` : content.text;
  return { ...content, text, protect: false, quiet: purpose === "mirror" };
}

async function readyEdit(
  context: DeliverContext,
  row: ClaimedRow,
  { card, cardOutboxId }: Extract<ClaimedRow["content"], { kind: "card_edit" }>,
): Promise<Ready> {
  const state = await cardState(context.db, row.tenantId, cardOutboxId);
  if (state.kind === "sent")
    return { content: { kind: "card_edit", card, externalId: state.externalId } };
  if (state.kind === "absent")
    return { end: { kind: "cancelled", error: "its card was never sent" } };
  const dueAt = context.clock.now() + 1000;
  return { end: { kind: "retry", dueAt, error: "its card is not sent yet" } };
}

function deliveryOf(
  context: DeliverContext,
  work: { row: ClaimedRow; newParts: string[]; content: Delivery["content"] },
): Delivery {
  const { row, newParts, content } = work;
  let parts = 0;
  return {
    outboxId: row.id,
    chatId: row.chatId,
    threadId: row.threadId,
    content,
    sentParts: row.sentParts,
    async onPart(externalId, last) {
      parts += 1;
      // copies are one call, however many
      if (parts > 1 && content.kind !== "copies") await context.onFurtherPart();
      if (last) {
        newParts.push(externalId);
        return;
      }
      const ours = await recordPart(context.db, row, { externalId, realNow: context.realNow() });
      if (!ours) throw new LeaseLost();
    },
    async onStep() {
      if (!(await renewLease(context.db, row, context.realNow()))) throw new LeaseLost();
    },
  };
}

/** Another worker took the row over: it decides about the parts that are left. */
class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

async function callMessenger(
  context: DeliverContext,
  messenger: Messenger,
  delivery: Delivery,
): Promise<DeliveryResult> {
  try {
    return await messenger.deliver(delivery, context.signal);
  } catch (error) {
    // an adapter answers what the messenger said; what it throws may have happened after sending
    return { kind: "uncertain", error: messageOf(error) };
  }
}
