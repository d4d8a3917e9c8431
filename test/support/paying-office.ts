import { randomBytes } from "node:crypto";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { createDesk } from "../../src/desk/desk.ts";
import type { ChatModel } from "../../src/domain/chat-model.ts";
import type { DeskAnswer } from "../../src/domain/desk.ts";
import { newId } from "../../src/domain/ids.ts";
import type { ClickEvent } from "../../src/domain/inbound.ts";
import { handleExecution } from "../../src/engine/execution.ts";
import { createPayoutPart } from "../../src/sandbox/payout.ts";
import { type Tx, withOwner, withTenant } from "../../src/store/db.ts";
import { tellOfForgedRows } from "../../src/store/forged-rows.ts";
import { insertOrder, type NewOrder } from "../../src/store/orders.ts";
import { receive } from "../../src/store/receive.ts";
import { outbox } from "../../src/store/schema/chat.ts";
import { auditLog } from "../../src/store/schema/tenancy.ts";
import { toolExecutionQueue } from "../../src/store/schema/tools.ts";
import { createSecrets } from "../../src/store/secrets.ts";
import { createTools } from "../../src/tools/catalog.ts";
import type { AnyTool } from "../../src/tools/contract.ts";
import { createPayoutClient } from "../../src/tools/exchange/payout-client.ts";
import type { OpenDatabase } from "./database.ts";
import { one, openOffice, TENANT } from "./office.ts";
import { addLead, call } from "./office-lead.ts";
import { playPart } from "./sandbox-part.ts";

export const PAYOUT = "issue_exchange_payout";
export const OPERATORS_CHAT = "-100";
const LONGEST_WAIT_MS = 60_000;

/** Tables that an attacker with the owner's rights writes to. */
const SIGNED = [
  ...["api_tokens", "approval_queue", "approval_votes", "destinations", "exchange_orders"],
  ...["exchange_settings", "inbox", "row_lists", "staff", "staff_identities", "tool_policy"],
  ...["tool_execution_queue", "idempotency_keys", "contact_identities", "conversations"],
];

/**
 * An office whose payouts go to the played gateway, and somebody who writes into its database.
 * Without `model` no model is asked; `more` are further tools.
 */
export async function openPayingOffice(
  open: OpenDatabase,
  { model, more = [] }: { model?: ChatModel; more?: readonly AnyTool[] } = {},
) {
  const gateway = await playPart(createPayoutPart);
  const payouts = createPayoutClient({
    baseUrl: gateway.env.PAYOUT_URL ?? "",
    secret: gateway.env.PAYOUT_SECRET ?? "",
    timeoutMs: 5000,
  });
  const secrets = createSecrets(randomBytes(32));
  const office = await openOffice(open, model, (jobs) => [
    ...more,
    ...createTools({
      ...{ payouts, jobs, secrets, tronGrid: null, mail: null },
      ...{ searchKnowledge: async () => [], toolsChanged: () => {}, sandbox: false },
      ...{ guardLimits: { maxDeviationPct: "35", epsPct: "0.5" }, txMaxAgeMs: 1 },
    }).filter(({ name }) => name === PAYOUT),
  ]);
  const { db, clock, jobs, tenant } = office;
  const logged: object[] = [];
  const log = { error: (fields: object) => void logged.push(fields) };
  const forged = tellOfForgedRows({ db, clock, jobs, log });
  const desk = createDesk(office.desk);
  for (const table of SIGNED)
    await db.execute(sql`alter table ${sql.identifier(table)} no force row level security`);
  async function works(id: string): Promise<void> {
    for (let tries = 0; tries < 8; tries += 1) {
      const signal = AbortSignal.timeout(20_000);
      await handleExecution(office.engine, { tenantId: TENANT, id }, signal);
      const after = await one(
        tenant((tx) => tx.select().from(toolExecutionQueue).where(eq(toolExecutionQueue.id, id))),
      );
      if (!["queued", "retry_scheduled", "unknown"].includes(after.status)) return;
      if (after.runAfter > clock.now() + LONGEST_WAIT_MS) return; // it is held
      office.time.now = Math.max(office.time.now, after.runAfter);
      office.time.real = Math.max(office.time.real, (after.leaseUntil ?? 0) + 1);
    }
  }
  return {
    ...{ ...office, gateway, logged, secrets },
    /** Raw SQL with the rights of the database's owner, who has no key. */
    tenantOf: <T>(tenantId: string, work: (tx: Tx) => Promise<T>) => withTenant(db, tenantId, work),
    attacks: (statement: SQL) => withOwner(db, async (tx) => void (await tx.execute(statement))),
    /** What the gateway was asked to pay, a key once. */
    payouts: () =>
      gateway.world.journal.events
        .filter(({ kind }) => kind === "payout.recorded")
        .map(({ data }) => data as { key: string; order: { order_id: string; amount: string } }), // as the part writes them
    /** Ids of rows of a table that people were told of: in the trail, and in the operators' chat. */
    async told(table: string) {
      await forged.settled();
      const rows = await tenant((tx) =>
        tx
          .select({ refs: auditLog.refs })
          .from(auditLog)
          .where(and(eq(auditLog.tenantId, TENANT), eq(auditLog.eventType, "row.forged"))),
      );
      const alerts = await tenant((tx) => tx.select().from(outbox).orderBy(outbox.seq));
      const texts = alerts.flatMap(({ chatId, content }) =>
        content.kind === "text" && content.text.startsWith("ALERT") && chatId === OPERATORS_CHAT
          ? [content.text]
          : [],
      );
      const ids = rows.flatMap(({ refs }) => (refs.table === table ? [refs.row ?? ""] : []));
      return { ids, alerts: texts.length, audited: rows.length };
    },
    /** A lead whose order is paid; a payout of it may be asked for. */
    async paidLead(over: Partial<NewOrder> = {}, who: { userId?: string } = {}) {
      const lead = await addLead(office, who);
      const order = await tenant((tx) =>
        insertOrder(tx, {
          ...{ tenantId: TENANT, number: Number(lead.order.slice(3)), quoteId: "Q" },
          ...{ conversationId: lead.conversationId, contactId: lead.contactId },
          ...{ status: "paid", asset: "USDT", network: "TRC20", quoteAsset: "THB" },
          ...{ amountMode: "source_amount", amountFrom: "40", amountTo: "1300", rate: "32.5" },
          ...{ paymentMethod: "crypto", payoutMethod: "thai_bank_transfer" },
          ...{ payoutDestinationJson: { bank: "SCB", account: "111", holder: "Lea" } },
          ...{ amountReceived: "40", quoteLockedAt: clock.now(), paidAt: clock.now() },
          ...{ expiresAt: clock.now(), createdAt: clock.now() },
          ...over,
        }),
      );
      if (!order) throw new Error("the order was not written");
      return {
        ...lead,
        order,
        async asks() {
          await lead.proposes([call(PAYOUT, {})]);
          return lead.approval();
        },
        /** Whatever stands in the queue is worked on, as often as a lost connection asks for it. */
        async worksAll() {
          for (const { id } of await office.executionsOf(lead.conversationId)) await works(id);
        },
      };
    },
    /** A button is pressed: the event comes in, and the desk handles it. */
    async presses(click: Pick<ClickEvent, "action" | "value"> & { userId: string }) {
      const event: ClickEvent = clickOf(click);
      const context = { db, jobs, clock, coalesceMs: 0 };
      const received = await receive(context, TENANT, event);
      return desk.handle({ tenantId: TENANT, inboxId: received.inboxId });
    },
    handles: (inboxId: string): Promise<DeskAnswer | null> =>
      desk.handle({ tenantId: TENANT, inboxId }),
    async close() {
      await forged.settled();
      await gateway.close();
      await office.close();
    },
  };
}
export type PayingOffice = Awaited<ReturnType<typeof openPayingOffice>>;

export function clickOf(
  click: Pick<ClickEvent, "action" | "value"> & { userId: string },
): ClickEvent {
  const { userId, action, value } = click;
  return {
    ...{ kind: "click", messenger: "telegram", channelId: "tg", eventKey: newId(), action, value },
    ...{ chatId: OPERATORS_CHAT, chatKind: "group", threadId: null, messageId: null, sentAt: 0 },
    person: { id: userId, teamId: "", name: "Somebody", isBot: false },
  };
}
