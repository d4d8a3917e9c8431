import { approvalName } from "../../domain/approval.ts";
import type { Language } from "../../domain/language.ts";
import { pendingApprovals } from "../../store/approvals.ts";
import { type WaitingHandoff, waitingHandoffs } from "../../store/handoffs.ts";
import { orderName } from "../../store/orders.ts";
import { type UncertainReply, uncertainReplies } from "../../store/uncertain-replies.ts";
import { handoffTitle } from "../../tools/handoff-card.ts";
import type { DeskDeps } from "../deps.ts";
import { type Command, STAFF } from "./command.ts";

/** Longest list of approvals, of requests for a person, and of lost replies that an answer holds. */
const MOST_LISTED = 20;

/** What waits for a person, the longest first. */
export const pending: Command = {
  roles: STAFF,
  namesClients: true,
  help: { en: "what waits for a decision or a person", ru: "что ждёт решения или человека" },
  async run(tx, deps, { tenantId }) {
    const approvals = await pendingApprovals(tx, tenantId);
    const handoffs = await waitingHandoffs(tx, { tenantId, limit: MOST_LISTED });
    const lost = await uncertainReplies(tx, { tenantId, limit: MOST_LISTED });
    if (approvals.length + handoffs.length + lost.length === 0)
      return TEXTS[deps.dress.staffLanguage].nothing;
    return [
      ...approvals
        .slice(0, MOST_LISTED)
        .map((one) => `${approvalName(one.number)} ${one.toolName}: ${one.payloadSummary}`),
      ...handoffs.map((one) => handoffLine(deps, one)),
      ...lost.reverse().map((one) => lostLine(deps, one)),
    ].join("\n");
  },
};

function handoffLine(deps: DeskDeps, handoff: WaitingHandoff): string {
  const { reason, clientName, orderNumber, createdAt } = handoff;
  const order = orderNumber === null ? [] : [orderName({ number: orderNumber })];
  const parts = [oneLine(clientName), ...order, ageOf(deps, createdAt)];
  return `${handoffTitle(reason, deps.dress.staffLanguage)}: ${parts.join(" · ")}`;
}

function lostLine(deps: DeskDeps, { clientName, createdAt }: UncertainReply): string {
  const { lostReply } = TEXTS[deps.dress.staffLanguage];
  return `${lostReply}: ${oneLine(clientName)} · ${ageOf(deps, createdAt)}`;
}

/** A name is what its owner wrote: it must not begin a line of its own. */
function oneLine(name: string): string {
  return name.replace(/\s+/gu, " ");
}

function ageOf({ dress, clock }: DeskDeps, since: number): string {
  const minutes = Math.floor(Math.max(0, clock.now() - since) / 60_000);
  return TEXTS[dress.staffLanguage].minutes(minutes);
}

const TEXTS = {
  en: {
    nothing: "Nothing waits for a decision.",
    lostReply: "A reply may not have arrived",
    minutes: (count: number) => `${count} min`,
  },
  ru: {
    nothing: "Ничего не ждёт решения.",
    lostReply: "Ответ клиенту мог не дойти",
    minutes: (count: number) => `${count} мин`,
  },
} as const satisfies Record<Language, unknown>;
