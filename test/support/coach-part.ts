import { and, eq } from "drizzle-orm";
import type { FeedbackLabel } from "../../src/domain/feedback.ts";
import type { ShadowSummary } from "../../src/domain/quality.ts";
import type { StyleContent } from "../../src/domain/style.ts";
import type { ShadowEvals } from "../../src/quality/coach/deps.ts";
import { messages } from "../../src/store/schema/chat.ts";
import { runs } from "../../src/store/schema/runs.ts";
import type { QualityPart } from "./quality-part.ts";
import { type PlayedReply, playReply } from "./quality-rows.ts";

const ASKED = "Change 500 USDT please";

/** A lead asked, and a run in this style answered, with one call unless none is wanted. */
export function replyInStyle(
  { tenantId, rows }: QualityPart,
  styleId: string,
  { calls = 1 }: { calls?: 0 | 1 } = {},
): Promise<PlayedReply> {
  return rows(async (tx) => {
    const now = Date.now();
    const made = [{ tool: "ask_rate" }].slice(0, calls);
    const reply = await playReply(tx, { tenantId, now, asked: ASKED, calls: made });
    const ofConversation = eq(messages.conversationId, reply.conversationId);
    await tx
      .update(messages)
      .set({ author: "lead" })
      .where(and(ofConversation, eq(messages.text, ASKED)));
    const [row] = await tx.select().from(messages).where(eq(messages.id, reply.messageId));
    await tx.insert(runs).values({
      ...{ id: row?.runId ?? "", tenantId, conversationId: reply.conversationId, kind: "message" },
      ...{ status: "completed", styleId, dueAt: now, firstMessageAt: now, createdAt: now },
    });
    return reply;
  });
}

/** The same, and an operator marks it. */
export async function markedReply(
  quality: QualityPart,
  { styleId, label, note }: { styleId: string; label: FeedbackLabel; note?: string },
): Promise<string> {
  const { callIds } = await replyInStyle(quality, styleId);
  const body = { label, ...(note === undefined ? {} : { note }) };
  const given = await quality.operator("POST", `/quality/tool-calls/${callIds[0]}/feedback`, body);
  if (given.status !== 201) throw new Error(JSON.stringify(given.body));
  return given.body.id;
}

/** Evals of which each case passes or not by the style that it is shown. */
export function evalsBy(
  cases: Record<string, (style: StyleContent | null) => boolean>,
): ShadowEvals {
  return async ({ before, after }): Promise<ShadowSummary> => {
    const results = Object.entries(cases).map(([name, passes]) => ({
      ...{ name, before: passes(before), after: passes(after) },
    }));
    const names = (of: typeof results) => of.map(({ name }) => name);
    return {
      ...{ modelId: "test", at: Date.now(), total: results.length },
      passedBefore: results.filter((one) => one.before).length,
      passedAfter: results.filter((one) => one.after).length,
      broken: names(results.filter((one) => one.before && !one.after)),
      mended: names(results.filter((one) => !one.before && one.after)),
    };
  };
}
