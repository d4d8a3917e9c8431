import { writeAudit } from "../../store/audit.ts";
import type { AuditEvent } from "../../store/audit-events.ts";
import type { Tx } from "../../store/db.ts";
import { handoffById } from "../../store/handoffs.ts";
import { isOwnRequest } from "../../store/makers.ts";
import { lockOrder, type Order, orderName } from "../../store/orders.ts";
import { openPayoutDraft, type PayoutCodeDraft } from "../../store/payout-codes.ts";
import { lockConversation } from "../../store/runs.ts";
import { type StaffMember, staffById } from "../../store/staff.ts";
import type { DeskDeps } from "../deps.ts";
import { stopNotice } from "../payouts-stopped.ts";
import { DESK_TEXTS, shownTime } from "../texts.ts";
import { CODE_TEXTS } from "./texts.ts";

/** A code that nobody sends blocks its order for others no longer than this, product time. */
const DRAFT_HOLDS_MS = 10 * 60_000;

/** An order, locked, that waits for a code typed by staff. `draft`: null: nothing is typed. */
export interface CodeWork {
  tenantId: string;
  handoffId: string;
  staff: StaffMember;
  order: Order;
  /** Typed and not sent. */
  draft: (PayoutCodeDraft & { by: StaffMember | null }) | null;
}

/** Why a person may not deal with a code now, in the staff's language. */
export interface CodeRefusal {
  text: string;
  /** It is this person who may not: that stands in the trail. */
  ofPerson: Order | null;
}

/** With `found` the order is locked: no other press can send a code meanwhile. */
export type FoundPayout = { kind: "found"; work: CodeWork } | ({ kind: "refused" } & CodeRefusal);

/** The payout that a button or form is about; its order is locked until the transaction ends. */
export async function findPayout(
  tx: Tx,
  deps: DeskDeps,
  asked: { tenantId: string; handoffId: string; staff: StaffMember | null },
): Promise<FoundPayout> {
  const { tenantId, handoffId, staff } = asked;
  const texts = DESK_TEXTS[deps.dress.staffLanguage];
  const handoff = await handoffById(tx, tenantId, handoffId);
  if (!handoff?.orderId) return refused(texts.gone);
  await lockConversation(tx, tenantId, handoff.conversationId);
  const order = await lockOrder(tx, tenantId, handoff.orderId);
  if (!order) return refused(texts.gone);
  if (staff?.status !== "active") return refused(texts.notAllowed, order);
  if (await isOwnRequest(tx, { tenantId, staffId: staff.id, maker: order.contactId }))
    return refused(texts.ownRequest, order);
  const words = CODE_TEXTS[deps.dress.staffLanguage];
  const name = orderName(order);
  if (order.status !== "payout") return refused(words.noPayout(name, order.status));
  if (order.payoutCode !== null) return refused(words.sentBefore(name));
  const stopped = await stopNotice(tx, tenantId, deps.dress.staffLanguage);
  if (stopped !== null) return refused(stopped);
  const work = { tenantId, handoffId, staff, order, draft: await draftOf(tx, deps, order) };
  return { kind: "found", work };
}

/** The same, for typing a code: nobody else's may be waiting. */
export async function findUntyped(
  tx: Tx,
  deps: DeskDeps,
  asked: { tenantId: string; handoffId: string; staff: StaffMember | null },
): Promise<FoundPayout> {
  const found = await findPayout(tx, deps, asked);
  if (found.kind === "refused") return found;
  const held = heldByOther(deps, found.work);
  return held === null ? found : refused(held);
}

function refused(text: string, ofPerson: Order | null = null): FoundPayout {
  return { kind: "refused", text, ofPerson };
}

/** What the person is told; a refusal of the person is audited, too. */
export async function noteRefusal(
  tx: Tx,
  deps: DeskDeps,
  { text, ofPerson }: CodeRefusal,
  staff: StaffMember | null,
): Promise<string> {
  const by = staff?.id ?? null;
  if (ofPerson) await noteCode(tx, deps, { order: ofPerson, by, eventType: "payout_code.refused" });
  return text;
}

/** The words for a second person while the first one's code waits; null: nobody is in the way. */
function heldByOther(deps: DeskDeps, { staff, order, draft }: CodeWork): string | null {
  if (!draft?.by || draft.by.id === staff.id || draft.by.status !== "active") return null;
  const until = draft.typedAt + DRAFT_HOLDS_MS;
  if (until <= deps.clock.now()) return null;
  const texts = CODE_TEXTS[deps.dress.staffLanguage];
  return texts.otherTyping(orderName(order), draft.by.name, shownTime(until));
}

async function draftOf(tx: Tx, deps: DeskDeps, order: Order): Promise<CodeWork["draft"]> {
  const { tenantId, id: orderId, payoutCodeDraft: sealed, payoutCodeDraftBy: staffId } = order;
  if (sealed === null || staffId === null) return null;
  const by = await staffById(tx, tenantId, staffId);
  return { ...openPayoutDraft(deps.secrets, { tenantId, orderId }, sealed), by };
}

/** One line of the trail; no part of a code stands in it. */
export function noteCode(
  tx: Tx,
  deps: DeskDeps,
  said: { order: Order; by: string | null; eventType: AuditEvent },
): Promise<void> {
  const { order, by, eventType } = said;
  return writeAudit(tx, [
    {
      ...{ tenantId: order.tenantId, conversationId: order.conversationId, eventType },
      summary: `payout code of ${orderName(order)}: ${eventType.split(".").at(-1)}`,
      userId: by,
      refs: { order: order.id },
      createdAt: deps.clock.now(),
    },
  ]);
}
