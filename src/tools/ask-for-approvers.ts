import type { Jobs } from "../domain/jobs.ts";
import type { Tx } from "../store/db.ts";
import { lastOrder } from "../store/orders.ts";
import type { CallScope } from "./contract.ts";
import { raiseHandoff } from "./raise-handoff.ts";

/** Too few people may approve what a client wants: nobody is asked to, and a person is told why. */
export async function askForApprovers(
  tx: Tx,
  jobs: Jobs<Tx>,
  { tenantId, conversationId, contactId, now }: CallScope,
  toolName: string,
): Promise<void> {
  if (conversationId === "") return; // the desk itself asked and reads the refusal
  const of = { tenantId, conversationId };
  await raiseHandoff(tx, jobs, {
    ...{ ...of, contactId, now, reason: "operator_request" },
    order: await lastOrder(tx, of),
    summary: {
      en: `${toolName} was not put to you: it needs more people than may approve it (whoever asked and suspended people do not count). Add people or change the policy; the bot asks when the client writes again`,
      ru: `${toolName} не отправлен на одобрение: нужно больше людей, чем могут его одобрить (автор запроса и приостановленные не в счёт). Добавьте людей или измените политику; бот спросит, когда клиент напишет снова`,
    },
  });
}
