import { canonicalJson } from "../../../domain/json.ts";
import type { ToolResult } from "../../../domain/tool.ts";
import type { Tx } from "../../../store/db.ts";
import { changeOrder, type Order, orderName } from "../../../store/orders.ts";
import type { QuoteRow } from "../../../store/quotes.ts";
import type { ToolCall } from "../../contract.ts";
import { refusal } from "../../results.ts";
import { orderResult } from "./order-result.ts";
import type { PayoutTarget } from "./order-terms.ts";
import { coversTerms, type TermArguments } from "./terms.ts";

/** `open`: the conversation's open orders; `quotes`: those that they may rest on. */
export interface AskedAgain {
  call: ToolCall;
  args: TermArguments;
  target: PayoutTarget;
  open: readonly Order[];
  quotes: readonly QuoteRow[];
}

/**
 * The open order of the same terms, when there is one. What it does not say yet of the payout
 * may be filled in; what it says is frozen. null: no such order.
 */
export async function sameOrderAgain(tx: Tx, again: AskedAgain): Promise<ToolResult | null> {
  const { call, args, target, open, quotes } = again;
  const order = open.find((one) => {
    const quoted = quotes.find((quote) => quote.id === one.quoteId);
    return quoted !== undefined && coversTerms(quoted, args);
  });
  if (!order || isOver(order, call.now)) return null;
  const missing = missingParts(order, target);
  if (missing === "differs") return frozen(order);
  if (order.status !== "awaiting_payment" || Object.keys(missing).length === 0)
    return orderResult(order, { idempotent: true, language: call.language });
  const which = { tenantId: call.tenantId, id: order.id, now: call.now };
  return orderResult(await changeOrder(tx, which, missing), {
    idempotent: true,
    language: call.language,
  });
}

/** Its time is over and no money is known: the figures are no longer held. */
function isOver(order: Order, now: number): boolean {
  const isUnpaid = order.status === "awaiting_payment" && order.proofReceivedAt === null;
  return isUnpaid && order.expiresAt <= now;
}

type Missing = Partial<Pick<Order, "payoutMethod" | "payoutLocation" | "payoutDestinationJson">>;

function missingParts(order: Order, target: PayoutTarget): Missing | "differs" {
  const { method, location, destination } = target;
  const parts: Missing = {};
  if (method !== null && order.payoutMethod === null) parts.payoutMethod = method;
  else if (method !== null && order.payoutMethod !== method) return "differs";
  if (location !== null && order.payoutLocation === null) parts.payoutLocation = location;
  else if (location !== null && order.payoutLocation !== location) return "differs";
  const known = order.payoutDestinationJson;
  if (destination !== null && known === null) parts.payoutDestinationJson = destination;
  else if (destination !== null && canonicalJson(known) !== canonicalJson(destination))
    return "differs";
  return parts;
}

function frozen(order: Order): ToolResult {
  return refusal({
    type: "exchange_order",
    id: orderName(order),
    reason: "destination_frozen",
    summary: `how and where ${orderName(order)} is paid out is fixed; ask for another destination with change_payout_destination`,
    data: { orderId: orderName(order), status: order.status },
  });
}
