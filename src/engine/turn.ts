import type { ToolDefinition } from "../domain/chat-model.ts";
import { newId } from "../domain/ids.ts";
import type { JobRef } from "../domain/jobs.ts";
import type { ReplyStyle } from "../domain/style.ts";
import { pendingToolsOf } from "../store/approvals.ts";
import type { Tx } from "../store/db.ts";
import { hasOpenHandoff, voiceOf } from "../store/engine-reads.ts";
import { contactKyc } from "../store/kyc.ts";
import { LEASE_MS, type Lease } from "../store/lease.ts";
import { lastOrder, type Order } from "../store/orders.ts";
import { type Logs, noLogs, writeLogs } from "../store/run-logs.ts";
import { type ClaimedRun, claimRun, newestSeq, waitingRunDueAt } from "../store/runs.ts";
import { loadTranscript, type Transcript } from "../store/transcript.ts";
import { withdrawnTools } from "../store/withdrawn-tools.ts";
import { isPayoutUnderWay } from "../tools/exchange/payout-key.ts";
import type { Proposing } from "../tools/proposing.ts";
import type { EngineDeps } from "./deps.ts";
import { type Late, lateOf } from "./late.ts";
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
  /** Not offered in this turn: people have just declined their proposals several times running. */
  withdrawnTools: ReadonlySet<string>;
  /** The newest lead message or outcome that the view holds. */
  seenSeq: number;
}

/** One run at work. Changes as it goes; everything that must outlive it is in rows. */
export interface Turn extends ClaimedRun {
  tenantId: string;
  lease: Lease;
  businessName: string;
  /** Read once, when the run begins or goes on. */
  style: ReplyStyle | null;
  view: TurnView;
  tools: ToolDefinition[];
  cycle: number;
  attempts: number;
  /** What the run has cost so far, USD, a decimal. */
  spent: string;
  /** Real time at which the active work began. */
  startedAt: number;
  /** Its words have waited for long; null: they have not. */
  late: Late | null;
  /** What was measured and is not written yet. */
  logs: Logs;
}

/** A fresh token each time: who held the row before is refused by it. */
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
    businessName: "",
    style: null,
    view: EMPTY_VIEW,
    tools: [],
    cycle: claimed.run.cycle,
    attempts: claimed.run.attempts,
    spent: claimed.run.spent,
    startedAt: realNow,
    late: null,
    logs: noLogs(),
  };
  turn.logs.latencies.push({
    ...{ tenantId, runId: id, component: "queue", operation: "run", createdAt: now },
    latencyMs: Math.max(0, now - claimed.run.dueAt),
  });
  [{ businessName: turn.businessName, style: turn.style }, turn.view] = await Promise.all([
    voiceOf(tx, tenantId),
    viewTurn(tx, deps, turn),
  ]);
  turn.late = lateOf(turn.run, unanswered(turn.view.transcript), now);
  return turn;
}

/** The queue's clock ran ahead of the row's, or a message moved the start: the hint comes again. */
async function comeBackWhenDue(tx: Tx, deps: EngineDeps, ref: JobRef): Promise<void> {
  const dueAt = await waitingRunDueAt(tx, ref.tenantId, ref.id);
  const waitMs = dueAt === null ? 0 : dueAt - deps.clock.now();
  if (waitMs > 0) await deps.jobs.enqueue(tx, "run", ref, waitMs);
}

/** Under which lease the run's rows may be written. */
export function ownOf({ tenantId, run, lease }: Turn) {
  return { tenantId, id: run.id, token: lease.token };
}

/** What was measured and not written yet. */
export async function flushLogs(tx: Tx, turn: Turn): Promise<void> {
  await writeLogs(tx, turn.logs);
  turn.logs = noLogs();
}

const EMPTY_VIEW: TurnView = {
  transcript: { messages: [], calls: new Map() },
  evidence: [],
  order: null,
  handoffOpen: false,
  pendingTools: [],
  isVerified: false,
  payoutUnderWay: false,
  withdrawnTools: new Set(),
  seenSeq: 0,
};

/** The conversation as it stands in this transaction; messages with a higher `seq` came later. */
export async function viewTurn(tx: Tx, deps: EngineDeps, turn: Turn): Promise<TurnView> {
  const { tenantId } = turn;
  const [rows, seenSeq] = await Promise.all([
    rowsOf(tx, turn),
    newestSeq(tx, tenantId, turn.conversation.id),
  ]);
  const leadTexts = unansweredTexts(rows.transcript);
  const evidence = await deps.strategy.gatherEvidence(tx, { tenantId, leadTexts });
  return { ...rows, evidence, seenSeq };
}

/** What the calls changed; what the lead wrote meanwhile is taken in only at the reply. */
export async function viewAfterCalls(tx: Tx, turn: Turn): Promise<TurnView> {
  const { seenSeq, evidence } = turn.view;
  const rows = await rowsOf(tx, turn);
  const messages = rows.transcript.messages.filter(
    (message) => message.author !== "lead" || message.seq <= seenSeq,
  );
  return { ...rows, evidence, seenSeq, transcript: { ...rows.transcript, messages } };
}

/** Read together: nothing here waits for the other, and the conversation is locked, or the run's own. */
async function rowsOf(tx: Tx, turn: Turn): Promise<Omit<TurnView, "evidence" | "seenSeq">> {
  const { tenantId } = turn;
  const { id: conversationId, contactId } = turn.conversation;
  const [transcript, order, kyc, handoffOpen, pendingTools, withdrawn] = await Promise.all([
    loadTranscript(tx, { tenantId, conversationId, limit: TRANSCRIPT_LIMIT }),
    lastOrder(tx, { tenantId, conversationId }),
    contactKyc(tx, { tenantId, contactId }),
    hasOpenHandoff(tx, { tenantId, conversationId }),
    pendingToolsOf(tx, { tenantId, conversationId }),
    withdrawnTools(tx, { tenantId, conversationId, runId: turn.run.id }),
  ]);
  return {
    ...{ transcript, order, handoffOpen, pendingTools, withdrawnTools: withdrawn },
    isVerified: kyc?.status === "verified",
    payoutUnderWay: order?.status === "payout" && (await isPayoutUnderWay(tx, order)),
  };
}

/** What the lead wrote since the last words of ours. */
export function unansweredTexts(transcript: Transcript): string[] {
  return unanswered(transcript).map((message) => message.text);
}

/** What the lead wrote after the last text that was not theirs. */
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
