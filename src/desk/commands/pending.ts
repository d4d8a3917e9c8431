import { approvalName } from "../../domain/approval.ts";
import type { Language } from "../../domain/language.ts";
import type { CardButton } from "../../domain/messenger.ts";
import { insertDigest } from "../../store/approval-digests.ts";
import { type ApprovalRow, pendingApprovals } from "../../store/approvals.ts";
import type { Tx } from "../../store/db.ts";
import { type WaitingHandoff, waitingHandoffs } from "../../store/handoffs.ts";
import { orderName } from "../../store/orders.ts";
import { type UncertainReply, uncertainReplies } from "../../store/uncertain-replies.ts";
import { type UnknownOutcome, unknownOutcomes } from "../../store/unknown-outcomes.ts";
import { digestState, itemsOf } from "../../tools/approval-digest.ts";
import { digestButtons } from "../../tools/digest-card.ts";
import { handoffTitle } from "../../tools/handoff-card.ts";
import { toolTitle } from "../../tools/tool-titles.ts";
import type { DeskDeps } from "../deps.ts";
import { standingLines, standingStops } from "../stops.ts";
import { waitingFacts } from "../waiting-lines.ts";
import { type Command, STAFF } from "./command.ts";

/** Longest list of approvals, of requests for a person, and of lost replies that an answer holds. */
const MOST_LISTED = 20;

/** What is stopped, then what waits for a person, the longest first. */
export const pending: Command = {
  roles: STAFF,
  namesClients: true,
  help: { en: "what waits for a decision or a person", ru: "что ждёт решения или человека" },
  async run(tx, deps, { tenantId }) {
    const approvals = await pendingApprovals(tx, tenantId);
    const handoffs = await waitingHandoffs(tx, { tenantId, limit: MOST_LISTED });
    const lost = await uncertainReplies(tx, { tenantId, limit: MOST_LISTED });
    const unknown = await unknownOutcomes(tx, { tenantId, limit: MOST_LISTED });
    const stops = standingLines(await standingStops(tx, tenantId), deps.dress.staffLanguage);
    if (approvals.length + handoffs.length + lost.length + unknown.length === 0)
      return [...stops, TEXTS[deps.dress.staffLanguage].nothing].join("\n");
    const lines = [
      ...stops,
      ...unknown.map((one) => unknownLine(deps, one)),
      ...approvals.slice(0, MOST_LISTED).map((one) => approvalLine(deps, one)),
      ...handoffs.map((one) => handoffLine(deps, one)),
      ...lost.reverse().map((one) => lostLine(deps, one)),
    ];
    return { text: lines.join("\n"), buttons: await requestButtons(tx, deps, tenantId) };
  },
};

/** The same buttons as on a digest, bound to what is shown here. */
async function requestButtons(tx: Tx, deps: DeskDeps, tenantId: string): Promise<CardButton[]> {
  const state = await digestState(tx, { tenantId, known: null, most: MOST_LISTED });
  const items = itemsOf(state);
  await insertDigest(tx, { id: state.id, tenantId, items, now: deps.clock.now() });
  return digestButtons(state, deps.dress.staffLanguage);
}

function approvalLine({ dress, clock }: DeskDeps, approval: ApprovalRow): string {
  const { number, toolName, payloadSummary } = approval;
  const waits = waitingFacts(approval, clock.now(), dress.staffLanguage);
  const title = toolTitle(toolName, dress.staffLanguage);
  return `${approvalName(number)} ${title}: ${payloadSummary} · ${waits}`;
}

function unknownLine(deps: DeskDeps, outcome: UnknownOutcome): string {
  const texts = TEXTS[deps.dress.staffLanguage];
  const state = outcome.isAsked ? texts.didItHappen : texts.beingChecked;
  const title = toolTitle(outcome.toolName, deps.dress.staffLanguage);
  const name = `${approvalName(outcome.number)} ${title}: ${outcome.summary}`;
  return `${name} · ${state} · ${ageOf(deps, outcome.since)}`;
}

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
    beingChecked: "outcome not known, the provider is asked",
    didItHappen: "outcome not known, please answer on its card whether it happened",
    minutes: (count: number) => `${count} min`,
  },
  ru: {
    nothing: "Ничего не ждёт решения.",
    lostReply: "Ответ клиенту мог не дойти",
    beingChecked: "итог неизвестен, спрашиваем провайдера",
    didItHappen: "итог неизвестен, ответьте на карточке, произошло ли это",
    minutes: (count: number) => `${count} мин`,
  },
} as const satisfies Record<Language, unknown>;
