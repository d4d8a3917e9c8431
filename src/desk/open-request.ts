import { approvalName } from "../domain/approval.ts";
import { type ApprovalRow, approvalById } from "../store/approvals.ts";
import { writeAudit } from "../store/audit.ts";
import type { Tx } from "../store/db.ts";
import { listDestinations } from "../store/destinations.ts";
import { writeOutgoing } from "../store/outbox.ts";
import { countStandingVotes } from "../store/standing-votes.ts";
import { approvalCard } from "../tools/approval-card.ts";
import { cardOf, wholeTextsOf } from "../tools/ask-approval.ts";
import { DECISION_TEXTS } from "./decision-texts.ts";
import type { DeskDeps } from "./deps.ts";
import type { Press } from "./desk-event.ts";
import { isReadByOthers } from "./silence.ts";
import { DESK_TEXTS } from "./texts.ts";

/** Shows the whole card of a request where the button was pressed; it goes on like any other card. */
export async function openRequest(tx: Tx, deps: DeskDeps, press: Press): Promise<string> {
  const { tenantId, staff, click } = press;
  const texts = DECISION_TEXTS[deps.dress.staffLanguage];
  const isStaff = staff?.status === "active";
  if (!isStaff || (await isReadByOthers(tx, tenantId, click))) {
    await noteRefusal(tx, deps, press);
    return isStaff ? texts.elsewhere : DESK_TEXTS[deps.dress.staffLanguage].notAllowed;
  }
  const approval = await approvalById(tx, tenantId, click.value);
  if (!approval) return DESK_TEXTS[deps.dress.staffLanguage].gone;
  const name = approvalName(approval.number);
  if (approval.status !== "pending" && approval.status !== "frozen")
    return texts.overAlready(name, DESK_TEXTS[deps.dress.staffLanguage].status[approval.status]);
  // in another channel of Slack only the answer itself is sure to be seen
  if (!(await isOwnChat(tx, press))) return factsText(approval);
  await postCard(tx, deps, press, approval);
  return texts.opened(name);
}

async function isOwnChat(tx: Tx, { tenantId, click }: Press): Promise<boolean> {
  if (click.chatKind === "private") return true;
  const known = await listDestinations(tx, tenantId);
  return known.some(
    ({ messenger, chatId }) => messenger === click.messenger && chatId === click.chatId,
  );
}

async function postCard(
  tx: Tx,
  deps: DeskDeps,
  { tenantId, click }: Press,
  approval: ApprovalRow,
): Promise<void> {
  const { jobs, staffLanguage: language, sandbox } = deps.dress;
  const { id: approvalId, conversationId } = approval;
  const votes = await countStandingVotes(tx, approval);
  const card = approvalCard(cardOf(approval, { votes, outcome: null }), { language, sandbox });
  const to = { channelId: click.channelId, chatId: click.chatId, conversationId };
  await writeOutgoing(tx, { jobs, tenantId, now: deps.clock.now() }, [
    ...wholeTextsOf(approval, language).map((whole) => ({
      ...to,
      purpose: "notice" as const,
      content: { kind: "card" as const, card: whole },
    })),
    { ...to, purpose: "card", approvalId, content: { kind: "card", card } },
  ]);
}

function factsText({ number, materialJson }: ApprovalRow): string {
  const facts = materialJson.map(({ label, value }) => `${label}: ${value}`);
  return [approvalName(number), ...facts].join("\n");
}

async function noteRefusal(tx: Tx, deps: DeskDeps, { tenantId, staff }: Press): Promise<void> {
  await writeAudit(tx, [
    {
      tenantId,
      eventType: "click.refused",
      summary: "asked to see a request and may not",
      decision: "forbidden",
      createdAt: deps.clock.now(),
      userId: staff?.id ?? null,
    },
  ]);
}
