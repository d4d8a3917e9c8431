import type { DeskAnswer } from "../domain/desk.ts";
import { CLOSE_HANDOFF, RESEND_REPLY } from "../domain/messenger.ts";
import { writeAudit } from "../store/audit.ts";
import type { Tx } from "../store/db.ts";
import {
  APPROVE,
  EDIT,
  HAPPENED,
  NOT_HAPPENED,
  REJECT,
  readBoundValue,
  UNFREEZE,
} from "../tools/approval-card.ts";
import { APPROVE_ALL, OPEN } from "../tools/digest-card.ts";
import { HANDED_OVER, PAYOUT_CODE } from "../tools/handoff-card.ts";
import { answerUnknown } from "./answer-unknown.ts";
import { approveAll } from "./approve-all.ts";
import { markHandoffDone } from "./close-handoff.ts";
import { decide } from "./decide.ts";
import type { DeskDeps } from "./deps.ts";
import type { Press } from "./desk-event.ts";
import { answerEditPress } from "./edit-form.ts";
import { openRequest } from "./open-request.ts";
import { sendTypedCode } from "./payout-code/send-code.ts";
import { answerAsking, SEND_CODE, TYPE_AGAIN } from "./payout-code/type-code.ts";
import { resendReply } from "./resend-reply.ts";
import { DESK_TEXTS } from "./texts.ts";
import { unfreeze } from "./unfreeze.ts";

/** What a button does; every button says who may press it. */
export async function answerPress(tx: Tx, deps: DeskDeps, press: Press): Promise<DeskAnswer> {
  switch (press.click.action) {
    case PAYOUT_CODE:
    case TYPE_AGAIN:
      return answerAsking(tx, deps, press);
    case SEND_CODE:
      return sendTypedCode(tx, deps, press);
    case EDIT:
      return answerEditPress(tx, deps, press);
    case OPEN:
      return { text: await openRequest(tx, deps, press) };
    case APPROVE_ALL:
      return { text: await approveAll(tx, deps, press) };
    default:
      return { text: await pressed(tx, deps, press) };
  }
}

async function pressed(tx: Tx, deps: DeskDeps, { tenantId, staff, click }: Press): Promise<string> {
  const { action, value, messenger: via } = click;
  const approvalId = value;
  switch (action) {
    case APPROVE:
    case REJECT: {
      const decision = { tenantId, staff, decision: action, via, place: click } as const;
      return (await decide(tx, deps, { ...decision, ...readBoundValue(value) })).message;
    }
    case UNFREEZE:
      return unfreeze(tx, deps, { tenantId, approvalId, staff, place: click });
    case HAPPENED:
    case NOT_HAPPENED: {
      const happened = action === HAPPENED;
      return answerUnknown(tx, deps, { tenantId, approvalId, staff, happened, via, place: click });
    }
    case CLOSE_HANDOFF:
    case HANDED_OVER: {
      const isHandedOver = action === HANDED_OVER;
      return markHandoffDone(tx, deps, { tenantId, handoffId: value, staff, isHandedOver });
    }
    case RESEND_REPLY:
      return resendReply(tx, deps, { tenantId, outboxId: value, staff });
    default:
      await noteUnknown(tx, deps, { tenantId, staff, click });
      return DESK_TEXTS[deps.dress.staffLanguage].unknownButton;
  }
}

/** What was sent may be anything, so nothing of it is kept. */
function noteUnknown(tx: Tx, deps: DeskDeps, { tenantId, staff, click }: Press): Promise<void> {
  return writeAudit(tx, [
    {
      ...{ tenantId, userId: staff?.id ?? null, createdAt: deps.clock.now() },
      eventType: "click.refused",
      summary: "a button that no card has",
      decision: "unknown_button",
      refs: { via: click.messenger, person: click.person.id },
    },
  ]);
}
