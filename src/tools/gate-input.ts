import type { OrderStatus } from "../domain/deal.ts";
import type { JsonObject } from "../domain/json.ts";
import { compareAmounts, isDecimal } from "../domain/money.ts";
import { paysOut } from "../domain/pays-out.ts";
import { ATTEMPTS_PER_RUN } from "../domain/run.ts";
import type { GateFacts } from "../policy/evaluate.ts";
import type { KnownFacts } from "../policy/facts.ts";
import type { RoundFacts } from "../store/gate-facts.ts";
import { orderName } from "../store/orders.ts";
import type { AnyTool } from "./contract.ts";
import { isExchangeTool, stageAllows, stageForTool, stageRefusal } from "./exchange/stage-tools.ts";
import type { RegisteredTool } from "./registry.ts";

/** What the gate has to know of one call beside the facts of its round. */
export interface GateCall {
  registered: RegisteredTool;
  source: string;
  readOnlyRun: boolean;
  /** Of the arguments as they came, in UTF-8. */
  payloadBytes: number;
  /** null before the action is prepared. */
  digest: string | null;
  hasBusinessKey: boolean;
  /** Calls of this tool in the run before this one, and dispatches used. */
  callsInRun: number;
  attemptsUsed: number;
  /** False: an argument names what is another contact's. */
  sameAccount?: boolean;
  /** USD, decimal. Left out once people have decided: the run's cost is past then. */
  costLimitUsd?: string | undefined;
}

/** The gate's facts of one call, made of rows; pure. */
export function gateFactsOf(round: RoundFacts, call: GateCall): GateFacts {
  const { registered, digest } = call;
  const { tool } = registered;
  return {
    tool: {
      name: tool.name,
      risk: tool.risk,
      isActive: round.activeTools.has(tool.name),
      stageAllowed: stageAllowed(round, tool),
      isCurrent: isCurrent(round, registered),
    },
    known: knownFacts(round, call),
    sameAccount: call.sameAccount ?? true,
    callsInRun: call.callsInRun,
    payloadBytes: call.payloadBytes,
    attemptsLeft: ATTEMPTS_PER_RUN - call.attemptsUsed,
    costLimitReached: isLimitReached(round.spent, call.costLimitUsd),
    readOnlyRun: call.readOnlyRun,
    hasBusinessKey: call.hasBusinessKey,
    approvers: round.approvers,
    rejectedBefore: digest !== null && round.rejectedDigests.has(digest),
    toolWithdrawn: digest !== null && isWithdrawn(round, call),
    outcomeUnknown: digest !== null && round.unknownDigests.has(digest),
    payoutsStopped: round.payoutsStopped && paysOut(tool),
  };
}

/** Of the newest version: a process that was started before has an older one. */
export function isCurrent(
  { schemaVersions }: Pick<RoundFacts, "schemaVersions">,
  { tool, schemaHash }: RegisteredTool,
): boolean {
  return schemaVersions.get(tool.name)?.hash === schemaHash;
}

/** A cost that is no number is as bad as one over the limit. */
function isLimitReached(spent: string, limit: string | undefined): boolean {
  if (limit === undefined) return false;
  return !isDecimal(spent) || compareAmounts(spent, limit) >= 0;
}

/** What the system asks for goes on: another photo after declined ones is no model's insistence. */
function isWithdrawn(round: RoundFacts, { registered, source }: GateCall): boolean {
  return source === "model" && round.withdrawnTools.has(registered.tool.name);
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
  const known = {
    actor_role: call.source === "model" ? round.agentRole : call.source,
    source: call.source,
    stage: round.stage,
    kyc: round.kyc,
    amount_from: round.order?.amountFrom ?? null,
    amount_to: round.order?.amountTo ?? null,
    currency: round.order?.quoteAsset ?? null,
    order_status: round.order?.status ?? null,
    same_account: call.sameAccount ?? true,
    recipient_verified: round.recipientVerified,
    first_deal: round.firstDeal,
    day_total: round.dayTotal,
    run_calls: call.callsInRun,
    run_cost: round.spent,
  } satisfies KnownFacts;
  return known;
}
