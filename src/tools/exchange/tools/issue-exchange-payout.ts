import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { messageOf } from "../../../domain/errors.ts";
import { compareAmounts } from "../../../domain/money.ts";
import type { Tx } from "../../../store/db.ts";
import { exchangeSettingsOf } from "../../../store/exchange-settings.ts";
import { wasSentAgain } from "../../../store/executions.ts";
import { type OwnOrder, openOrders } from "../../../store/orders.ts";
import type { RagTool, ToolCall, ToolWork } from "../../contract.ts";
import type { PayoutClient } from "../payout-client.ts";
import { affirmPayout } from "./affirm-payout.ts";
import { type ExchangeDeps, hasRates } from "./exchange-deps.ts";
import { lookUpPayout } from "./look-up-payout.ts";
import { payByHand } from "./pay-by-hand.ts";
import { type PayoutAction, payoutActionOf, payoutActionSchema } from "./payout-action.ts";
import {
  acceptedWork,
  MISMATCH,
  nobodyPays,
  orderChanged,
  type Paying,
  refusedWork,
} from "./payout-work.ts";
import { preparePayout } from "./prepare-payout.ts";

const parameters = z.strictObject({
  payoutMethod: z.string().max(40).optional().describe("only to repeat the order's own"),
  location: z.string().max(200).optional().describe("only to repeat the order's own"),
});
type Args = z.infer<typeof parameters>;

const RETRY_MS = 5_000;

/**
 * The one tool that sends money. `prepare` takes sum and target from the order; the business key
 * names the order, so that one payout of it at most is under way.
 */
export function issueExchangePayout(deps: ExchangeDeps): RagTool<Args> {
  return {
    name: "issue_exchange_payout",
    title: "Payout",
    description: {
      does: "Asks for the payout of the client's paid order.",
      when: "once verify_exchange_payment said ok and the client wants the money.",
      whenNot: "before the payment is confirmed.",
      needs: "nothing; sum, method and place come from the order.",
      limits:
        "the optional payoutMethod and location must equal the order's, else it is refused; it happens once.",
      returns:
        "waiting_approval first: tell the client that a person is preparing it. A code goes to the client by itself and is never in the result.",
    },
    risk: "payment",
    sideEffectType: "external_api",
    parameters,
    output: z.object({
      ok: z.literal(true),
      orderId: z.string(),
      status: z.string(),
      payoutId: z.string().optional(),
      amount: z.string(),
      stillOwed: z.string().optional(),
      currency: z.string(),
      method: z.string().nullable(),
      location: z.string().nullable(),
      codeDelivered: z.boolean(),
      expiresAt: z.string().optional(),
      reason: z.string().optional(),
      needsOperator: z.boolean().optional(),
    }),
    offered: true,
    staged: true,
    shown: ["location"],
    idempotentByKey: true,
    isAvailable: hasRates,
    edit: { amount: "down" },
    prepare: (tx, args, scope, edit) => preparePayout(tx, deps, { args, edit }, scope),
    run: (call) => pay(deps, call),
    lookUp: (call) => lookUpPayout(deps, call),
    affirm: (tx, scope, action) => affirmPayout(tx, deps, scope, action),
  };
}

async function pay(deps: ExchangeDeps, call: ToolCall): Promise<ToolWork> {
  const action = payoutActionSchema.parse(call.action);
  const { order, provider } = await call.read((tx) => payoutFacts(tx, deps, call, action));
  if (!order) return { kind: "result", result: orderChanged(action) };
  if (provider === "nobody") return { kind: "result", result: nobodyPays(action) };
  const { payouts } = deps;
  if (provider === "manual" || !payouts) return handPayout(deps, { call, action, order });
  const key = call.idempotencyKey;
  if (key === null) throw new Error("a payout needs its idempotency key");
  return send(deps, payouts, { call, action, order }, key);
}

/** Not what the gateway may have had already: until that is known nobody pays it by hand. */
async function handPayout(deps: ExchangeDeps, paying: Paying): Promise<ToolWork> {
  const { tenantId, executionId, read } = paying.call;
  const isSent = await read((tx) => wasSentAgain(tx, tenantId, executionId));
  if (isSent) return { kind: "unknown", message: "the gateway may have paid it before" };
  return payByHand(deps, paying);
}

/** The order as it is now; null when it is no longer what was approved. */
async function payoutFacts(tx: Tx, deps: ExchangeDeps, call: ToolCall, action: PayoutAction) {
  const open = await openOrders(tx, call);
  const order = open.find((one) => one.status === "paid" && isApproved(one, action));
  const settings = await exchangeSettingsOf(tx, call.tenantId);
  const named = Object.hasOwn(settings.payoutProviders, action.method)
    ? settings.payoutProviders[action.method]
    : undefined;
  const provider = named ?? (deps.payouts ? "http" : "manual");
  return { order: order ?? null, provider: settings.isForged ? "nobody" : provider };
}

/** An approver may lower the sum; all the rest is the order's own. */
function isApproved(order: OwnOrder, action: PayoutAction): boolean {
  if (compareAmounts(action.amount, order.amountTo) > 0) return false;
  const own = payoutActionOf(order, order.payoutMethod ?? "", action.amount);
  return isDeepStrictEqual(payoutActionSchema.parse(own), action);
}

async function send(
  deps: ExchangeDeps,
  payouts: PayoutClient,
  paying: Paying,
  key: string,
): Promise<ToolWork> {
  const { call, action, order } = paying;
  const outcome = await payouts.send({ ...action, key }, call.signal, call.outside);
  switch (outcome.kind) {
    case "accepted":
      return acceptedWork(deps, { call, orderId: order.id, amount: action.amount }, outcome);
    case "refused":
      return refusedWork(deps, call, outcome);
    case "not_sent":
      return {
        kind: "retry",
        code: "PROVIDER_ERROR",
        failure: "network",
        message: "the payout gateway could not be reached",
        afterMs: RETRY_MS,
      };
    case "conflict":
      return { kind: "unknown", message: "the gateway has another payout under this key" };
    case "mismatch":
      return { kind: "unknown", message: MISMATCH };
    case "unknown":
      return { kind: "unknown", message: messageOf(outcome.cause) };
    default:
      return outcome satisfies never;
  }
}
