import { and, desc, eq } from "drizzle-orm";
import { newId } from "../../src/domain/ids.ts";
import { handleExecution } from "../../src/engine/execution.ts";
import { insertAccount } from "../../src/store/contact-accounts.ts";
import { insertOrder } from "../../src/store/orders.ts";
import { macOf } from "../../src/store/row-mac.ts";
import { approvalQueue } from "../../src/store/schema/approvals.ts";
import { contacts, conversations, messages, outbox } from "../../src/store/schema/chat.ts";
import { runs } from "../../src/store/schema/runs.ts";
import { toolCallCandidates } from "../../src/store/schema/tools.ts";
import { type ProposedCall, propose } from "../../src/tools/propose.ts";
import type { Proposing, RawCall } from "../../src/tools/proposing.ts";
import { type Office, one, TENANT } from "./office.ts";

let leads = 0;
const LEASE_MS = 15_000;

/** A lead of the office with a conversation at the stage where payouts are allowed. */
export async function addLead(office: Office, over: { userId?: string; amountTo?: string } = {}) {
  leads += 1;
  const { tenant, time } = office;
  const number = leads;
  const contactId = `lead-${number}`;
  const conversationId = `conversation-${number}`;
  const base = { tenantId: TENANT, createdAt: time.now };
  await tenant(async (tx) => {
    await tx.insert(contacts).values({ ...base, id: contactId, name: `Lead ${number}` });
    await insertAccount(tx, {
      ...{ tenantId: TENANT, contactId, messenger: "telegram", teamId: "" },
      userId: over.userId ?? `user-${number}`,
    });
    const place = {
      ...{ id: conversationId, tenantId: TENANT, contactId, channelId: "tg" },
      ...{ messenger: "telegram" as const, chatId: `chat-${number}` },
    };
    await tx.insert(conversations).values({
      ...{ ...place, mac: macOf(tx, "conversations", place), stage: "payment_verified" },
      ...{ language: "en", createdAt: time.now, updatedAt: time.now },
    });
    if (over.amountTo) await insertOrder(tx, orderRow(office, number, over.amountTo));
  });
  const scope = { tenantId: TENANT, conversationId, contactId, language: "en" as const };
  const order = `EX-${number}`;
  const lead = {
    ...{ contactId, conversationId, order },
    /** Calls of a model's answer, through the gate. */
    proposes(calls: RawCall[], more: Partial<Proposing> = {}): Promise<ProposedCall[]> {
      const proposing = { ...lead.proposing(), ...more };
      return tenant((tx) => propose(tx, office.engine.proposing, proposing, calls));
    },
    proposing: (): Proposing => ({
      ...{ ...scope, runId: null, now: time.now, source: "model", maker: contactId },
      ...{ readOnlyRun: false, messageId: newId(), cycle: 0, modelCallId: null },
      ...{ realNow: time.real, clientSays: null },
      lease: { owner: "boot-1", token: newId(), untilMs: time.real + LEASE_MS },
    }),
    /** Proposes a payout and gives the approval that waits for people. */
    async asksPayout(amount = "40", orderName = order) {
      await lead.proposes([call("issue_exchange_payout", { amount, order: orderName })]);
      return lead.approval();
    },
    /** The newest approval of the conversation. */
    approval: () =>
      one(
        tenant((tx) =>
          tx
            .select()
            .from(approvalQueue)
            .where(eq(approvalQueue.conversationId, conversationId))
            .orderBy(desc(approvalQueue.number)),
        ),
      ),
    /** A payout that a new operator has approved; its execution is queued. */
    async approvedPayout(amount = "40") {
      const approval = await lead.asksPayout(amount);
      const decided = await office.decides(approval.id, await office.person());
      if (!decided.accepted) throw new Error(decided.message);
      return approval;
    },
    async execution() {
      const [execution] = await office.executionsOf(conversationId);
      if (!execution) throw new Error("nothing was approved");
      return execution;
    },
    /** The worker takes the execution's job. */
    async works() {
      const { id } = await lead.execution();
      const signal = AbortSignal.timeout(20_000);
      await handleExecution(office.engine, { tenantId: TENANT, id }, signal);
      return lead.execution();
    },
    events: () =>
      tenant((tx) =>
        tx
          .select({ text: messages.text })
          .from(messages)
          .where(and(eq(messages.conversationId, conversationId), eq(messages.kind, "event")))
          .orderBy(messages.seq),
      ),
    candidates: () =>
      tenant((tx) =>
        tx
          .select()
          .from(toolCallCandidates)
          .where(eq(toolCallCandidates.conversationId, conversationId))
          .orderBy(toolCallCandidates.createdAt, toolCallCandidates.ordinal),
      ),
    runs: () =>
      tenant((tx) =>
        tx
          .select()
          .from(runs)
          .where(eq(runs.conversationId, conversationId))
          .orderBy(runs.createdAt, runs.id),
      ),
    sent: () =>
      tenant((tx) =>
        tx
          .select()
          .from(outbox)
          .where(eq(outbox.conversationId, conversationId))
          .orderBy(outbox.seq),
      ),
  };
  return lead;
}
export type OfficeLead = Awaited<ReturnType<typeof addLead>>;

export function call(name: string, args: unknown): RawCall {
  return { name, arguments: typeof args === "string" ? args : JSON.stringify(args) };
}

function orderRow({ time }: Office, number: number, amountTo: string) {
  return {
    ...{ tenantId: TENANT, number, conversationId: `conversation-${number}` },
    ...{ contactId: `lead-${number}`, quoteId: "Q", status: "paid" as const, asset: "USDT" },
    ...{ network: "TRC20", quoteAsset: "THB", amountMode: "source_amount" as const },
    ...{ amountFrom: "40", amountTo, rate: "31", paymentMethod: "crypto" },
    ...{ expiresAt: time.now, createdAt: time.now },
  };
}
