import { and, asc, eq, inArray } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import type { JsonObject } from "../domain/json.ts";
import type { PolicyRow } from "../domain/policy-row.ts";
import type { ReplayedTurn } from "../domain/quality.ts";
import type { Tx } from "./db.ts";
import { conversationReplays } from "./schema/quality.ts";
import { policyGateLog, toolCallCandidates } from "./schema/tools.ts";

/** What a gate said of a call when it was proposed, and on which facts. */
export interface RecordedGate {
  candidateId: string;
  policyResult: "allow" | "approval" | "deny";
  blockReason: string | null;
  facts: JsonObject;
}

/** Of the calls that a model proposed in one conversation, oldest first. */
export async function recordedGates(
  tx: Tx,
  of: { tenantId: string; conversationId: string },
): Promise<RecordedGate[]> {
  const { tenantId, conversationId } = of;
  const candidates = tx
    .select({ id: toolCallCandidates.id })
    .from(toolCallCandidates)
    .where(
      and(
        eq(toolCallCandidates.tenantId, tenantId),
        eq(toolCallCandidates.conversationId, conversationId),
        eq(toolCallCandidates.source, "model"),
      ),
    );
  return tx
    .select({
      candidateId: policyGateLog.candidateId,
      policyResult: policyGateLog.policyResult,
      blockReason: policyGateLog.blockReason,
      facts: policyGateLog.factsJson,
    })
    .from(policyGateLog)
    .where(
      and(
        eq(policyGateLog.tenantId, tenantId),
        eq(policyGateLog.moment, "proposal"),
        inArray(policyGateLog.candidateId, candidates),
      ),
    )
    .orderBy(asc(policyGateLog.createdAt), asc(policyGateLog.id));
}

/** A replay as it is kept. */
export interface Replay {
  tenantId: string;
  conversationId: string;
  /** Empty: no model was asked. */
  modelId: string;
  policiesJson: PolicyRow[] | null;
  turnsJson: ReplayedTurn[];
  /** Staff id, or `setup`. */
  createdBy: string;
  createdAt: number;
}

/** Answers its id. */
export async function insertReplay(tx: Tx, replay: Replay): Promise<string> {
  const id = newId();
  await tx.insert(conversationReplays).values({ id, ...replay });
  return id;
}

/** null: there is none of this id. */
export async function replayById(tx: Tx, tenantId: string, id: string) {
  const [row] = await tx
    .select()
    .from(conversationReplays)
    .where(and(eq(conversationReplays.tenantId, tenantId), eq(conversationReplays.id, id)));
  return row ?? null;
}
