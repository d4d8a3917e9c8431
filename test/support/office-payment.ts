import { z } from "zod";
import type { StaffCall } from "../../src/desk/commands/command.ts";
import { pending } from "../../src/desk/commands/pending.ts";
import { createDesk } from "../../src/desk/desk.ts";
import type { DeskAnswer } from "../../src/domain/desk.ts";
import { newId } from "../../src/domain/ids.ts";
import type { ClickEvent, InboundEvent, SubmissionEvent } from "../../src/domain/inbound.ts";
import type { JsonObject } from "../../src/domain/json.ts";
import { canonicalDecimal } from "../../src/domain/money.ts";
import type { PolicyRow } from "../../src/domain/policy-row.ts";
import { type Received, receive } from "../../src/store/receive.ts";
import type { RagTool } from "../../src/tools/contract.ts";
import { decimalText, success } from "../../src/tools/results.ts";
import type { OpenDatabase } from "./database.ts";
import { type Office, officeRules, openOffice, rule, TENANT } from "./office.ts";
import { call, type OfficeLead } from "./office-lead.ts";
import { SMALL_TOOL } from "./small-tool.ts";

export const PAY = "pay_supplier";
const args = z.strictObject({
  amount: decimalText,
  orderId: z.string(),
  purpose: z.string().default("goods"),
});

/** A payment whose sum an approver may lower; every field is material. `paid` gets what it pays. */
export function paymentTool(paid: JsonObject[] = []): RagTool<z.infer<typeof args>> {
  return {
    ...{ name: PAY, title: "Payment", description: SMALL_TOOL, risk: "payment" },
    ...{ sideEffectType: "external_api", parameters: args, output: z.looseObject({}) },
    ...{ offered: true, staged: false, isAvailable: () => true, edit: { amount: "down" } },
    check: ({ amount }) => (Number(amount) === 0 ? "amount: must be above zero" : null),
    async prepare(_tx, { orderId, purpose, amount }, _scope, edit) {
      const sum = edit?.amount ?? canonicalDecimal(amount);
      return {
        kind: "action",
        action: { orderId, purpose, amount: sum, currency: "THB" },
        businessKey: `pay:${orderId}`,
        material: [
          { label: "Order", value: orderId },
          { label: "Sum", value: `${sum} THB` },
          { label: "Purpose", value: purpose },
        ],
      };
    },
    async run({ action }) {
      paid.push(action);
      return { kind: "result", result: success({ type: "payment", summary: "paid" }, action) };
    },
  };
}

/** The office, and a rule for payments; `over` changes that rule. */
export async function openPayingOffice(open: OpenDatabase): Promise<Office> {
  const office = await openOffice(open, undefined, () => [paymentTool() as never]); // as lists do
  await office.rules(paymentRules());
  return office;
}

export function paymentRules(over: Partial<PolicyRow> = {}): PolicyRow[] {
  return [...officeRules(), rule(PAY, { requires_approval: true, ...over })];
}

/** A payment that waits for people. */
export async function asksPayment(
  lead: OfficeLead,
  { amount = "1000", orderId = lead.order, ...more }: Partial<z.input<typeof args>> = {},
) {
  await lead.proposes([call(PAY, { amount, orderId, ...more })]);
  return lead.approval();
}

/** What `/pending` does: the list goes to whoever asked, and is no message that we know of. */
export function showsList(office: Office) {
  const call = { tenantId: TENANT, now: office.time.now };
  return office.tenant((tx) => pending.run(tx, office.desk, call as unknown as StaffCall)); // it reads no more of it
}

export interface Account {
  messenger: "telegram" | "slack";
  userId: string;
  teamId?: string;
}

/** Presses and forms as the messengers' edges hand them in: stored first, then answered. */
export function officeDesk(office: Office) {
  const desk = createDesk(office.desk);
  const origin = ({ messenger, userId, teamId = "" }: Account) => ({
    ...{ messenger, channelId: messenger === "telegram" ? "tg" : "sl", eventKey: newId() },
    ...{ chatId: messenger === "telegram" ? "-100" : "C0", chatKind: "group" as const },
    ...{ threadId: null, sentAt: office.time.now },
    person: { id: userId, teamId, name: userId, isBot: false },
  });
  const take = async (event: InboundEvent): Promise<Received & { said: DeskAnswer | null }> => {
    const { db, jobs, clock } = office;
    const received = await receive({ db, jobs, clock, coalesceMs: 0 }, TENANT, event);
    const { inboxId } = received;
    return { ...received, said: await desk.handle({ tenantId: TENANT, inboxId }) };
  };
  return {
    click: (
      by: Account,
      button: { action: string; value: string },
      over: Partial<ClickEvent> = {},
    ): ClickEvent => ({ ...origin(by), kind: "click", messageId: "1", ...button, ...over }),
    submission: (
      by: Account,
      form: Pick<SubmissionEvent, "form" | "subject" | "values">,
    ): SubmissionEvent => ({ ...origin(by), kind: "submission", ...form }),
    take,
    /** The private answer. */
    async says(event: InboundEvent): Promise<string> {
      return (await take(event)).said?.text ?? "";
    },
    formFor: (event: ClickEvent) => desk.formFor(TENANT, event),
    errorsOf: (event: SubmissionEvent) => desk.checkForm(event),
  };
}
