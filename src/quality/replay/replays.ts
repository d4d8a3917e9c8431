import { UserError } from "../../domain/errors.ts";
import type { AskedModel, ModelAttempt } from "../../domain/model-attempt.ts";
import type { PolicyRow } from "../../domain/policy-row.ts";
import type { ReplayedTurn } from "../../domain/quality.ts";
import type { ReplyStrategy } from "../../engine/strategy.ts";
import type { Clock } from "../../lib/clock.ts";
import { conversationOf } from "../../store/conversations.ts";
import { type Db, withTenant } from "../../store/db.ts";
import { voiceOf } from "../../store/engine-reads.ts";
import { insertAttempts } from "../../store/model-calls.ts";
import { listPolicyRows } from "../../store/policies.ts";
import { insertReplay, recordedGates } from "../../store/replay-reads.ts";
import { activeToolNames } from "../../store/tool-registry.ts";
import { loadTranscript } from "../../store/transcript.ts";
import type { Registry } from "../../tools/registry.ts";
import { replayConversation } from "./replay-conversation.ts";

/** A model and its name in reports. */
export interface NamedModel {
  model: AskedModel;
  modelId: string;
}

/** What replays are made with. */
export interface ReplayDeps {
  db: Db;
  clock: Clock;
  registry: Registry;
  strategy: ReplyStrategy;
  /** null as a name: the one that answers clients. */
  modelNamed(of: { tenantId: string; name: string | null }): NamedModel;
}

/** `model`: null: no model is asked. `policies`: null: the rules as they stand. */
export interface ReplayWish {
  tenantId: string;
  conversationId: string;
  model: { name: string | null } | null;
  policies: readonly PolicyRow[] | null;
  by: string;
}

/** Messages of a conversation that are looked at, the newest. */
const MESSAGES = 400;

/**
 * Replays one conversation and keeps what came out. Each model call takes its time; no transaction is
 * open meanwhile. Throws UserError for a conversation that holds no answer of a model.
 */
export async function makeReplay(
  deps: ReplayDeps,
  wish: ReplayWish,
  signal: AbortSignal,
): Promise<{ id: string; modelId: string; turns: ReplayedTurn[] }> {
  const { tenantId, conversationId } = wish;
  const read = await readConversation(deps, wish);
  const attempts: ModelAttempt[] = [];
  const named = wish.model
    ? noting(deps.modelNamed({ tenantId, name: wish.model.name }), attempts)
    : null;
  const tools = named ? await deps.strategy.resolveTools({ tenantId, conversationId }) : [];
  const { transcript, gates, businessName, style, language } = read;
  const turns = await replayConversation(
    {
      ...{ transcript, gates, businessName, style, language },
      rules: {
        registry: deps.registry,
        policies: wish.policies ?? read.policies,
        activeTools: read.activeTools,
      },
      model: named && { ...named, tools },
      evidenceFor: (leadTexts) =>
        withTenant(deps.db, tenantId, (tx) =>
          deps.strategy.gatherEvidence(tx, { tenantId, leadTexts }),
        ),
    },
    signal,
  );
  await withTenant(deps.db, tenantId, (tx) => insertAttempts(tx, tenantId, attempts));
  if (turns.length === 0)
    throw new UserError(
      "unprocessable",
      "The bot has answered nothing in this conversation; choose one with replies",
      "conversation_id",
    );
  const modelId = named?.modelId ?? "";
  const id = await withTenant(deps.db, tenantId, (tx) =>
    insertReplay(tx, {
      ...{ tenantId, conversationId, modelId, turnsJson: turns },
      policiesJson: wish.policies ? [...wish.policies] : null,
      ...{ createdBy: wish.by, createdAt: deps.clock.now() },
    }),
  );
  return { id, modelId, turns };
}

/** What is asked is written down, whatever becomes of the replay. */
function noting({ model, modelId }: NamedModel, attempts: ModelAttempt[]): NamedModel {
  return {
    modelId,
    model: {
      async chat(request) {
        const outcome = await model.chat(request);
        attempts.push(...outcome.attempts);
        return outcome;
      },
    },
  };
}

function readConversation(deps: ReplayDeps, { tenantId, conversationId }: ReplayWish) {
  return withTenant(deps.db, tenantId, async (tx) => {
    const { language } = await conversationOf(tx, tenantId, conversationId);
    return {
      language,
      ...(await voiceOf(tx, tenantId)),
      transcript: await loadTranscript(tx, { tenantId, conversationId, limit: MESSAGES }),
      gates: await recordedGates(tx, { tenantId, conversationId }),
      policies: await listPolicyRows(tx, tenantId),
      activeTools: await activeToolNames(tx, tenantId),
    };
  });
}
