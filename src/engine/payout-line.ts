import { payoutLine, tellsPayout } from "../tools/exchange/payout-words.ts";
import { fieldsOf } from "./guard/sources.ts";
import type { Turn } from "./turn.ts";

/** Their results tell a client that there is an order, or where to pay for it. */
const TELLING = new Set(["create_exchange_order", "fetch_exchange_requisites"]);
/** Shorter pieces of payment details stand in any text. */
const SHORTEST_DETAIL = 6;
const DETAILS = new Set(["address", "exchangeId", "paymentUrl", "detailsText"]);

/**
 * Before anything is paid a client reads how and where the payout comes, whatever a model leaves
 * out: from the order's row, after the words of the reply.
 */
export function withPayoutLine(
  text: string,
  turn: Pick<Turn, "view" | "run" | "conversation">,
): string {
  const { order } = turn.view;
  if (order?.status !== "awaiting_payment" || !tellsToPay(text, turn)) return text;
  const line = payoutLine(order, turn.conversation.language);
  return line === null || tellsPayout(text, order) ? text : `${text}\n\n${line}`;
}

function tellsToPay(text: string, { view, run }: Pick<Turn, "view" | "run">): boolean {
  const calls = [...view.transcript.calls.values()].flat();
  const isNew = calls.some(
    (call) => call.runId === run.id && TELLING.has(call.toolName) && call.reply?.ok === true,
  );
  return isNew || paymentDetails(view.order?.requisitesJson).some((one) => text.includes(one));
}

function paymentDetails(requisites: unknown): string[] {
  return fieldsOf(requisites)
    .filter(({ key, value }) => DETAILS.has(key) && value.length >= SHORTEST_DETAIL)
    .map(({ value }) => value);
}
