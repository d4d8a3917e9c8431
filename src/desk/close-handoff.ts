import { writeAudit } from "../store/audit.ts";
import { endCards } from "../store/cards.ts";
import type { Tx } from "../store/db.ts";
import { closeHandoff, type Handoff, lockHandoff } from "../store/handoffs.ts";
import type { StaffMember } from "../store/staff.ts";
import { CLOSE_HANDOFF } from "../tools/handoff-card.ts";
import type { DeskDeps } from "./deps.ts";
import { DESK_TEXTS, shownTime } from "./texts.ts";

/** A person says that a request is dealt with; asked for again, it is a new request. */
export async function markHandoffDone(
  tx: Tx,
  deps: DeskDeps,
  given: { tenantId: string; handoffId: string; staff: StaffMember | null },
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
  const outcome = texts.outcomeDone(staff.name, shownTime(now));
  await closeHandoff(tx, { tenantId, id: handoff.id, now });
  await showEnd(tx, deps, handoff, outcome);
  await note(tx, deps, handoff, { eventType: "handoff.closed", by });
  return outcome;
}

function showEnd(tx: Tx, deps: DeskDeps, handoff: Handoff, outcome: string): Promise<void> {
  const { id, tenantId, conversationId } = handoff;
  const write = { jobs: deps.dress.jobs, tenantId, now: deps.clock.now() };
  const button = { tenantId, conversationId, action: CLOSE_HANDOFF, value: id };
  return endCards(tx, write, { ...button, outcome });
}

async function note(
  tx: Tx,
  deps: DeskDeps,
  handoff: Handoff,
  said: { eventType: string; by: string | null },
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
