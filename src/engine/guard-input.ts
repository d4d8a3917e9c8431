import type { Json, JsonObject } from "../domain/json.ts";
import { type Order, orderName } from "../store/orders.ts";
import type { TranscriptCall } from "../store/transcript.ts";
import type { GuardFacts } from "./guard/guard-facts.ts";
import type { Late } from "./late.ts";
import type { TurnView } from "./turn.ts";

/** Deals that still stand: their quote, requisites and payout may be spoken of. */
const OPEN_ORDER = new Set(["quote", "awaiting_payment", "paid", "payout", "completed"]);
const RECENT_CALLS = 40;

/** All that a reply may rest on, from rows; what was superseded or belongs to a dead deal is left out. */
export function guardFactsOf(view: TurnView, late: Late | null = null): GuardFacts {
  const calls = [...view.transcript.calls.values()].flat().slice(-RECENT_CALLS);
  const valid = withoutDeadDeals(calls, view.order).filter(
    (call) => late === null || !isEndedQuote(call, late.now),
  );
  return {
    tool_results: [
      ...valid.map(resultOf),
      ...(view.isVerified ? [VERIFIED] : []),
      ...confirmationOf(view.order),
    ],
    evidence: [...view.evidence.map(({ id, text }) => ({ id, text })), ...foundEvidence(valid)],
    order: view.order ? orderFacts(view.order, view.payoutUnderWay) : null,
    lead_texts: view.transcript.messages
      .filter((message) => message.author === "lead")
      .map((message) => message.text),
    completed: namesOf(
      valid,
      (call) => call.reply?.ok === true && call.reply.status === "completed",
    ),
    pending: [
      ...new Set([
        ...namesOf(valid, (call) => call.status === "waiting_approval"),
        ...view.pendingTools,
      ]),
    ],
    handoff: view.handoffOpen,
  };
}

/** A person's approval that no call of the transcript shows: what a check would say now. */
const VERIFIED = {
  tool: "check_exchange_verification",
  status: "completed",
  data: { ok: true, verified: true, status: "verified", needsVerification: false },
};

/** A person found the money on the account; no call of the transcript shows that either. */
function confirmationOf(order: Order | null) {
  const isByPerson = order?.proofJson?.reason === "fiat_receipt";
  if (!order || !isByPerson || order.paidAt === null) return [];
  const data = { ok: true, orderId: orderName(order), status: "paid" };
  return [{ tool: "confirm_fiat_payment", status: "completed", data }];
}

function resultOf(call: TranscriptCall) {
  return {
    tool: call.toolName,
    status: call.reply?.status ?? "running",
    data: factsOf(call),
  };
}

/** The approval's number may be spoken of in any state. */
function factsOf({ reply }: TranscriptCall): Json {
  if (!reply) return {};
  const { data, status } = reply;
  const approval: JsonObject = reply.approval ? { approval: reply.approval } : {};
  if (data === undefined) return { status, ...approval };
  const isObject = data !== null && typeof data === "object" && !Array.isArray(data);
  if (!isObject) return data;
  const { truncated: _counts, ...facts } = data; // how much was left out is no figure to speak of
  return { ...approval, ...facts };
}

function withoutDeadDeals(calls: TranscriptCall[], order: Order | null): TranscriptCall[] {
  const lastQuote = calls.findLast(
    (call) => call.toolName === "compute_exchange_quote" && call.reply?.ok === true,
  );
  const openName = order && OPEN_ORDER.has(order.status) ? orderName(order) : null;
  return calls.filter((call) => {
    if (call.toolName === "compute_exchange_quote" && call.reply?.ok) return call === lastQuote;
    const about = orderOf(call);
    return about === null || about === openName;
  });
}

/** Whoever waited for long is told fresh figures. */
function isEndedQuote({ toolName, reply }: TranscriptCall, now: number): boolean {
  const data = reply?.data;
  if (toolName !== "compute_exchange_quote" || data === null || typeof data !== "object")
    return false;
  const { expiresAt } = data as JsonObject;
  return typeof expiresAt === "string" && Date.parse(expiresAt) <= now;
}

function orderOf(call: TranscriptCall): string | null {
  const data = call.reply?.data;
  if (data === null || typeof data !== "object" || Array.isArray(data)) return null;
  const { orderId } = data as JsonObject;
  return typeof orderId === "string" ? orderId : null;
}

/** Passages that the search tool found count as evidence too. */
function foundEvidence(calls: TranscriptCall[]): { id: string; text: string }[] {
  return calls.flatMap((call) => {
    const data = call.reply?.data;
    if (call.toolName !== "search_knowledge_base") return [];
    if (data === null || typeof data !== "object" || Array.isArray(data)) return [];
    const matches = (data as JsonObject).matches;
    return Array.isArray(matches) ? matches.flatMap(asEvidence) : [];
  });
}

function asEvidence(match: Json): { id: string; text: string }[] {
  if (match === null || typeof match !== "object" || Array.isArray(match)) return [];
  const { evidence_id: id, excerpt } = match;
  return typeof id === "string" && typeof excerpt === "string" ? [{ id, text: excerpt }] : [];
}

/** While a payout is being made no word of money sent is backed: for the guard it is only paid. */
function orderFacts(order: Order, payoutUnderWay: boolean): Record<string, unknown> {
  return {
    id: orderName(order),
    status: payoutUnderWay ? "paid" : order.status,
    asset: order.asset,
    network: order.network,
    amountFrom: order.amountFrom,
    amountTo: order.amountTo,
    quoteAsset: order.quoteAsset,
    rate: order.rate,
  };
}

function namesOf(calls: TranscriptCall[], test: (call: TranscriptCall) => boolean): string[] {
  return [...new Set(calls.filter(test).map((call) => call.toolName))];
}
