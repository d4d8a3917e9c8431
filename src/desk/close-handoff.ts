import { writeAudit } from "../store/audit.ts";
import type { AuditEvent } from "../store/audit-events.ts";
import type { Tx } from "../store/db.ts";
import { changeHandoffCards } from "../store/handoff-cards.ts";
import { closeHandoff, type Handoff, lockHandoff } from "../store/handoffs.ts";
import { orderName } from "../store/orders.ts";
import type { StaffMember } from "../store/staff.ts";
import { completeOrder } from "./complete-order.ts";
import type { DeskDeps } from "./deps.ts";
import { CODE_TEXTS } from "./payout-code/texts.ts";
import { DESK_TEXTS, shownTime } from "./texts.ts";

/**
 * A person says that a request is dealt with; asked for again, it is a new request. Of a payout by
 * hand it says that the money was handed over: the order is completed with it.
 */
export async function markHandoffDone(
  tx: Tx,
  deps: DeskDeps,
  given: {
    tenantId: string;
    handoffId: string;
    staff: StaffMember | null;
    /** The button said so; a plain Done completes no order. */
    isHandedOver: boolean;
  },
): Promise<string> {
  const { tenantId, staff } = given;
  const texts = DESK_TEXTS[deps.dress.staffLanguage];
  const handoff = await lockHandoff(tx, tenantId, given.handoffId);
  if (!handoff) return texts.gone;
  const by = staff?.id ?? null;
  if (staff?.status !== "active") {
    await note(tx, deps, handoff, { eventType: "handoff.refused", by });
    return texts.notAllowed;
  }
  const now = deps.clock.now();
  if (handoff.status === "closed") {
    // the backend closes a request when its matter is settled, and leaves the cards as they are
    await showEnd(tx, deps, handoff, texts.outcomeOver(shownTime(handoff.closedAt ?? now)));
    return texts.doneBefore;
  }
  const handed: HandedOver = given.isHandedOver
    ? await handOver(tx, deps, handoff, staff)
    : { kind: "other" };
  if (handed.kind === "refused") return handed.text;
  const say = handed.kind === "completed" ? handed.say : texts.outcomeDone;
  const outcome = say(staff.name, shownTime(now));
  await closeHandoff(tx, { tenantId, id: handoff.id, now });
  await showEnd(tx, deps, handoff, outcome);
  await note(tx, deps, handoff, { eventType: "handoff.closed", by });
  return outcome;
}

type HandedOver =
  | { kind: "completed"; say(who: string, when: string): string }
  /** The request is not about money in the operators' hands. */
  | { kind: "other" }
  | { kind: "refused"; text: string };

/** The money of a payout by hand is out: the order ends, and its code with it. */
async function handOver(
  tx: Tx,
  deps: DeskDeps,
  { tenantId, orderId }: Handoff,
  staff: StaffMember,
): Promise<HandedOver> {
  if (orderId === null) return { kind: "other" };
  const texts = CODE_TEXTS[deps.dress.staffLanguage];
  const now = deps.clock.now();
  const done = await completeOrder(tx, { tenantId, orderId, staffId: staff.id, now });
  switch (done.kind) {
    case "completed":
      await writeAudit(tx, [
        {
          ...{ tenantId, conversationId: done.order.conversationId, userId: staff.id },
          eventType: "order.completed",
          summary: `${orderName(done.order)} completed`,
          refs: { order: orderId },
          createdAt: now,
        },
      ]);
      return { kind: "completed", say: texts.handedOver };
    case "own_order":
      return { kind: "refused", text: DESK_TEXTS[deps.dress.staffLanguage].ownRequest };
    case "payout_under_way":
      return { kind: "refused", text: texts.underWay };
    case "not_in_payout":
    case "not_found":
      return { kind: "other" };
    default:
      return done satisfies never;
  }
}

function showEnd(tx: Tx, deps: DeskDeps, handoff: Handoff, outcome: string): Promise<void> {
  const { id: handoffId, tenantId } = handoff;
  const write = { jobs: deps.dress.jobs, tenantId, now: deps.clock.now() };
  return changeHandoffCards(tx, write, {
    handoffId,
    change: (card) => ({ ...card, outcome, buttons: [] }),
  });
}

async function note(
  tx: Tx,
  deps: DeskDeps,
  handoff: Handoff,
  said: { eventType: AuditEvent; by: string | null },
): Promise<void> {
  const { id, tenantId, conversationId, reason, orderId } = handoff;
  await writeAudit(tx, [
    {
      tenantId,
      conversationId,
      eventType: said.eventType,
      summary: `handoff ${reason}`,
      userId: said.by,
      refs: { handoff: id, ...(orderId ? { order: orderId } : {}) },
      createdAt: deps.clock.now(),
    },
  ]);
}
