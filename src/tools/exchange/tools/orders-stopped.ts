import type { ToolResult } from "../../../domain/tool.ts";
import type { Tx } from "../../../store/db.ts";
import type { Order } from "../../../store/orders.ts";
import type { ToolCall } from "../../contract.ts";
import { raiseHandoff } from "../../raise-handoff.ts";
import { refusal } from "../../results.ts";
import type { ExchangeDeps } from "./exchange-deps.ts";

/** The staff take no new orders for now: the lead is told kindly, and a person is asked. */
export async function ordersStopped(
  tx: Tx,
  { jobs }: Pick<ExchangeDeps, "jobs">,
  call: ToolCall,
  order: Order | null,
): Promise<ToolResult> {
  const { tenantId, conversationId, contactId, now } = call;
  await raiseHandoff(tx, jobs, {
    ...{ tenantId, conversationId, contactId, now, order, reason: "operator_request" },
    summary: {
      en: "the client wants to exchange now, and new orders are stopped",
      ru: "клиент хочет обменять сейчас, а новые заявки остановлены",
    },
  });
  return refusal({
    type: "exchange_order",
    reason: "orders_stopped",
    needsOperator: true,
    summary:
      "new orders are not taken just now and an operator was asked; tell the client kindly that a person writes here; promise no time, and do not call it again in this turn",
  });
}
