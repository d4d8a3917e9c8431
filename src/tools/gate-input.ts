import type { JsonObject } from "../domain/json.ts";
import { paysOut } from "../domain/pays-out.ts";
import { ATTEMPTS_PER_RUN } from "../domain/run.ts";
import type { GateFacts } from "../policy/evaluate.ts";
import type { RoundFacts } from "../store/gate-facts.ts";
import { orderName } from "../store/orders.ts";
import type { AnyTool } from "./contract.ts";
import { isExchangeTool, stageAllows, stageForTool, stageRefusal } from "./exchange/stage-tools.ts";
import type { OrderStatus } from "./exchange/stages.ts";

export interface GateCall {
  tool: AnyTool;
  source: string;
  readOnlyRun: boolean;
  payloadBytes: number;
  /** null before the action is prepared. */
  digest: string | null;
  hasBusinessKey: boolean;
  /** Calls of this tool in the run before this one, and dispatches used. */
  callsInRun: number;
  attemptsUsed: number;
}

/** The gate's facts of one call, made of rows; pure. */
export function gateFactsOf(round: RoundFacts, call: GateCall): GateFacts {
  const { tool, digest } = call;
  return {
    tool: {
      name: tool.name,
      risk: tool.risk,
      isActive: round.activeTools.has(tool.name),
      stageAllowed: stageAllowed(round, tool),
    },
    known: knownFacts(round, call),
    sameAccount: true, // tools read the session's own contact; arguments name nobody else
    callsInRun: call.callsInRun,
    payloadBytes: call.payloadBytes,
    attemptsLeft: ATTEMPTS_PER_RUN - call.attemptsUsed,
    costLimitReached: false,
    readOnlyRun: call.readOnlyRun,
    hasBusinessKey: call.hasBusinessKey,
    approvers: round.approvers,
    rejectedBefore: digest !== null && round.rejectedDigests.has(digest),
    outcomeUnknown: digest !== null && round.unknownDigests.has(digest),
    payoutsStopped: round.payoutsStopped && paysOut(tool),
  };
}

/** What the model may know of a refusal by stage; undefined when the stage is not the reason. */
export function stageRefusalData(round: RoundFacts, tool: AnyTool): JsonObject | undefined {
  if (!tool.staged || !isExchangeTool(tool.name)) return undefined;
  const refusal = stageRefusal(tool.name, readStage(round, tool.name));
  if (!refusal) return undefined;
  return { ...refusal, ...(ENDS_ORDER.has(tool.name) ? paymentBlock(round) : {}) };
}

/** What would end an order or put another in its place. */
const ENDS_ORDER: ReadonlySet<string> = new Set([
  "compute_exchange_quote",
  "create_exchange_order",
  "cancel_exchange_order",
]);

/** The stage is late because money came or may be on its way: that is the reason to tell. */
function paymentBlock({ order }: RoundFacts): JsonObject {
  if (!order) return {};
  const waits = order.status === "awaiting_payment" && order.proofReceived;
  if (!waits && order.status !== "paid" && order.status !== "payout") return {};
  return { blockedByPayment: true, orderId: orderName(order), status: order.status };
}

function stageAllowed(round: RoundFacts, tool: AnyTool): boolean {
  if (!tool.staged) return true;
  return isExchangeTool(tool.name) && stageAllows(tool.name, readStage(round, tool.name));
}

function readStage(round: RoundFacts, name: Parameters<typeof stageForTool>[0]): string {
  return stageForTool(name, round.stage, (round.order?.status ?? null) as OrderStatus | null); // the table's check holds it
}

function knownFacts(round: RoundFacts, call: GateCall): GateFacts["known"] {
  return {
    actor_role: call.source === "model" ? round.agentRole : call.source,
    source: call.source,
    stage: round.stage,
    kyc: round.kyc,
    amount_from: round.order?.amountFrom ?? null,
    amount_to: round.order?.amountTo ?? null,
    currency: round.order?.quoteAsset ?? null,
    order_status: round.order?.status ?? null,
    same_account: true,
    recipient_verified: null,
    first_deal: round.firstDeal,
    day_total: round.dayTotal,
    run_calls: call.callsInRun,
  };
}
