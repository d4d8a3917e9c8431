import { approvalName } from "../domain/approval.ts";
import { writeAudit } from "../store/audit.ts";
import type { Tx } from "../store/db.ts";
import { destinationsOf } from "../store/destinations.ts";
import { type Execution, setExecution } from "../store/executions.ts";
import { writeOutgoing } from "../store/outbox.ts";
import { approvalCard, HAPPENED, NOT_HAPPENED } from "../tools/approval-card.ts";
import { cardOf } from "../tools/ask-approval.ts";
import type { EngineDeps } from "./deps.ts";
import type { Dispatch } from "./dispatch.ts";

/**
 * Nobody outside can tell whether the action happened: an operator is asked. The execution waits
 * and is never sent again by itself; a new equal action stays refused meanwhile.
 */
export async function askAboutUnknown(
  tx: Tx,
  deps: EngineDeps,
  dispatch: Dispatch,
  execution: Execution,
): Promise<void> {
  const { tenantId, approval } = dispatch;
  const now = deps.clock.now();
  const { jobs, staffLanguage, sandbox } = deps.proposing.dress;
  await setExecution(tx, {
    tenantId,
    id: execution.id,
    status: "waiting_approval",
    leaseUntil: null,
  });
  const card = approvalCard(
    { ...cardOf(approval), requestedAction: "unknown_outcome", buttons: [HAPPENED, NOT_HAPPENED] },
    { language: staffLanguage, sandbox },
  );
  const places = await destinationsOf(tx, tenantId, "operators");
  await writeOutgoing(
    tx,
    { jobs, tenantId, now },
    places.map(({ channelId, chatId }) => ({
      channelId,
      chatId,
      purpose: "card" as const,
      content: { kind: "card" as const, card },
      conversationId: approval.conversationId,
      approvalId: approval.id,
    })),
  );
  await writeAudit(tx, [
    {
      tenantId,
      eventType: "execution.asked",
      summary: `${approvalName(approval.number)}: people are asked whether it happened`,
      createdAt: now,
      runId: execution.runId,
      conversationId: execution.conversationId,
      candidateId: execution.candidateId,
      toolName: execution.toolName,
      refs: { execution: execution.id, approval: approval.id },
    },
  ]);
}
