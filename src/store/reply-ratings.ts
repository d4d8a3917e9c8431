import { and, asc, eq, inArray, isNull } from "drizzle-orm";
import type { FeedbackLabel } from "../domain/feedback.ts";
import { MOST_VERDICTS, RATABLE_MS } from "../domain/model-attempt.ts";
import type { Tx } from "./db.ts";
import { modelCalls, scoreModelCall } from "./model-calls.ts";
import { changeRating } from "./model-state.ts";
import { messages } from "./schema/chat.ts";
import { agentToolCalls, agentToolCallFeedback as feedback, modelCallLog } from "./schema/runs.ts";
import { toolCallCandidates } from "./schema/tools.ts";

/** What a label says of the model call that it is about. */
const SCORES: Record<FeedbackLabel, number> = {
  good_reply: 1,
  wrong_tool: 0,
  missing_tool: 0,
  bad_args: 0,
  other: 0,
};
/** They are about the proposed call, not about the words. */
const OF_THE_PROPOSAL: readonly FeedbackLabel[] = ["wrong_tool", "bad_args"];
/** They are about the words, or about what was not proposed. */
const OF_THE_WORDS: readonly FeedbackLabel[] = ["missing_tool", "other"];

/**
 * The labels that stand on a reply become the verdicts on the model calls that it came from: the
 * newest label of each counts, and a call that has none any more is not judged. A wrong tool is the
 * fault of the call that proposed it; words are those of the run's last answer; praise goes to all.
 * Answers whether a rating has changed.
 */
export async function rateReply(
  tx: Tx,
  { tenantId, messageId, now }: { tenantId: string; messageId: string; now: number },
): Promise<boolean> {
  const calls = await callsBehind(tx, { tenantId, messageId, since: now - RATABLE_MS });
  if (calls.words === null && calls.proposals.size === 0) return false;
  const scores = await scoresOf(tx, { tenantId, messageId, calls });
  let hasChanged = false;
  for (const [callId, score] of scores) {
    const scored = await scoreModelCall(tx, { tenantId, callId, score });
    if (!scored || scored.previous === score) continue;
    await changeRating(tx, { ...scored, score }, MOST_VERDICTS);
    hasChanged = true;
  }
  return hasChanged;
}

interface CallsBehind {
  /** By tool call. */
  proposals: Map<string, string>;
  /** The answer that the reply's words are from; null: nobody knows it any more. */
  words: string | null;
}

async function callsBehind(
  tx: Tx,
  { tenantId, messageId, since }: { tenantId: string; messageId: string; since: number },
): Promise<CallsBehind> {
  const rows = await tx
    .select({ toolCallId: agentToolCalls.id, id: modelCallLog.id, at: modelCallLog.createdAt })
    .from(agentToolCalls)
    .innerJoin(
      toolCallCandidates,
      and(
        eq(toolCallCandidates.tenantId, tenantId),
        eq(toolCallCandidates.id, agentToolCalls.candidateId),
      ),
    )
    .innerJoin(
      modelCallLog,
      and(eq(modelCallLog.tenantId, tenantId), eq(modelCallLog.id, toolCallCandidates.modelCallId)),
    )
    .where(and(eq(agentToolCalls.tenantId, tenantId), eq(agentToolCalls.messageId, messageId)));
  const proposals = rows.filter(({ at }) => at >= since);
  const [reply] = await tx
    .select({ runId: messages.runId })
    .from(messages)
    .where(and(eq(messages.tenantId, tenantId), eq(messages.id, messageId)));
  const traceId = reply?.runId ?? null;
  const [last] =
    traceId === null
      ? []
      : await modelCalls(tx, { tenantId, traceId, since, status: "ok", limit: 1 });
  return {
    proposals: new Map(proposals.map(({ toolCallId, id }) => [toolCallId, id])),
    words: last?.callId ?? null,
  };
}

/** By model call; null: no label is about it. */
async function scoresOf(
  tx: Tx,
  of: { tenantId: string; messageId: string; calls: CallsBehind },
): Promise<Map<string, number | null>> {
  const { tenantId, messageId, calls } = of;
  const { proposals, words } = calls;
  const known = [...proposals.values(), ...(words === null ? [] : [words])];
  const scores = new Map<string, number | null>(known.map((id) => [id, null]));
  // of two people at once the second one reads the first one's label
  await tx
    .select({ id: modelCallLog.id })
    .from(modelCallLog)
    .where(and(eq(modelCallLog.tenantId, tenantId), inArray(modelCallLog.id, known)))
    .orderBy(modelCallLog.id)
    .for("update");
  const standing = await tx
    .select({ label: feedback.label, toolCallId: feedback.toolCallId })
    .from(feedback)
    .where(
      and(
        eq(feedback.tenantId, tenantId),
        eq(feedback.messageId, messageId),
        isNull(feedback.retractedAt),
      ),
    )
    .orderBy(asc(feedback.createdAt), asc(feedback.id));
  for (const { label, toolCallId } of standing) {
    const proposal = proposals.get(toolCallId);
    if (proposal !== undefined && !OF_THE_WORDS.includes(label))
      scores.set(proposal, SCORES[label]);
    if (words !== null && !OF_THE_PROPOSAL.includes(label)) scores.set(words, SCORES[label]);
  }
  return scores;
}
