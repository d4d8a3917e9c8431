import type { ToolDefinition } from "../domain/chat-model.ts";
import { newId } from "../domain/ids.ts";
import type { JobRef } from "../domain/jobs.ts";
import { pendingToolsOf } from "../store/approvals.ts";
import type { Tx } from "../store/db.ts";
import { hasOpenHandoff, type ModelCallRow, tenantName } from "../store/engine-reads.ts";
import { contactKyc } from "../store/kyc.ts";
import { LEASE_MS, type Lease } from "../store/lease.ts";
import { lastOrder, type Order } from "../store/orders.ts";
import { type ClaimedRun, claimRun, newestSeq, waitingRunDueAt } from "../store/runs.ts";
import { loadTranscript, type Transcript } from "../store/transcript.ts";
import { isPayoutUnderWay } from "../tools/exchange/payout-key.ts";
import type { Proposing } from "../tools/proposing.ts";
import type { EngineDeps } from "./deps.ts";
import type { Evidence } from "./strategy.ts";

/** Messages of a conversation that a model is shown. */
const TRANSCRIPT_LIMIT = 60;
const MAX_CLIENT_SAYS = 600;

/** What the run knows; read anew at each step, never trusted across one. */
export interface TurnView {
  transcript: Transcript;
  evidence: Evidence[];
  order: Order | null;
  handoffOpen: boolean;
  /** Tools whose approval waits, also those that the system proposed (the identity check). */
  pendingTools: string[];
  /** A person has verified the contact, whoever asked for it. */
  isVerified: boolean;
  /** The newest order's payout is approved, and nobody knows yet that it is made. */
  payoutUnderWay: boolean;
  /** The newest lead message or outcome that the view holds. */
  seenSeq: number;
}

/** One run at work. Changes as it goes; everything that must outlive it is in rows. */
export interface Turn extends ClaimedRun {
  tenantId: string;
  lease: Lease;
  businessName: string;
  view: TurnView;
  tools: ToolDefinition[];
  cycle: number;
  attempts: number;
  /** Real time at which the active work began. */
  startedAt: number;
  /** Model calls that are not written yet: they go into the next transaction. */
  journal: ModelCallRow[];
}

export function newLease(deps: Pick<EngineDeps, "bootId" | "realNow">): Lease {
  return { owner: deps.bootId, token: newId(), untilMs: deps.realNow() + LEASE_MS };
}

/** Claims the run and reads all it needs, in one transaction; null when there is nothing to do. */
export async function openTurn(
  tx: Tx,
  deps: EngineDeps,
  ref: JobRef,
  lease: Lease,
): Promise<Turn | null> {
  const { tenantId, id } = ref;
  const now = deps.clock.now();
  const realNow = deps.realNow();
  const claimed = await claimRun(tx, { tenantId, id, lease, now, realNow });
  if (!claimed) {
    await comeBackWhenDue(tx, deps, ref);
    return null;
  }
  const turn: Turn = {
    ...claimed,
    tenantId,
    lease,
    businessName: await tenantName(tx, tenantId),
    view: EMPTY_VIEW,
    tools: [],
    cycle: claimed.run.cycle,
    attempts: claimed.run.attempts,
    startedAt: realNow,
    journal: [],
  };
  turn.view = await viewTurn(tx, deps, turn);
  return turn;
}

/** The queue's clock ran ahead of the row's, or a message moved the start: the hint comes again. */
async function comeBackWhenDue(tx: Tx, deps: EngineDeps, ref: JobRef): Promise<void> {
  const dueAt = await waitingRunDueAt(tx, ref.tenantId, ref.id);
  const waitMs = dueAt === null ? 0 : dueAt - deps.clock.now();
  if (waitMs > 0) await deps.jobs.enqueue(tx, "run", ref, waitMs);
}

const EMPTY_VIEW: TurnView = {
  transcript: { messages: [], calls: new Map() },
  evidence: [],
  order: null,
  handoffOpen: false,
  pendingTools: [],
  isVerified: false,
  payoutUnderWay: false,
  seenSeq: 0,
};

export async function viewTurn(tx: Tx, deps: EngineDeps, turn: Turn): Promise<TurnView> {
  const { tenantId } = turn;
  const conversationId = turn.conversation.id;
  const transcript = await loadTranscript(tx, {
    tenantId,
    conversationId,
    limit: TRANSCRIPT_LIMIT,
  });
  const leadTexts = unansweredTexts(transcript);
  const order = await lastOrder(tx, { tenantId, conversationId });
  const kyc = await contactKyc(tx, { tenantId, contactId: turn.conversation.contactId });
  return {
    transcript,
    evidence: await deps.strategy.gatherEvidence(tx, { tenantId, leadTexts }),
    order,
    handoffOpen: await hasOpenHandoff(tx, { tenantId, conversationId }),
    pendingTools: await pendingToolsOf(tx, { tenantId, conversationId }),
    isVerified: kyc?.status === "verified",
    payoutUnderWay: order?.status === "payout" && (await isPayoutUnderWay(tx, order)),
    seenSeq: await newestSeq(tx, tenantId, conversationId),
  };
}

/** What the lead wrote since the last words of ours. */
export function unansweredTexts(transcript: Transcript): string[] {
  return unanswered(transcript).map((message) => message.text);
}

export function unanswered(transcript: Transcript) {
  const { messages } = transcript;
  const lastAnswer = messages.findLastIndex(
    (message) => message.kind === "text" && message.author !== "lead",
  );
  return messages.slice(lastAnswer + 1).filter((message) => message.author === "lead");
}

/** One line for a card; null when the lead wrote nothing, as with a photo alone. */
export function clientSays(transcript: Transcript): string | null {
  const texts = unansweredTexts(transcript).map((text) => text.trim());
  const written = texts.filter((text) => text !== "");
  return written.length > 0 ? written.join(" / ").slice(0, MAX_CLIENT_SAYS) : null;
}

/** Where the turn's calls come from. */
export function proposingOf(
  deps: EngineDeps,
  turn: Turn,
  from: Pick<Proposing, "source" | "messageId" | "modelCallId">,
): Proposing {
  return {
    tenantId: turn.tenantId,
    conversationId: turn.conversation.id,
    contactId: turn.conversation.contactId,
    runId: turn.run.id,
    language: turn.conversation.language,
    now: deps.clock.now(),
    maker: turn.conversation.contactId,
    readOnlyRun: turn.run.kind === "continuation" && from.source === "model",
    cycle: turn.cycle,
    lease: { ...turn.lease, untilMs: deps.realNow() + LEASE_MS },
    realNow: deps.realNow(),
    clientSays: clientSays(turn.view.transcript),
    ...from,
  };
}
