import { and, count, desc, eq, gte, inArray, sql } from "drizzle-orm";
import { type KycStatus, kycOf } from "../domain/kyc.ts";
import type { PolicyRow } from "../domain/policy-row.ts";
import type { Tx } from "./db.ts";
import { activePolicyRows } from "./policies.ts";
import { approvalQueue } from "./schema/approvals.ts";
import { contacts, conversations } from "./schema/chat.ts";
import { exchangeOrders } from "./schema/exchange.ts";
import { runs } from "./schema/runs.ts";
import { staff, tenants } from "./schema/tenancy.ts";
import { toolCallCandidates, toolExecutionQueue } from "./schema/tools.ts";
import { activeSchemas, activeToolNames } from "./tool-registry.ts";

const DAY_MS = 86_400_000;

/** What a gate's facts are made of, read in one transaction. Nothing here comes from arguments. */
export interface RoundFacts {
  stage: string;
  contactId: string;
  agentRole: string;
  /** Until an admin resumes them, nothing that sends money out is dispatched. */
  payoutsStopped: boolean;
  kyc: KycStatus;
  /** The newest order of the conversation. */
  order: {
    number: number;
    status: string;
    amountFrom: string;
    amountTo: string;
    quoteAsset: string;
    /** A proof was handed in that nobody has settled. */
    proofReceived: boolean;
  } | null;
  firstDeal: boolean;
  /** Sum of `amount_to` of the contact's orders of 24 hours, decimal. */
  dayTotal: string;
  activeTools: Set<string>;
  schemaVersions: Map<string, { version: number; hash: string }>;
  policies: PolicyRow[];
  approvers: { operator: number; admin: number };
  attemptsUsed: number;
  callsInRun: Map<string, number>;
  /** Action digests that were rejected, or whose outcome is unknown, in this conversation. */
  rejectedDigests: Set<string>;
  unknownDigests: Set<string>;
}

export async function loadRoundFacts(
  tx: Tx,
  query: { tenantId: string; conversationId: string; runId: string | null; now: number },
): Promise<RoundFacts> {
  const person = await personFacts(tx, query);
  const money = await moneyFacts(tx, { ...query, contactId: person.contactId });
  return {
    ...person,
    ...money,
    activeTools: await activeToolNames(tx, query.tenantId),
    schemaVersions: await activeSchemas(tx),
    policies: await activePolicyRows(tx, query.tenantId),
    approvers: await approverCounts(tx, query.tenantId),
    ...(await runFacts(tx, query)),
    ...(await digestFacts(tx, query)),
  };
}

async function personFacts(tx: Tx, query: { tenantId: string; conversationId: string }) {
  const rows = await tx
    .select({
      stage: conversations.stage,
      contactId: conversations.contactId,
      attributes: contacts.attributes,
      agentRole: tenants.agentRole,
      payoutsStopped: sql<boolean>`${tenants.payoutsStoppedAt} is not null`,
    })
    .from(conversations)
    .innerJoin(contacts, eq(contacts.id, conversations.contactId))
    .innerJoin(tenants, eq(tenants.id, conversations.tenantId))
    .where(
      and(eq(conversations.tenantId, query.tenantId), eq(conversations.id, query.conversationId)),
    );
  const row = rows[0];
  if (!row) throw new Error(`conversation ${query.conversationId} does not exist`);
  const { attributes, ...rest } = row;
  return { ...rest, kyc: kycOf(attributes).status };
}

async function moneyFacts(
  tx: Tx,
  query: { tenantId: string; conversationId: string; contactId: string; now: number },
) {
  const ofContact = and(
    eq(exchangeOrders.tenantId, query.tenantId),
    eq(exchangeOrders.contactId, query.contactId),
  );
  const orders = await tx
    .select({
      number: exchangeOrders.number,
      status: exchangeOrders.status,
      amountFrom: exchangeOrders.amountFrom,
      amountTo: exchangeOrders.amountTo,
      quoteAsset: exchangeOrders.quoteAsset,
      proofReceived: sql<boolean>`${exchangeOrders.proofReceivedAt} is not null`,
    })
    .from(exchangeOrders)
    .where(and(ofContact, eq(exchangeOrders.conversationId, query.conversationId)))
    .orderBy(desc(exchangeOrders.number))
    .limit(1);
  const totals = await tx
    .select({
      completed: sql<number>`count(*) filter (where status = 'completed')::int`,
      day: sql<string>`coalesce(sum(amount_to) filter (where created_at >= ${new Date(query.now - DAY_MS).toISOString()}::timestamptz and status not in ('cancelled', 'expired')), 0)::text`,
    })
    .from(exchangeOrders)
    .where(ofContact);
  return {
    order: orders[0] ?? null,
    firstDeal: (totals[0]?.completed ?? 0) === 0,
    dayTotal: totals[0]?.day ?? "0",
  };
}

async function approverCounts(tx: Tx, tenantId: string) {
  const rows = await tx
    .select({ role: staff.role, people: count() })
    .from(staff)
    .where(and(eq(staff.tenantId, tenantId), eq(staff.status, "active")))
    .groupBy(staff.role);
  const people = new Map(rows.map((row) => [row.role, row.people]));
  const admin = people.get("admin") ?? 0;
  return { admin, operator: admin + (people.get("operator") ?? 0) };
}

async function runFacts(tx: Tx, query: { tenantId: string; runId: string | null }) {
  if (query.runId === null) return { attemptsUsed: 0, callsInRun: new Map<string, number>() };
  const used = await tx
    .select({ attempts: runs.attempts })
    .from(runs)
    .where(and(eq(runs.tenantId, query.tenantId), eq(runs.id, query.runId)));
  const calls = await tx
    .select({ name: toolCallCandidates.toolName, calls: count() })
    .from(toolCallCandidates)
    .where(
      and(
        eq(toolCallCandidates.tenantId, query.tenantId),
        eq(toolCallCandidates.runId, query.runId),
        inArray(toolCallCandidates.status, ["queued", "executed", "waiting_approval", "failed"]),
      ),
    )
    .groupBy(toolCallCandidates.toolName);
  return {
    attemptsUsed: used[0]?.attempts ?? 0,
    callsInRun: new Map(calls.map((row) => [row.name, row.calls])),
  };
}

async function digestFacts(
  tx: Tx,
  query: { tenantId: string; conversationId: string; now: number },
) {
  const rejected = await tx
    .select({ digest: approvalQueue.actionDigest })
    .from(approvalQueue)
    .where(
      and(
        eq(approvalQueue.tenantId, query.tenantId),
        eq(approvalQueue.conversationId, query.conversationId),
        eq(approvalQueue.status, "rejected"),
        gte(approvalQueue.createdAt, query.now - 30 * DAY_MS),
      ),
    );
  const unknown = await tx
    .select({ digest: toolExecutionQueue.actionDigest })
    .from(toolExecutionQueue)
    .where(
      and(
        eq(toolExecutionQueue.tenantId, query.tenantId),
        eq(toolExecutionQueue.conversationId, query.conversationId),
        inArray(toolExecutionQueue.status, ["unknown", "waiting_approval"]),
      ),
    );
  return {
    rejectedDigests: new Set(rejected.map((row) => row.digest)),
    unknownDigests: new Set(unknown.map((row) => row.digest)),
  };
}
