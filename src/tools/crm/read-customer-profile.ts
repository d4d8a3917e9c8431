import { z } from "zod";
import { contactCard, openOrdersOfContact } from "../../store/contact-card.ts";
import type { Tx } from "../../store/db.ts";
import { contactKyc } from "../../store/kyc.ts";
import { orderName } from "../../store/orders.ts";
import { openTasksOf, taskName } from "../../store/tasks.ts";
import type { RagTool, ToolCall } from "../contract.ts";
import { refusal, success } from "../results.ts";
import { maskEmail, maskPhone } from "./mask-contact.ts";

const parameters = z.strictObject({});

/** The session's own contact; nobody else can be named. */
export function readCustomerProfile(): RagTool<z.infer<typeof parameters>> {
  return {
    name: "read_customer_profile",
    title: "Client's card",
    description: {
      does: "Reads what is noted about the client who is writing.",
      when: "the client asks what you know of them, or a letter or a change needs the address on file.",
      whenNot: "about anybody else; for rates, orders' sums or documents.",
      needs: "nothing.",
      limits: "this client only; mail address and phone are masked.",
      returns:
        "name, language, fields of the card, whether the mail address is confirmed, open orders and tasks by number.",
    },
    risk: "read_only",
    sideEffectType: "none",
    parameters,
    output: z.object({
      ok: z.literal(true),
      name: z.string(),
      language: z.string(),
      identity: z.string(),
      email: z.string().optional(),
      emailConfirmed: z.boolean(),
      phone: z.string().optional(),
      attributes: z.record(z.string(), z.string()),
      openOrders: z.array(z.object({ order: z.string(), status: z.string() })),
      openTasks: z.array(
        z.object({
          task: z.string(),
          title: z.string(),
          status: z.string(),
          dueDate: z.string().optional(),
        }),
      ),
    }),
    offered: true,
    staged: false,
    own: ["email", "phone"],
    isAvailable: () => true,
    run: async (call) => ({ kind: "result", result: await call.read((tx) => read(tx, call)) }),
  };
}

async function read(tx: Tx, call: ToolCall) {
  const card = await contactCard(tx, call);
  if (!card)
    return refusal({
      type: "contact",
      reason: "no_contact",
      summary: "there is no card of this client",
      code: "NOT_FOUND",
    });
  const fields = Object.fromEntries(card.fields.map(({ name, value }) => [name, value]));
  const { email: _email, phone, ...attributes } = fields;
  const tasks = await openTasksOf(tx, call);
  const orders = await openOrdersOfContact(tx, call);
  return success(
    { type: "contact", id: card.id, summary: "the client's own card" },
    {
      name: card.name,
      language: call.language,
      identity: (await contactKyc(tx, call))?.status ?? "missing",
      email: card.email === null ? undefined : maskEmail(card.email),
      emailConfirmed: card.emailVerifiedAt !== null,
      phone: phone === undefined ? undefined : maskPhone(phone),
      attributes,
      openOrders: orders.map((order) => ({ order: orderName(order), status: order.status })),
      openTasks: tasks.map((task) => ({
        task: taskName(task),
        title: task.title,
        status: task.status,
        ...(task.dueDate === null ? {} : { dueDate: task.dueDate }),
      })),
    },
  );
}
