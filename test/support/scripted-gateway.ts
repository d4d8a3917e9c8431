import { randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import { answerUnknown } from "../../src/desk/answer-unknown.ts";
import { handleExecution } from "../../src/engine/execution.ts";
import { insertOrder, lastOrder } from "../../src/store/orders.ts";
import { approvalQueue } from "../../src/store/schema/approvals.ts";
import { idempotencyKeys, toolResultLog } from "../../src/store/schema/tools.ts";
import { createSecrets } from "../../src/store/secrets.ts";
import { staffById } from "../../src/store/staff.ts";
import { createTools } from "../../src/tools/catalog.ts";
import { createPayoutClient } from "../../src/tools/exchange/payout-client.ts";
import type { OpenDatabase } from "./database.ts";
import { openOffice, TENANT } from "./office.ts";
import { addLead, call } from "./office-lead.ts";
import { json, startScriptedServer } from "./scripted-server.ts";

const PAYOUT = "issue_exchange_payout";

/** What the gateway does with a request; `paid` tells of the order that it was last sent. */
export type GatewayStep =
  | "hangs_up"
  | "paid"
  | "pending"
  | "failed"
  | { status: number; body?: object };

/** An office whose gateway answers as a test says, a request a step. */
export async function openScriptedOffice(open: OpenDatabase) {
  const server = await startScriptedServer();
  const steps: GatewayStep[] = [];
  let sent: Record<string, unknown> = {};
  server.answer(({ method, body }, response) => {
    if (method === "POST") sent = JSON.parse(body.toString());
    const step = steps.shift() ?? { status: 500 };
    if (step === "hangs_up") return void response.socket?.destroy();
    if (typeof step === "object") return json(response, step.status, step.body ?? {});
    const { order_id, amount, currency } = sent;
    const status = step === "paid" ? "completed" : step;
    json(response, 200, { id: "gw-77", order_id, amount, currency, status });
  });
  const payouts = createPayoutClient({ baseUrl: server.url, secret: "s", timeoutMs: 5_000 });
  const office = await openOffice(open, undefined, (jobs) =>
    createTools({
      ...{ payouts, jobs, secrets: createSecrets(randomBytes(32)), tronGrid: null, mail: null },
      ...{ searchKnowledge: async () => [], toolsChanged: () => {}, sandbox: false },
      ...{ guardLimits: { maxDeviationPct: "35", epsPct: "0.5" }, txMaxAgeMs: 1 },
    }).filter(({ name }) => name === PAYOUT),
  );
  const { tenant, time } = office;
  await office.person();

  /** A lead whose order is paid, with an approved payout of it. */
  async function approvedLead() {
    const lead = await addLead(office);
    const { conversationId, contactId, order } = lead;
    const at = time.now;
    await tenant((tx) =>
      insertOrder(tx, {
        ...{ tenantId: TENANT, number: Number(order.slice(3)), quoteId: "Q" },
        ...{ conversationId, contactId, status: "paid", asset: "USDT", network: "TRC20" },
        ...{ quoteAsset: "THB", amountMode: "source_amount", amountFrom: "40", amountTo: "1300" },
        ...{ rate: "32.5", paymentMethod: "crypto", payoutMethod: "thai_bank_transfer" },
        payoutDestinationJson: { bank: "SCB", account: "1112223334", holder: "Lea Secretname" },
        ...{ amountReceived: "40", quoteLockedAt: at, paidAt: at, expiresAt: at, createdAt: at },
      }),
    );
    const asks = async () => {
      const [asked] = await lead.proposes([call(PAYOUT, {})]);
      if (!asked) throw new Error("the call was not written down");
      return office.candidate(asked.candidateId);
    };
    await asks();
    const approval = await lead.approval();
    const decided = await office.decides(approval.id, await office.person());
    if (!decided.accepted) throw new Error(decided.message);
    const execution = async () => {
      const found = await office.executionsOf(conversationId);
      const row = found.find(({ approvalId }) => approvalId === approval.id);
      if (!row) throw new Error("it was not approved");
      return row;
    };
    return {
      ...{ ...lead, approval, asks, execution },
      order: () => tenant((tx) => lastOrder(tx, { tenantId: TENANT, conversationId })),
      /** The worker comes as often as it is called, each time when the row is due. */
      async works(times: number) {
        for (let turn = 0; turn < times; turn += 1) {
          const { id, runAfter } = await execution();
          time.now = Math.max(time.now, runAfter);
          await handleExecution(
            office.engine,
            { tenantId: TENANT, id },
            AbortSignal.timeout(20_000),
          );
        }
        return execution();
      },
      /** Up to where the same is about to be sent a second time. */
      async isSentAgain() {
        steps.push("hangs_up", { status: 404 }, { status: 404 });
        const before = await this.works(3);
        if (!before.resent) throw new Error(`it is ${before.status}`);
      },
      async keys() {
        const { id } = await execution();
        const rows = await tenant((tx) =>
          tx.select().from(idempotencyKeys).where(eq(idempotencyKeys.resultRef, id)),
        );
        return rows.map(({ status }) => status);
      },
      async results() {
        const { id } = await execution();
        return tenant((tx) =>
          tx.select().from(toolResultLog).where(eq(toolResultLog.executionId, id)),
        );
      },
      approvals: () =>
        tenant((tx) =>
          tx
            .select({ id: approvalQueue.id })
            .from(approvalQueue)
            .where(eq(approvalQueue.conversationId, conversationId)),
        ),
      /** A person says whether it happened. */
      async answers(happened: boolean) {
        const staffId = await office.person();
        return tenant(async (tx) =>
          answerUnknown(tx, office.desk, {
            ...{ tenantId: TENANT, approvalId: approval.id, happened, via: "slack" as const },
            staff: await staffById(tx, TENANT, staffId),
          }),
        );
      },
    };
  }

  return {
    ...{ ...office, steps, approvedLead },
    /** Keys of the payouts that were sent to the gateway. */
    sentKeys: () =>
      server.seen
        .filter(({ method }) => method === "POST")
        .map(({ headers }) => String(headers["idempotency-key"])),
    /** Nothing of what was before. */
    forget() {
      steps.length = 0;
      server.seen.length = 0;
    },
    async close() {
      await office.close();
      await server.close();
    },
  };
}
export type ScriptedOffice = Awaited<ReturnType<typeof openScriptedOffice>>;
