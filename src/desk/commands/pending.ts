import { approvalName } from "../../domain/approval.ts";
import type { Language } from "../../domain/language.ts";
import { pendingApprovals } from "../../store/approvals.ts";
import { type WaitingHandoff, waitingHandoffs } from "../../store/handoffs.ts";
import { orderName } from "../../store/orders.ts";
import { handoffTitle } from "../../tools/handoff-card.ts";
import type { DeskDeps } from "../deps.ts";
import { type Command, STAFF } from "./command.ts";

/** Longest list of approvals, and of requests for a person, that a private answer holds. */
const MOST_LISTED = 20;

/** What waits for a person, the longest first. */
export const pending: Command = {
  roles: STAFF,
  help: { en: "what waits for a decision or a person", ru: "что ждёт решения или человека" },
  async run(tx, deps, { tenantId }) {
    const approvals = await pendingApprovals(tx, tenantId);
    const handoffs = await waitingHandoffs(tx, { tenantId, limit: MOST_LISTED });
    if (approvals.length === 0 && handoffs.length === 0)
      return TEXTS[deps.dress.staffLanguage].nothing;
    return [
      ...approvals
        .slice(0, MOST_LISTED)
        .map((one) => `${approvalName(one.number)} ${one.toolName}: ${one.payloadSummary}`),
      ...handoffs.map((one) => handoffLine(deps, one)),
    ].join("\n");
  },
};

function handoffLine({ dress, clock }: DeskDeps, handoff: WaitingHandoff): string {
  const { reason, clientName, orderNumber, createdAt } = handoff;
  const order = orderNumber === null ? [] : [orderName({ number: orderNumber })];
  const minutes = Math.floor(Math.max(0, clock.now() - createdAt) / 60_000);
  const age = TEXTS[dress.staffLanguage].minutes(minutes);
  // a name is what its owner wrote: it must not begin a line of its own
  const name = clientName.replace(/\s+/gu, " ");
  return `${handoffTitle(reason, dress.staffLanguage)}: ${[name, ...order, age].join(" · ")}`;
}

const TEXTS = {
  en: {
    nothing: "Nothing waits for a decision.",
    minutes: (count: number) => `${count} min`,
  },
  ru: {
    nothing: "Ничего не ждёт решения.",
    minutes: (count: number) => `${count} мин`,
  },
} as const satisfies Record<Language, unknown>;
