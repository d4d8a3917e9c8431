import type { Language } from "../domain/language.ts";
import type { ApprovalRow } from "../store/approvals.ts";
import { writeAudit } from "../store/audit.ts";
import type { Tx } from "../store/db.ts";
import { type Execution, setExecution } from "../store/executions.ts";
import { writeOutgoing } from "../store/outbox.ts";
import { type StoredCandidate, setCandidate } from "../store/proposals.ts";
import { lockConversation } from "../store/runs.ts";
import { stateReply } from "../tools/replies.ts";
import type { EngineDeps } from "./deps.ts";

/** An approved payout that does not start while payouts are stopped. */
export interface HeldPayout {
  execution: Execution;
  approval: ApprovalRow;
  candidate: StoredCandidate;
}

const CODE = "payouts_stopped";
/** Product time; whoever resumes payouts makes it due at once. */
const LOOK_AGAIN_MS = 3_600_000;

/**
 * Approved, and payouts are stopped: it keeps its place and its keys, so that nothing else can pay
 * the same, and is sent when payouts go on. The lead is told once that a person sees to it.
 */
export async function holdPayout(tx: Tx, deps: EngineDeps, held: HeldPayout): Promise<void> {
  const { execution, approval, candidate } = held;
  const { tenantId, id } = execution;
  const now = deps.clock.now();
  await setExecution(tx, { tenantId, id, runAfter: now + LOOK_AGAIN_MS });
  if (candidate.code === CODE) return;
  await setCandidate(tx, {
    tenantId,
    id: candidate.id,
    code: CODE,
    reply: stateReply(
      "waiting_approval",
      "approved, and an operator takes care of it; the outcome comes by itself, do not call it again",
      approval.number,
    ),
  });
  await writeAudit(tx, [
    {
      ...{ tenantId, createdAt: now, runId: execution.runId, candidateId: candidate.id },
      conversationId: execution.conversationId,
      eventType: "execution.held",
      summary: "approved and not sent: payouts are stopped",
      decision: "deny",
      toolName: execution.toolName,
      refs: { execution: id, approval: approval.id },
    },
  ]);
  await tellPayoutLate(tx, deps, execution);
}

/** Beside the transcript: there it would stand as the answer to what the lead asks at this moment. */
export async function tellPayoutLate(
  tx: Tx,
  deps: EngineDeps,
  { tenantId, conversationId }: Pick<Execution, "tenantId" | "conversationId">,
): Promise<void> {
  if (conversationId === null) return;
  const conversation = await lockConversation(tx, tenantId, conversationId);
  if (conversation?.mode !== "bot") return; // a person speaks with the lead
  const { channelId, chatId, language } = conversation;
  const content = { kind: "text" as const, text: TEXTS[language] };
  await writeOutgoing(tx, { jobs: deps.jobs, tenantId, now: deps.clock.now() }, [
    { channelId, chatId, purpose: "notice", content, conversationId },
  ]);
}

const TEXTS: Record<Language, string> = {
  en: "Your payout takes a little longer: an operator is seeing to it. I will write as soon as it is done.",
  ru: "С выплатой будет небольшая задержка: ею занимается оператор. Напишу, как только она будет готова.",
};
