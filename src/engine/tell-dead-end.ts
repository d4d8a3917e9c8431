import { approvalName } from "../domain/approval.ts";
import type { Language } from "../domain/language.ts";
import { paysOut } from "../domain/pays-out.ts";
import type { ApprovalRow } from "../store/approvals.ts";
import type { Tx } from "../store/db.ts";
import { destinationsOf } from "../store/destinations.ts";
import { lastOrder } from "../store/orders.ts";
import { writeOutgoing } from "../store/outbox.ts";
import { raiseHandoff } from "../tools/raise-handoff.ts";
import type { EngineDeps } from "./deps.ts";
import type { Dispatch } from "./dispatch.ts";

/**
 * Nobody will try an approved action again by themselves: people are told, once an open request. What
 * the desk asked for itself belongs to no client: a line in the operators' chats is all.
 */
export async function tellDeadEnd(
  tx: Tx,
  deps: EngineDeps,
  { dispatch }: { dispatch: Dispatch },
  said: Record<Language, string>,
): Promise<void> {
  const { approval, tenantId, scope } = dispatch;
  const name = `${approvalName(approval.number)} (${dispatch.toolName})`;
  const summary = { en: `${name}: ${said.en}`, ru: `${name}: ${said.ru}` };
  if (approval.conversationId === null) return tellOperators(tx, deps, tenantId, summary);
  const { conversationId, contactId } = scope;
  await raiseHandoff(tx, deps.jobs, {
    ...{ tenantId, conversationId, contactId, now: deps.clock.now(), summary },
    reason: reasonOf(approval),
    order: await lastOrder(tx, { tenantId, conversationId }),
  });
}

function reasonOf({ toolName: name, riskLevel: risk }: ApprovalRow) {
  if (paysOut({ name, risk })) return "payout_review";
  return risk === "payment" ? "payment_review" : "operator_request";
}

async function tellOperators(
  tx: Tx,
  deps: EngineDeps,
  tenantId: string,
  summary: Record<Language, string>,
): Promise<void> {
  const text = summary[deps.proposing.dress.staffLanguage];
  const places = await destinationsOf(tx, tenantId, "operators");
  await writeOutgoing(
    tx,
    { jobs: deps.jobs, tenantId, now: deps.clock.now() },
    places.map(({ channelId, chatId }) => ({
      ...{ channelId, chatId, purpose: "notice" as const },
      content: { kind: "text" as const, text },
    })),
  );
}
