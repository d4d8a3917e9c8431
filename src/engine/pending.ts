import { approvalName } from "../domain/approval.ts";
import type { Json } from "../domain/json.ts";
import { externalIdOf, type ToolReply } from "../domain/tool.ts";
import { resultLine } from "../store/audit-calls.ts";
import type { Tx } from "../store/db.ts";
import { insertResults, setExecution, settleKeys, wasAccepted } from "../store/executions.ts";
import { lastOrder } from "../store/orders.ts";
import { setCandidate } from "../store/proposals.ts";
import type { WriteResult } from "../tools/contract.ts";
import { raiseHandoff } from "../tools/raise-handoff.ts";
import { resultReply } from "../tools/replies.ts";
import type { EngineDeps } from "./deps.ts";
import { note, type Settling } from "./settling.ts";

/** Product time from the acceptance to the first look-ups; after these one a minute. */
const FIRST_LOOK_UPS_MS = [5_000, 30_000] as const;
const EVERY_MS = 60_000;
/** About half an hour: then people are told, and the asking goes on. */
const LOOK_UPS_UNTIL_TOLD = 30;

type Accepted = Pick<Settling, "dispatch" | "execution">;

/**
 * The provider accepted the action and is still at work. The lead hears of it only when that ends;
 * until then the call's own result says how far it is, and its keys stay taken.
 */
export async function becomePending(
  tx: Tx,
  deps: EngineDeps,
  accepted: Accepted,
  { result }: WriteResult,
): Promise<void> {
  const { dispatch, execution } = accepted;
  const { tenantId } = dispatch;
  const isNew = !(await wasAccepted(tx, tenantId, execution.id));
  await settleKeys(tx, { tenantId, executionId: execution.id, status: "unknown" });
  await setCandidate(tx, {
    tenantId,
    id: execution.candidateId,
    reply: pendingReply(resultReply(result), dispatch.approval.number),
  });
  if (!isNew) return lookUpLater(tx, deps, accepted, execution.lookUps + 1);
  await insertResults(tx, [
    {
      tenantId,
      runId: execution.runId,
      executionId: execution.id,
      toolName: execution.toolName,
      status: "pending",
      resultJson: { ...result } as Json, // a tool result is plain JSON
      resultSummary: result.summary,
      externalId: externalIdOf(result),
      createdAt: deps.clock.now(),
    },
  ]);
  await note(tx, deps, accepted, { eventType: "execution.pending", summary: resultLine(result) });
  await lookUpLater(tx, deps, accepted, 0);
}

/** Plans the look-up after `lookUps` of them. What was accepted is never sent again. */
export async function lookUpLater(
  tx: Tx,
  deps: EngineDeps,
  accepted: Accepted,
  lookUps: number,
): Promise<void> {
  const { dispatch, execution } = accepted;
  const { tenantId } = dispatch;
  const waitMs = waitAfter(lookUps);
  await setExecution(tx, {
    tenantId,
    id: execution.id,
    status: "unknown",
    lookUps,
    runAfter: deps.clock.now() + waitMs,
    leaseUntil: null,
  });
  if (lookUps > 0 && lookUps % LOOK_UPS_UNTIL_TOLD === 0) await tellPeople(tx, deps, accepted);
  await deps.jobs.enqueue(tx, "execution", { tenantId, id: execution.id }, waitMs);
}

/** From the look-up before (or the acceptance) to the next one. */
function waitAfter(lookUps: number): number {
  const at = FIRST_LOOK_UPS_MS[lookUps];
  return at === undefined ? EVERY_MS : at - (FIRST_LOOK_UPS_MS[lookUps - 1] ?? 0);
}

function pendingReply(reply: ToolReply, number: number): ToolReply {
  return {
    ...reply,
    status: "pending",
    approval: approvalName(number),
    summary:
      "approved and accepted by the provider, which is still making it; it is not done yet; the outcome comes by itself, do not call it again",
  };
}

async function tellPeople(tx: Tx, deps: EngineDeps, { dispatch }: Accepted): Promise<void> {
  const { tenantId, conversationId, contactId } = dispatch.scope;
  const name = approvalName(dispatch.approval.number);
  await raiseHandoff(tx, deps.jobs, {
    ...{ tenantId, conversationId, contactId, now: deps.clock.now() },
    reason: "payout_review",
    order: await lastOrder(tx, { tenantId, conversationId }),
    summary: {
      en: `${name}: the provider accepted it long ago and does not say how it ended`,
      ru: `${name}: провайдер давно принял выплату и не сообщает, чем она кончилась`,
    },
  });
}
