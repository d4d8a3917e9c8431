import type { Jobs } from "../../../domain/jobs.ts";
import type { Language } from "../../../domain/language.ts";
import type { Tx } from "../../../store/db.ts";
import { leadChat } from "../../../store/lead-messages.ts";
import { type Order, orderName } from "../../../store/orders.ts";
import { writeOutgoing } from "../../../store/outbox.ts";
import { isoTime } from "../../results.ts";

/**
 * The code of the order goes to the lead as a message of its own; the row names the order, and the
 * code is filled in when it is sent.
 */
export async function sendPayoutCode(
  tx: Tx,
  jobs: Pick<Jobs<Tx>, "wakeDelivery">,
  sent: { order: Order; amount: string; language: Language; now: number },
): Promise<void> {
  const { order, now } = sent;
  const { tenantId, conversationId } = order;
  const chat = await leadChat(tx, order);
  if (!chat) throw new Error(`conversation ${conversationId} does not exist`);
  await writeOutgoing(tx, { jobs, tenantId, now }, [
    {
      channelId: chat.channelId,
      chatId: chat.chatId,
      purpose: "notice",
      content: { kind: "secret_text", text: codeText(sent), orderId: order.id },
      conversationId,
    },
  ]);
}

function codeText(sent: { order: Order; amount: string; language: Language }): string {
  const { order, amount, language } = sent;
  const sum = `${amount} ${order.quoteAsset}`;
  const ends = order.payoutCodeExpiresAt;
  const until = ends === null ? "" : `${isoTime(ends).slice(0, 16).replace("T", " ")} UTC`;
  if (language === "ru") {
    const limit = until ? ` Действует до ${until}.` : "";
    return `Код для получения ${sum} по заявке ${orderName(order)}: {secret}.${limit} Никому его не передавайте.`;
  }
  const limit = until ? ` Valid until ${until}.` : "";
  return `Code for ${sum}, order ${orderName(order)}: {secret}.${limit} Do not share it with anybody.`;
}
