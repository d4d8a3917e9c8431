import { approvalName } from "../domain/approval.ts";
import type { CommandEvent } from "../domain/inbound.ts";
import { pendingApprovals } from "../store/approvals.ts";
import type { Tx } from "../store/db.ts";
import { type WaitingHandoff, waitingHandoffs } from "../store/handoffs.ts";
import { orderName } from "../store/orders.ts";
import type { StaffMember } from "../store/staff.ts";
import { handoffTitle } from "../tools/handoff-card.ts";
import type { DeskDeps } from "./deps.ts";
import { DESK_TEXTS } from "./texts.ts";

/** Commands that a private text may be; everything else a lead types is a message. */
export const COMMANDS: ReadonlySet<string> = new Set(["pending", "whoami"]);

/** Longest list of approvals, and of requests for a person, that a private answer holds. */
const MOST_LISTED = 20;

export async function answerCommand(
  tx: Tx,
  deps: DeskDeps,
  given: { tenantId: string; staff: StaffMember | null; command: CommandEvent },
): Promise<string> {
  const { staff, command, tenantId } = given;
  const texts = DESK_TEXTS[deps.dress.staffLanguage];
  if (command.name === "whoami")
    return staff ? texts.whoami(staff.name, staff.role) : texts.whoamiStranger(command.person.id);
  if (staff?.status !== "active") return texts.notAllowed;
  if (command.name !== "pending") return texts.unknownCommand(command.name);
  const pending = await pendingApprovals(tx, tenantId);
  const handoffs = await waitingHandoffs(tx, { tenantId, limit: MOST_LISTED });
  if (pending.length === 0 && handoffs.length === 0) return texts.nothingPending;
  return [
    ...pending
      .slice(0, MOST_LISTED)
      .map((one) => `${approvalName(one.number)} ${one.toolName}: ${one.payloadSummary}`),
    ...handoffs.map((one) => handoffLine(deps, one)),
  ].join("\n");
}

function handoffLine({ dress, clock }: DeskDeps, handoff: WaitingHandoff): string {
  const { reason, clientName, orderNumber, createdAt } = handoff;
  const order = orderNumber === null ? [] : [orderName({ number: orderNumber })];
  const minutes = Math.floor(Math.max(0, clock.now() - createdAt) / 60_000);
  const age = DESK_TEXTS[dress.staffLanguage].minutes(minutes);
  // a name is what its owner wrote: it must not begin a line of its own
  const name = clientName.replace(/\s+/gu, " ");
  return `${handoffTitle(reason, dress.staffLanguage)}: ${[name, ...order, age].join(" · ")}`;
}
