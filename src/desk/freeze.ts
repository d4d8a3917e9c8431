import { approvalName } from "../domain/approval.ts";
import { type ApprovalRow, setApproval } from "../store/approvals.ts";
import type { Tx } from "../store/db.ts";
import { executionOfApproval } from "../store/executions.ts";
import { conversationOfChat, lockObjectable } from "../store/objected-approvals.ts";
import { setCandidate } from "../store/proposals.ts";
import { countStandingVotes } from "../store/standing-votes.ts";
import { addMessage } from "../store/transcript.ts";
import { frozenReply } from "../tools/replies.ts";
import { announceCard } from "./announce.ts";
import type { DeskDeps } from "./deps.ts";
import { FREEZE_TEXTS } from "./freeze-texts.ts";
import { stanceOf } from "./objection.ts";
import { oneLine, saidNow } from "./said-now.ts";
import { note, showCards } from "./show-approval.ts";
import { showEdited } from "./show-edited.ts";

/** Stands in rows as the reason of a freeze; cards have a text for it. */
export const CUSTOMER_OBJECTED = "customer_objected";
/** The freeze stays: only a person lifts it, whatever the client writes. */
export const CUSTOMER_TOOK_BACK = "customer_took_back";

/** An action that was done before this is history: an objection now is about something else. */
const JUST_DONE_MS = 3_600_000;

/** A message as it came in, before any run has read it. */
export interface LeadText {
  tenantId: string;
  channelId: string;
  chatId: string;
  text: string;
  /** The messenger's id of the message whose words these are now. */
  editOf?: string;
}

/**
 * A client's message, before anything else is done with it: words against an action that waits
 * freeze it, whatever a model may make of them later. Words in its favour free nothing.
 */
export async function heedObjection(tx: Tx, deps: DeskDeps, said: LeadText): Promise<void> {
  const stance = stanceOf(said.text);
  if (stance === null && said.editOf !== undefined)
    await showEdited(tx, deps, { ...said, editOf: said.editOf });
  if (stance === null) return;
  const conversationId = await conversationOfChat(tx, said);
  if (conversationId === null) return;
  const { tenantId } = said;
  const doneSince = deps.clock.now() - JUST_DONE_MS;
  const approvals = await lockObjectable(tx, { tenantId, conversationId, doneSince });
  if (approvals.length === 0) return;
  const words = oneLine(said.text);
  if (stance === "objects") await object(tx, deps, { approvals, words });
  else await takeBack(tx, deps, { approvals, words });
}

interface Heard {
  approvals: readonly ApprovalRow[];
  /** The client's own, one line. */
  words: string;
}

async function object(tx: Tx, deps: DeskDeps, { approvals, words }: Heard): Promise<void> {
  const frozen: ApprovalRow[] = [];
  const tooLate: ApprovalRow[] = [];
  for (const approval of approvals) {
    const isFrozen = approval.status === "frozen" && approval.frozenReason === CUSTOMER_OBJECTED;
    if (isFrozen) await hearMore(tx, deps, approval, words);
    else if (await isHoldable(tx, approval)) frozen.push(await freeze(tx, deps, approval, words));
    else tooLate.push(approval);
  }
  const texts = FREEZE_TEXTS[deps.dress.staffLanguage];
  await tell(tx, deps, { approvals: frozen, words }, texts.frozen);
  // one that was done before tells nothing when there is something that could be stopped
  if (frozen.length === 0) await tell(tx, deps, { approvals: tooLate, words }, texts.tooLate);
}

/** Nothing has left the house: it waits for a decision, or for its worker. */
async function isHoldable(tx: Tx, approval: ApprovalRow): Promise<boolean> {
  if (approval.status !== "approved") return true;
  const execution = await executionOfApproval(tx, approval.tenantId, approval.id);
  return execution?.status === "queued" || execution?.status === "retry_scheduled";
}

/** The worker that comes for an approved one finds it frozen, and leaves it. */
async function freeze(
  tx: Tx,
  deps: DeskDeps,
  before: ApprovalRow,
  words: string,
): Promise<ApprovalRow> {
  const { tenantId, id } = before;
  const now = deps.clock.now();
  const change = {
    ...{ status: "frozen" as const, frozenAt: now, frozenReason: CUSTOMER_OBJECTED },
    clientSays: saidNow(before, words),
  };
  const approval = { ...before, ...change };
  await setApproval(tx, { tenantId, id, ...change });
  await setCandidate(tx, {
    tenantId,
    id: approval.candidateId,
    reply: frozenReply(approval.number),
  });
  await showFrozen(tx, deps, approval);
  await note(tx, deps, approval, { eventType: "approval.frozen", by: null, decision: "frozen" });
  await tellModel(
    tx,
    deps,
    approval,
    "is now frozen, because the client objected; nothing is done unless an operator lets it go on; tell the lead so; do not call it again.",
  );
  return approval;
}

/** Frozen already: the cards show what the client says now, too. */
async function hearMore(tx: Tx, deps: DeskDeps, before: ApprovalRow, words: string): Promise<void> {
  const clientSays = saidNow(before, words);
  await setApproval(tx, { tenantId: before.tenantId, id: before.id, clientSays });
  await showFrozen(tx, deps, { ...before, clientSays });
}

async function takeBack(tx: Tx, deps: DeskDeps, { approvals, words }: Heard): Promise<void> {
  const freed: ApprovalRow[] = [];
  for (const before of approvals) {
    if (before.frozenReason !== CUSTOMER_OBJECTED || before.status !== "frozen") continue;
    const { tenantId, id } = before;
    const change = { frozenReason: CUSTOMER_TOOK_BACK, clientSays: saidNow(before, words) };
    const approval = { ...before, ...change };
    await setApproval(tx, { tenantId, id, ...change });
    await showFrozen(tx, deps, approval);
    await note(tx, deps, approval, { eventType: "approval.taken_back", by: null, decision: null });
    await tellModel(
      tx,
      deps,
      approval,
      "is still frozen: the client took the objection back, and an operator must let it go on; tell the lead so; do not call it again.",
    );
    freed.push(approval);
  }
  const { takenBack } = FREEZE_TEXTS[deps.dress.staffLanguage];
  await tell(tx, deps, { approvals: freed, words }, takenBack);
}

async function showFrozen(tx: Tx, deps: DeskDeps, approval: ApprovalRow): Promise<void> {
  const votes = await countStandingVotes(tx, approval);
  await showCards(tx, deps, approval, { votes, outcome: null });
}

/** A line before the client's words: what the system proposed has no call that would show it. */
async function tellModel(
  tx: Tx,
  deps: DeskDeps,
  approval: ApprovalRow,
  state: string,
): Promise<void> {
  const { tenantId, conversationId } = approval;
  if (conversationId === null) return;
  await addMessage(tx, {
    ...{ tenantId, conversationId, author: "system", kind: "event", runId: null },
    text: `${approvalName(approval.number)} (${approval.toolName}) ${state}`,
    now: deps.clock.now(),
  });
}

/** As a card, so that the client's words stand apart: no link, mention or row of ours is made of them. */
async function tell(
  tx: Tx,
  deps: DeskDeps,
  { approvals, words }: Heard,
  said: { title(names: string): string; next: string },
): Promise<void> {
  const [first] = approvals;
  if (!first) return;
  const names = approvals.map(({ number }) => approvalName(number)).join(", ");
  const write = { jobs: deps.dress.jobs, tenantId: first.tenantId, now: deps.clock.now() };
  const texts = FREEZE_TEXTS[deps.dress.staffLanguage];
  await announceCard(tx, write, {
    title: said.title(names),
    facts: [{ label: texts.nextStep, value: said.next }],
    clientSays: { label: texts.clientSays, text: words },
    footer: [],
    buttons: [],
  });
}
