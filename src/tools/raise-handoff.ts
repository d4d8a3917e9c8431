import type { Jobs } from "../domain/jobs.ts";
import type { Language } from "../domain/language.ts";
import { CLOSE_HANDOFF } from "../domain/messenger.ts";
import { writeAudit } from "../store/audit.ts";
import { lastCardAt, postCards } from "../store/cards.ts";
import type { Tx } from "../store/db.ts";
import { type OpenedHandoff, openHandoff } from "../store/handoffs.ts";
import { contactKyc } from "../store/kyc.ts";
import type { Order } from "../store/orders.ts";
import { tenantById } from "../store/tenants.ts";
import { withoutInnards } from "./foreign-line.ts";
import { type HandoffReason, type HandoffWords, handoffCard } from "./handoff-card.ts";

/** Why a person is wanted, and what is known of it. `now` is product time. */
export interface HandoffRequest {
  tenantId: string;
  conversationId: string;
  contactId: string;
  now: number;
  reason: HandoffReason;
  order: Order | null;
  /**
   * What happened, from the backend: one line, in each language of the staff. Keys, links and paths
   * in it are not shown.
   */
  summary: Record<Language, string>;
  /** A part of the line that stays as the client wrote it: where money is to be brought. */
  place?: string | null;
  /** Shown apart. */
  said?: HandoffWords;
}

/** Asked again while nobody has closed it, a card this old is posted once more. Product time. */
const REPEAT_AFTER_MS = 10 * 60_000;

/** Asks a person: one open row, one card a channel, and another when it is asked again much later. */
export async function raiseHandoff(
  tx: Tx,
  jobs: Jobs<Tx>,
  request: HandoffRequest,
): Promise<{ id: string; isNew: boolean }> {
  const { tenantId, conversationId, reason, now } = request;
  const language = (await tenantById(tx, tenantId))?.language ?? "en";
  const summary = withoutInnards(request.summary[language], request.place);
  const handoff = await openHandoff(tx, {
    tenantId,
    conversationId,
    reason,
    orderId: request.order?.id ?? null,
    summary,
    now,
  });
  if (!handoff.isNew && !(await isCardOld(tx, request, handoff))) return handoff;
  const client = await contactKyc(tx, request);
  const { order, said } = request;
  const about = { id: handoff.id, reason, order, said, summary, isRepeated: !handoff.isNew };
  const card = handoffCard({ ...about, clientName: client?.name ?? "?" }, language);
  const handoffId = handoff.id;
  await postCards(tx, { jobs, tenantId, conversationId, card, handoffId, now });
  await writeAudit(tx, [
    {
      tenantId,
      conversationId,
      eventType: handoff.isNew ? "handoff.opened" : "handoff.repeated",
      summary: `handoff ${reason}`,
      refs: { handoff: handoff.id, ...(order ? { order: order.id } : {}) },
      createdAt: now,
    },
  ]);
  return handoff;
}

async function isCardOld(
  tx: Tx,
  { tenantId, conversationId, now }: HandoffRequest,
  { id, createdAt }: OpenedHandoff,
): Promise<boolean> {
  const button = { tenantId, conversationId, action: CLOSE_HANDOFF, value: id };
  const shownAt = (await lastCardAt(tx, button)) ?? createdAt;
  return now - shownAt >= REPEAT_AFTER_MS;
}
