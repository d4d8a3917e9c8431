import type { Language } from "../domain/language.ts";
import { conversationOf } from "../store/conversations.ts";
import { type Tx, withTenant } from "../store/db.ts";
import { type DueOrder, expireOrders } from "../store/order-sweep.ts";
import { writeOutgoing } from "../store/outbox.ts";
import { addMessage } from "../store/transcript.ts";
import type { EngineDeps } from "./deps.ts";

/** Each minute: unpaid orders past their time are reminded of once, and after the grace expire. */
export async function sweepOrders(
  deps: Pick<EngineDeps, "db" | "clock" | "jobs">,
  tenantId: string,
  notBefore = 0,
): Promise<void> {
  await withTenant(deps.db, tenantId, async (tx) => {
    const now = deps.clock.now();
    const { remind, expired } = await expireOrders(tx, { tenantId, now, notBefore });
    for (const order of remind) await tell(tx, deps, { tenantId, order, what: "remind" });
    for (const order of expired) await tell(tx, deps, { tenantId, order, what: "expired" });
  });
}

async function tell(
  tx: Tx,
  deps: Pick<EngineDeps, "clock" | "jobs">,
  told: { tenantId: string; order: DueOrder; what: "remind" | "expired" },
): Promise<void> {
  const { tenantId, order, what } = told;
  const now = deps.clock.now();
  const conversation = await conversationOf(tx, tenantId, order.conversationId);
  const text = TEXTS[conversation.language][what].replace("{order}", `EX-${order.number}`);
  const message = await addMessage(tx, {
    tenantId,
    conversationId: order.conversationId,
    author: "bot",
    kind: "text",
    text,
    runId: null,
    now,
  });
  await writeOutgoing(tx, { jobs: deps.jobs, tenantId, now }, [
    {
      channelId: conversation.channelId,
      chatId: conversation.chatId,
      purpose: "reply",
      content: { kind: "text", text },
      conversationId: order.conversationId,
      messageId: message.id,
    },
  ]);
}

const TEXTS: Record<Language, Record<"remind" | "expired", string>> = {
  en: {
    remind:
      "The time to pay order {order} is over. If you have paid, send the transaction hash or the receipt here; if not, the order closes in 10 minutes.",
    expired:
      "Order {order} is closed because no payment was seen. Write here to get a fresh quote.",
  },
  ru: {
    remind:
      "Время на оплату заявки {order} вышло. Если вы оплатили, пришлите сюда хэш или чек; если нет, через 10 минут заявка закроется.",
    expired: "Заявка {order} закрыта: оплата не поступила. Напишите, и я посчитаю заново.",
  },
};
