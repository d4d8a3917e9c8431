import { and, eq, inArray, sql } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import type { ReplyStyle, StyleSkill } from "../domain/style.ts";
import type { Tx } from "./db.ts";
import { handoffs } from "./schema/chat.ts";
import { agentStyles, promptVersions } from "./schema/quality.ts";
import { agentToolCalls } from "./schema/runs.ts";
import { tenants } from "./schema/tenancy.ts";
import { toolCallCandidates } from "./schema/tools.ts";
import { insertRows, statement, type ValueAt } from "./statement.ts";

/** Who speaks, and how. */
export interface Voice {
  /** As clients are told it; the id when nothing is stored. */
  businessName: string;
  /** The active version of the active style; null: there is none. */
  style: ReplyStyle | null;
}

/** Read with every turn, in one statement: a change shows with the next message. */
export async function voiceOf(tx: Tx, tenantId: string): Promise<Voice> {
  const [row] = await voice(tx, { tenantId });
  if (!row) return { businessName: tenantId, style: null };
  const { businessName, styleId, version, guidance, examples, skills } = row;
  if (styleId === null || version === null || guidance === null || examples === null)
    return { businessName, style: null };
  return { businessName, style: { id: styleId, version, guidance, examples, skills } };
}

const voice = statement((on, value: ValueAt<{ tenantId: string }>) =>
  on
    .select({
      businessName: tenants.name,
      styleId: promptVersions.styleId,
      version: promptVersions.version,
      guidance: promptVersions.guidance,
      examples: promptVersions.examplesJson,
      skills: sql<StyleSkill[]>`(
        select coalesce(
          jsonb_agg(jsonb_build_object('id', v.id, 'text', v.text) order by v.place), '[]')
        from (
          select w.place, coalesce(w.skill ->> 'id', w.skill #>> '{}') as id,
            coalesce(w.skill ->> 'text', k.text) as text
          from jsonb_array_elements(${promptVersions.skillsJson}) with ordinality w(skill, place)
          left join agent_skills k on k.tenant_id = ${tenants.id} and k.skill_id = w.skill #>> '{}'
        ) v where v.text is not null)`,
    })
    .from(tenants)
    .leftJoin(
      agentStyles,
      and(eq(agentStyles.tenantId, tenants.id), eq(agentStyles.isActive, true)),
    )
    .leftJoin(
      promptVersions,
      and(
        eq(promptVersions.tenantId, tenants.id),
        eq(promptVersions.styleId, agentStyles.styleId),
        eq(promptVersions.isActive, true),
      ),
    )
    .where(eq(tenants.id, value("tenantId"))),
);

/** Does a person owe this client an answer? */
export async function hasOpenHandoff(
  tx: Tx,
  query: { tenantId: string; conversationId: string },
): Promise<boolean> {
  return (await openHandoff(tx, query)).length > 0;
}

const openHandoff = statement((on, value: ValueAt<{ tenantId: string; conversationId: string }>) =>
  on
    .select({ id: handoffs.id })
    .from(handoffs)
    .where(
      and(
        eq(handoffs.tenantId, value("tenantId")),
        eq(handoffs.conversationId, value("conversationId")),
        inArray(handoffs.status, ["open", "accepted"]),
      ),
    )
    .limit(1),
);

/** The calls of a run become the reply's trace: one row a call, none for a plain answer. */
export async function recordTrace(
  tx: Tx,
  trace: {
    tenantId: string;
    runId: string;
    conversationId: string;
    contactId: string;
    messageId: string;
    outboundId: string | null;
    now: number;
  },
): Promise<void> {
  const calls = await tx
    .select()
    .from(toolCallCandidates)
    .where(
      and(
        eq(toolCallCandidates.tenantId, trace.tenantId),
        eq(toolCallCandidates.runId, trace.runId),
        eq(toolCallCandidates.source, "model"),
      ),
    );
  await insertRows(
    tx,
    agentToolCalls,
    calls.map((call) => ({
      id: newId(),
      tenantId: trace.tenantId,
      conversationId: trace.conversationId,
      contactId: trace.contactId,
      messageId: trace.messageId,
      outboundId: trace.outboundId,
      candidateId: call.id,
      source: call.source,
      toolName: call.toolName,
      args: call.argumentsJson,
      result: call.reply,
      isError: call.reply?.ok === false,
      cycle: call.cycle,
      toolCallIndex: call.ordinal,
      latencyMs: call.settledAt === null ? null : Math.max(0, call.settledAt - call.createdAt),
      createdAt: trace.now,
    })),
  );
}
