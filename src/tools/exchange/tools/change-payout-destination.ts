import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { ToolResult } from "../../../domain/tool.ts";
import { lockApproval, pendingByBusinessKey } from "../../../store/approvals.ts";
import type { Tx } from "../../../store/db.ts";
import { contactKyc } from "../../../store/kyc.ts";
import {
  changeOrder,
  lockOrder,
  type Order,
  openOrders,
  orderName,
} from "../../../store/orders.ts";
import { liveExecutionOf } from "../../../store/proposals.ts";
import { lockConversation } from "../../../store/runs.ts";
import { tenantById } from "../../../store/tenants.ts";
import type {
  CallScope,
  PreparedAction,
  PrepareRefusal,
  RagTool,
  ToolCall,
  WriteResult,
} from "../../contract.ts";
import { raiseHandoff } from "../../raise-handoff.ts";
import { refusal, success } from "../../results.ts";
import { payoutKey } from "../payout-key.ts";
import { normalizePayoutMethod } from "../payout-methods.ts";
import { officeAddresses } from "../secret-names.ts";
import {
  changeMaterial,
  type DestinationChange,
  destinationChangeSchema,
  destinationKey,
  isStillTrue,
  type Target,
  targetOf,
} from "./destination-change.ts";
import { deskSecrets, type ExchangeDeps, hasRates } from "./exchange-deps.ts";
import { payoutTarget } from "./order-result.ts";
import { settleTarget } from "./order-terms.ts";
import { payoutParameters } from "./payout-parameters.ts";

const PAYOUT_TOOL = "issue_exchange_payout";
const parameters = z.strictObject(payoutParameters);
type Args = z.infer<typeof parameters>;

/**
 * The destination is fixed with the order: another one is an approval of its own. Once people said
 * yes a paid order's payout is asked for anew, with the new destination on its card.
 */
export function changePayoutDestination(deps: ExchangeDeps): RagTool<Args> {
  return {
    name: "change_payout_destination",
    title: "Change of the payout destination",
    description: {
      does: "Asks people to pay the client's open order out in another way or at another place.",
      when: "the client with an order wants the money otherwise: by courier and not at the office, at another address, on another account.",
      whenNot: "to change what is exchanged or how much, or to ask for the payout itself.",
      needs:
        "payoutMethod, payoutLocation or payoutDestination as the client wants it now; what stays the same is left out.",
      limits:
        "not once the payout was approved; an operator decides, until then and after a no the old destination stands.",
      returns:
        "waiting_approval first; later the order with its new destination. The payout of a paid order is then asked for by itself.",
    },
    risk: "write_internal",
    sideEffectType: "internal_rows",
    parameters,
    output: z.object({
      ok: z.literal(true),
      orderId: z.string(),
      status: z.string(),
      changed: z.literal(true),
      payoutMethod: z.string().optional(),
      payoutLocation: z.string().optional(),
      payoutDestination: z.string().optional(),
    }),
    offered: true,
    staged: true,
    shown: ["payoutLocation", "payoutDestination", "options"],
    isAvailable: hasRates,
    check: (args) =>
      Object.values(args).some((value) => value !== undefined)
        ? null
        : "payoutMethod: name what changes, the method, the place or the account",
    prepare: (tx, args, scope) => prepare(tx, deps, args, scope),
    async run(call) {
      return { kind: "write", apply: (tx) => change(tx, deps, call) };
    },
    // the row is written together with the recorded result: where there is none, nothing was written
    idempotentByKey: true,
    lookUp: async () => ({ kind: "absent" }),
  };
}

async function prepare(
  tx: Tx,
  deps: ExchangeDeps,
  args: Args,
  scope: CallScope,
): Promise<PreparedAction | PrepareRefusal> {
  const [order] = await openOrders(tx, scope);
  if (!order) return refused(null, "no_open_order", "this conversation has no open order");
  if (await isPayoutDecided(tx, order))
    return { kind: "refused", result: await leftToOperator(tx, deps, scope, order) };
  const secrets = await deskSecrets(tx, deps, scope.tenantId);
  const offices = officeAddresses(secrets.get("exchange_office_address") ?? "");
  const settled = settleTarget(asNamed(order, args), offices);
  if (settled.kind === "asks")
    return refused(order, settled.reason, settled.summary, { options: settled.options });
  const { method, location, destination } = settled;
  if (method === null)
    return refused(order, "payout_method_needed", "nobody said how it is paid out; ask the client");
  const from = targetOf(order);
  const to: Target = { method, location, destination };
  if (isDeepStrictEqual(from, to))
    return refused(order, "no_change", `${orderName(order)} is paid out so already`);
  const client = await contactKyc(tx, scope);
  const language = (await tenantById(tx, scope.tenantId))?.language ?? "en";
  const { amountTo: amount, quoteAsset: currency } = order;
  return {
    kind: "action",
    action: { orderId: orderName(order), amount, currency, from, to } satisfies DestinationChange,
    businessKey: await destinationKey(tx, order),
    material: changeMaterial(order, { client: client?.name ?? "?", to, language }),
  };
}

/** What the client leaves out stays, as long as the way of paying out does. */
function asNamed(order: Order, args: Args): Args {
  const method = args.payoutMethod ?? order.payoutMethod ?? undefined;
  if (normalizePayoutMethod(method ?? "") !== order.payoutMethod)
    return { ...args, payoutMethod: method };
  const { location, destination } = targetOf(order);
  return {
    payoutMethod: method,
    payoutLocation: args.payoutLocation ?? location ?? undefined,
    payoutDestination: args.payoutDestination ?? destination ?? undefined,
  };
}

/** Approved, under way or made: another destination would come too late. */
async function isPayoutDecided(tx: Tx, order: Order): Promise<boolean> {
  if (order.status === "payout") return true;
  return (await liveExecutionOf(tx, order.tenantId, payoutKey(order))) !== null;
}

async function change(tx: Tx, deps: ExchangeDeps, call: ToolCall): Promise<WriteResult> {
  const approved = destinationChangeSchema.parse(call.action);
  const order = await lockForChange(tx, call, approved);
  if (!order) return { result: changedMeanwhile(approved) };
  if (await isPayoutDecided(tx, order))
    return { result: await leftToOperator(tx, deps, call, order) };
  const { method, location, destination } = approved.to;
  const which = { tenantId: call.tenantId, id: order.id, now: call.now };
  const changed = await changeOrder(tx, which, {
    payoutMethod: method,
    payoutLocation: location,
    payoutDestinationJson: destination,
  });
  const isPaid = changed.status === "paid";
  return { result: changedResult(changed), ...(isPaid ? { proposes: [PAYOUT] } : {}) };
}

const PAYOUT = { tool: PAYOUT_TOOL, args: {} };

/** Nobody approves the payout to the old destination meanwhile: its request is held as well. */
async function lockForChange(
  tx: Tx,
  { tenantId, conversationId }: CallScope,
  approved: DestinationChange,
): Promise<Order | null> {
  const asked = await pendingByBusinessKey(tx, tenantId, `payout:${approved.orderId}`);
  if (asked) await lockApproval(tx, tenantId, asked.id);
  await lockConversation(tx, tenantId, conversationId);
  const open = await openOrders(tx, { tenantId, conversationId });
  const named = open.find((one) => orderName(one) === approved.orderId);
  const order = named ? await lockOrder(tx, tenantId, named.id) : null;
  return order && isStillTrue(order, approved) ? order : null;
}

function changedResult(order: Order): ToolResult {
  const summary = `${orderName(order)} has another payout destination`;
  return success(
    { type: "exchange_order", id: orderName(order), summary },
    { orderId: orderName(order), status: order.status, changed: true, ...payoutTarget(order) },
  );
}

function changedMeanwhile({ orderId }: DestinationChange): ToolResult {
  return refusal({
    type: "exchange_order",
    id: orderId,
    reason: "order_changed",
    summary: `${orderId} was changed meanwhile; its payout destination stays as it is`,
    data: { orderId },
  });
}

async function leftToOperator(
  tx: Tx,
  { jobs }: ExchangeDeps,
  { tenantId, conversationId, contactId, now }: CallScope,
  order: Order,
): Promise<ToolResult> {
  const name = orderName(order);
  await raiseHandoff(tx, jobs, {
    ...{ tenantId, conversationId, contactId, now, order },
    reason: "payout_review",
    summary: {
      en: `the client wants ${name} paid out otherwise, but its payout was approved already; look whether it can still be stopped, and write to the client`,
      ru: `клиент хочет получить деньги по ${name} иначе, но выплата уже одобрена; посмотрите, можно ли её ещё остановить, и напишите клиенту`,
    },
  });
  return refusal({
    type: "exchange_order",
    id: name,
    reason: "payout_decided",
    needsOperator: true,
    summary: `the payout of ${name} was approved already, so its destination stays; an operator was asked and writes to the client`,
    data: { orderId: name, status: order.status, ...payoutTarget(order) },
  });
}

function refused(
  order: Order | null,
  reason: string,
  summary: string,
  data: { options?: string[] | undefined } = {},
): PrepareRefusal {
  const id = order ? orderName(order) : null;
  const told = order ? { orderId: orderName(order), ...payoutTarget(order) } : {};
  const result = refusal({
    type: "exchange_order",
    id,
    reason,
    summary,
    data: { ...told, ...data },
  });
  return { kind: "refused", result };
}
