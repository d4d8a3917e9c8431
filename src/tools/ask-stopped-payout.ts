import type { Jobs } from "../domain/jobs.ts";
import { pendingOfConversation } from "../store/approvals.ts";
import type { Tx } from "../store/db.ts";
import { lastOrder } from "../store/orders.ts";
import type { CallScope } from "./contract.ts";
import { raiseHandoff } from "./raise-handoff.ts";

/** A client wants a payout while payouts are stopped: no approval is asked for, but a person is. */
export async function askAboutStoppedPayout(
  tx: Tx,
  jobs: Jobs<Tx>,
  { tenantId, conversationId, contactId, now }: CallScope,
  toolName: string,
): Promise<void> {
  const of = { tenantId, conversationId };
  if (await pendingOfConversation(tx, { ...of, toolNames: [toolName] })) return; // its card stands
  await raiseHandoff(tx, jobs, {
    ...{ ...of, contactId, now, reason: "payout_review" },
    order: await lastOrder(tx, of),
    summary: {
      en: "the client asks for the payout, and payouts are stopped; once they go on, the bot asks you for it when the client writes again",
      ru: "клиент просит выплату, а выплаты остановлены; после возобновления бот попросит о ней, когда клиент напишет снова",
    },
  });
}
