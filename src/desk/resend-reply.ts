import { RESEND_REPLY } from "../domain/messenger.ts";
import { writeAudit } from "../store/audit.ts";
import type { AuditEvent } from "../store/audit-events.ts";
import { endCards } from "../store/cards.ts";
import type { Tx } from "../store/db.ts";
import { replyById, resendUncertain } from "../store/outbox.ts";
import type { StaffMember } from "../store/staff.ts";
import type { DeskDeps } from "./deps.ts";
import { DESK_TEXTS, shownTime } from "./texts.ts";

/** A person has a reply sent again of which nobody knows whether it arrived; once a card. */
export async function resendReply(
  tx: Tx,
  deps: DeskDeps,
  given: { tenantId: string; outboxId: string; staff: StaffMember | null },
): Promise<string> {
  const { tenantId, outboxId, staff } = given;
  const texts = DESK_TEXTS[deps.dress.staffLanguage];
  const reply = await replyById(tx, tenantId, outboxId);
  if (!reply) return texts.gone;
  const { conversationId } = reply;
  const now = deps.clock.now();
  const note = (eventType: AuditEvent) =>
    writeAudit(tx, [
      {
        tenantId,
        conversationId,
        eventType,
        summary: "a reply that may not have arrived",
        userId: staff?.id ?? null,
        refs: { outbox: outboxId },
        createdAt: now,
      },
    ]);
  if (staff?.status !== "active") {
    await note("reply.refused");
    return texts.notAllowed;
  }
  const write = { jobs: deps.dress.jobs, tenantId, now };
  if (!(await resendUncertain(tx, write, outboxId))) return texts.resentBefore;
  const outcome = texts.outcomeResent(staff.name, shownTime(now));
  const button = { tenantId, conversationId, action: RESEND_REPLY, value: outboxId };
  await endCards(tx, write, { ...button, outcome });
  await note("reply.resent");
  return outcome;
}
