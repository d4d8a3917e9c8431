import type { DeskAnswer } from "../domain/desk.ts";
import type { ClickEvent } from "../domain/inbound.ts";
import { CLOSE_HANDOFF, RESEND_REPLY } from "../domain/messenger.ts";
import type { Tx } from "../store/db.ts";
import type { StaffMember } from "../store/staff.ts";
import { APPROVE, HAPPENED, NOT_HAPPENED, REJECT } from "../tools/approval-card.ts";
import { HANDED_OVER, PAYOUT_CODE } from "../tools/handoff-card.ts";
import { answerUnknown } from "./answer-unknown.ts";
import { markHandoffDone } from "./close-handoff.ts";
import { decide } from "./decide.ts";
import type { DeskDeps } from "./deps.ts";
import { sendTypedCode } from "./payout-code/send-code.ts";
import { answerAsking, SEND_CODE, TYPE_AGAIN } from "./payout-code/type-code.ts";
import { resendReply } from "./resend-reply.ts";
import { DESK_TEXTS } from "./texts.ts";

export interface Press {
  tenantId: string;
  /** null: nobody that we know. */
  staff: StaffMember | null;
  click: ClickEvent;
}

/** What a button does; every button says who may press it. */
export async function answerPress(tx: Tx, deps: DeskDeps, press: Press): Promise<DeskAnswer> {
  switch (press.click.action) {
    case PAYOUT_CODE:
    case TYPE_AGAIN:
      return answerAsking(tx, deps, press);
    case SEND_CODE:
      return sendTypedCode(tx, deps, press);
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
      const decision = { tenantId, approvalId, staff, decision: action, via } as const;
      return (await decide(tx, deps, decision)).message;
    }
    case HAPPENED:
    case NOT_HAPPENED: {
      const happened = action === HAPPENED;
      return answerUnknown(tx, deps, { tenantId, approvalId, staff, happened, via });
    }
    case CLOSE_HANDOFF:
    case HANDED_OVER: {
      const isHandedOver = action === HANDED_OVER;
      return markHandoffDone(tx, deps, { tenantId, handoffId: value, staff, isHandedOver });
    }
    case RESEND_REPLY:
      return resendReply(tx, deps, { tenantId, outboxId: value, staff });
    default:
      return DESK_TEXTS[deps.dress.staffLanguage].unknownButton;
  }
}
