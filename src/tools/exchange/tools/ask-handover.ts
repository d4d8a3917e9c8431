import type { Language } from "../../../domain/language.ts";
import type { Tx } from "../../../store/db.ts";
import { hadOrderHandoff } from "../../../store/handoffs.ts";
import type { Order } from "../../../store/orders.ts";
import type { CallScope } from "../../contract.ts";
import { raiseHandoff } from "../../raise-handoff.ts";
import { normalizePayoutMethod, payoutMethodRules } from "../payout-methods.ts";
import type { ExchangeDeps } from "./exchange-deps.ts";
import { owedAfter } from "./payout-action.ts";

/**
 * The money has left, and a person still has to say that the client got it: one card an order,
 * whose button completes it. Asked once, however often the payout is written.
 */
export async function askHandover(
  tx: Tx,
  { jobs }: Pick<ExchangeDeps, "jobs">,
  scope: CallScope,
  { order, amount }: { order: Order; amount: string },
): Promise<void> {
  const owed = owedAfter(order, amount);
  if (order.status !== "payout" || (endsWithGateway(order) && owed === null)) return;
  const { tenantId, conversationId, contactId, now } = scope;
  const reason = "payout_handover";
  if (await hadOrderHandoff(tx, { tenantId, orderId: order.id, reason })) return;
  const { quoteAsset, payoutMethod, payoutLocation } = order;
  const what = [`${amount} ${quoteAsset}`, payoutMethod, payoutLocation].filter(Boolean).join(", ");
  await raiseHandoff(tx, jobs, {
    ...{ tenantId, conversationId, contactId, now, order, reason, place: payoutLocation },
    summary: owed === null ? paidOutTexts(what) : partlyTexts(what, `${owed} ${quoteAsset}`),
  });
}

function paidOutTexts(what: string): Record<Language, string> {
  return {
    en: `paid out: ${what}. Press the button when the client has the money`,
    ru: `выплата оформлена: ${what}. Нажмите кнопку, когда деньги у клиента`,
  };
}

function partlyTexts(what: string, owed: string): Record<Language, string> {
  return {
    en: `paid out: ${what}. ${owed} of the order are still owed. Press the button when the client has all of it`,
    ru: `выплата оформлена: ${what}. По заявке ещё должны ${owed}. Нажмите кнопку, когда вся сумма у клиента`,
  };
}

/** Cash still changes hands after the gateway's yes; a bank transfer is over with it. */
export function endsWithGateway(order: Order): boolean {
  const method = normalizePayoutMethod(order.payoutMethod ?? "");
  return method !== null && payoutMethodRules(method).afterGateway === "completed";
}
