import type { DeskAnswer } from "../../domain/desk.ts";
import type { ClickEvent } from "../../domain/inbound.ts";
import type { JsonObject } from "../../domain/json.ts";
import { maskedCode } from "../../domain/payout-code.ts";
import type { ToolReply } from "../../domain/tool.ts";
import { conversationOf } from "../../store/conversations.ts";
import type { Tx } from "../../store/db.ts";
import { changeHandoffCards } from "../../store/handoff-cards.ts";
import { changeOrder, NO_PAYOUT_CODE, type Order, orderName } from "../../store/orders.ts";
import { donePayoutOf, type PayoutCodeDraft, sealPayoutCode } from "../../store/payout-codes.ts";
import { setCandidate } from "../../store/proposals.ts";
import type { StaffMember } from "../../store/staff.ts";
import { addMessage } from "../../store/transcript.ts";
import { payoutKey } from "../../tools/exchange/payout-key.ts";
import { sendPayoutCode } from "../../tools/exchange/tools/send-payout-code.ts";
import { PAYOUT_CODE } from "../../tools/handoff-card.ts";
import { isoTime } from "../../tools/results.ts";
import type { DeskDeps } from "../deps.ts";
import { type CodeWork, findPayout, noteCode, noteRefusal } from "./find-payout.ts";
import { CODE_TEXTS } from "./texts.ts";
import { keepDraft } from "./type-code.ts";

/** Nobody reads a code faster: the second press of a double click shows it again. Product time. */
const READING_MS = 2_000;

/** The operator has checked what was typed: the code goes to the lead, once. */
export async function sendTypedCode(
  tx: Tx,
  deps: DeskDeps,
  given: { tenantId: string; staff: StaffMember | null; click: ClickEvent },
): Promise<DeskAnswer> {
  const { tenantId, staff, click } = given;
  const texts = CODE_TEXTS[deps.dress.staffLanguage];
  const found = await findPayout(tx, deps, { tenantId, handoffId: click.value, staff });
  if (found.kind === "refused")
    return { text: await noteRefusal(tx, deps, found, staff), alert: true };
  const { work } = found;
  const { draft, order } = work;
  const name = orderName(order);
  if (!draft) return { text: texts.nothingTyped(name), alert: true };
  if (draft.by?.id !== work.staff.id)
    return { text: texts.notYours(draft.by?.name ?? "?"), alert: true };
  const now = deps.clock.now();
  if (draft.until !== null && draft.until <= now) {
    await changeOrder(tx, { tenantId, id: order.id, now }, NO_PAYOUT_CODE);
    return { text: texts.ended, replaces: true };
  }
  const { code, until } = draft;
  const mask = maskedCode(code);
  const sendableFrom = draft.sendableFrom ?? now + READING_MS;
  if (now < sendableFrom) {
    await keepDraft(tx, deps, work, { code, until, typedAt: draft.typedAt, sendableFrom });
    const privately = texts.checkWhole({ order: name, code, until });
    return { text: texts.check(name, mask), privately, alert: true };
  }
  await send(tx, deps, work, draft);
  return { text: texts.sent(name, mask), replaces: true };
}

async function send(tx: Tx, deps: DeskDeps, work: CodeWork, draft: PayoutCodeDraft): Promise<void> {
  const { tenantId, handoffId, staff } = work;
  const { code, until } = draft;
  const now = deps.clock.now();
  const { jobs, staffLanguage } = deps.dress;
  const place = { tenantId, orderId: work.order.id };
  const order = await changeOrder(
    tx,
    { tenantId, id: work.order.id, now },
    {
      ...NO_PAYOUT_CODE,
      payoutCode: sealPayoutCode(deps.secrets, place, code),
      payoutCodeExpiresAt: until,
    },
  );
  const { language } = await conversationOf(tx, tenantId, order.conversationId);
  const amount = await tellModel(tx, order, now);
  await sendPayoutCode(tx, jobs, { order, amount, language, now });
  const texts = CODE_TEXTS[staffLanguage];
  const value = texts.cardValue(maskedCode(code), staff.name, now, until);
  await changeHandoffCards(
    tx,
    { jobs, tenantId, now },
    {
      handoffId,
      change: (card) => ({
        ...card,
        facts: [...card.facts, { label: texts.card, value }],
        buttons: card.buttons.filter(({ action }) => action !== PAYOUT_CODE),
      }),
    },
  );
  await noteCode(tx, deps, { order, by: staff.id, eventType: "payout_code.sent" });
}

/** The call's own result now says that a code was delivered, and never which. Answers the sum. */
async function tellModel(tx: Tx, order: Order, now: number): Promise<string> {
  const { tenantId, conversationId, payoutCodeExpiresAt } = order;
  const done = await donePayoutOf(tx, tenantId, payoutKey(order));
  const amount = typeof done?.action.amount === "string" ? done.action.amount : order.amountTo;
  if (!done) return amount;
  const { reply, candidateId } = done;
  const { reason: _byHand, ...data } = fieldsOf(reply);
  data.codeDelivered = true;
  data.needsOperator = false;
  if (payoutCodeExpiresAt !== null) data.expiresAt = isoTime(payoutCodeExpiresAt);
  await setCandidate(tx, {
    tenantId,
    id: candidateId,
    reply: {
      ...reply,
      ok: true,
      status: "completed",
      summary: `${orderName(order)}: the code was delivered to the client`,
      data,
    },
  });
  const name = reply?.approval ? `${reply.approval} (issue_exchange_payout)` : "The payout";
  await addMessage(tx, {
    ...{ tenantId, conversationId, author: "system", kind: "event", runId: null, now },
    text: `${name}: its code was delivered to the client in a message of its own; do not call it again.`,
  });
  return amount;
}

function fieldsOf(reply: ToolReply | null): JsonObject {
  const data = reply?.data;
  return data !== null && typeof data === "object" && !Array.isArray(data) ? { ...data } : {};
}
