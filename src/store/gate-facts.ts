import { and, count, desc, eq, gte, inArray, sql } from "drizzle-orm";
import { type KycStatus, kycOf } from "../domain/kyc.ts";
import { compareAmounts } from "../domain/money.ts";
import type { Policies } from "../domain/policy-row.ts";
import { believedContact, SIGNED_PLACE, UNKNOWN_CONTACT } from "./conversations.ts";
import type { Tx } from "./db.ts";
import { eligibleFor } from "./makers.ts";
import { type Order, own } from "./orders.ts";
import { policiesOf } from "./policies.ts";
import { approvalQueue } from "./schema/approvals.ts";
import { contacts, conversations } from "./schema/chat.ts";
import { exchangeOrders } from "./schema/exchange.ts";
import { runs } from "./schema/runs.ts";
import { tenants } from "./schema/tenancy.ts";
import { toolCallCandidates, toolExecutionQueue } from "./schema/tools.ts";
import { statement, type ValueAt } from "./statement.ts";
import { believed, type Tenant, tenantById } from "./tenants.ts";
import { activeSchemas, activeToolNames } from "./tool-registry.ts";
import { withdrawnTools } from "./withdrawn-tools.ts";

const DAY_MS = 86_400_000;

/** What a gate's facts are made of, read in one transaction, together where nothing waits for another. Nothing here comes from arguments. */
export interface RoundFacts {
  stage: string;
  contactId: string;
  agentRole: string;
  /** Until an admin resumes them, nothing that sends money out is dispatched. */
  payoutsStopped: boolean;
  kyc: KycStatus;
  /** The contact has an e-mail address that a person has confirmed. */
  recipientVerified: boolean;
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
  policies: Policies;
  approvers: { operator: number; admin: number };
  attemptsUsed: number;
  /** What the run has cost so far, USD, decimal. */
  spent: string;
  callsInRun: Map<string, number>;
  /** Action digests that were rejected, or whose outcome is unknown, in this conversation. */
  rejectedDigests: Set<string>;
  unknownDigests: Set<string>;
  /** Declined so often in a row that no model may propose them in this turn. */
  withdrawnTools: Set<string>;
}

/**
 * Everything that gate decisions of one round rest on, read once, in the transaction that acts on
 * it. Throws when tenant or conversation do not exist.
 */
export async function loadRoundFacts(
  tx: Tx,
  query: {
    tenantId: string;
    conversationId: string;
    runId: string | null;
    /** Whoever asks besides the contact: a staff member may not decide on that. */
    maker?: string;
    now: number;
  },
): Promise<RoundFacts> {
  const { tenantId } = query;
  const [person, activeTools, schemaVersions, policies, run, digests, withdrawn] =
    await Promise.all([
      whoFacts(tx, query),
      activeToolNames(tx, tenantId),
      activeSchemas(tx),
      policiesOf(tx, tenantId),
      runFacts(tx, query),
      digestFacts(tx, query),
      withdrawnTools(tx, query),
    ]);
  return {
    ...{ ...person, activeTools, schemaVersions, policies, ...run, ...digests },
    withdrawnTools: withdrawn,
  };
}

/** Who it is about, the contact's deals, and who may decide. */
async function whoFacts(
  tx: Tx,
  query: { tenantId: string; conversationId: string; maker?: string; now: number },
) {
  const isDesk = query.conversationId === "";
  const person = isDesk ? await deskFacts(tx, query.tenantId) : await personFacts(tx, query);
  const [money, approvers] = await Promise.all([
    moneyFacts(tx, { ...query, contactId: person.contactId }),
    approverCounts(tx, query.tenantId, {
      makers: [person.contactId, query.maker ?? ""],
      // one admin alone has nobody to ask: a delay that everybody can end stands for the second
      atLeast: isDesk ? 1 : 0,
    }),
  ]);
  return { ...person, ...money, approvers };
}

/** What the desk itself asks for is about no client. */
async function deskFacts(tx: Tx, tenantId: string) {
  const tenant = await tenantById(tx, tenantId);
  if (!tenant) throw new Error(`tenant ${tenantId} does not exist`);
  return {
    ...tenantFacts(tenant),
    ...{ stage: "", contactId: "", kyc: kycOf({}).status, recipientVerified: false },
  };
}

function tenantFacts({ agentRole, payoutsStoppedAt }: Tenant) {
  return { agentRole, payoutsStopped: payoutsStoppedAt !== null };
}

async function personFacts(tx: Tx, query: { tenantId: string; conversationId: string }) {
  const { tenantId, conversationId } = query;
  const rows = await personOf(tx, { tenantId, conversationId });
  const row = rows[0];
  if (!row) throw new Error(`conversation ${query.conversationId} does not exist`);
  const { attributes, tenant, place, stage } = row;
  const contactId = believedContact(tx, place);
  const isKnown = contactId !== UNKNOWN_CONTACT;
  return {
    ...{ stage, contactId, ...tenantFacts(believed(tx, tenant)) },
    kyc: kycOf(isKnown ? attributes : {}).status,
    recipientVerified: isKnown && row.recipientVerified,
  };
}

interface InConversation extends Record<string, unknown> {
  tenantId: string;
  conversationId: string;
}

const personOf = statement((on, value: ValueAt<InConversation>) =>
  on
    .select({
      stage: conversations.stage,
      place: SIGNED_PLACE,
      attributes: contacts.attributes,
      recipientVerified: sql<boolean>`${contacts.email} is not null and ${contacts.emailVerifiedAt} is not null`,
      tenant: tenants,
    })
    .from(conversations)
    .innerJoin(contacts, eq(contacts.id, conversations.contactId))
    .innerJoin(tenants, eq(tenants.id, conversations.tenantId))
    .where(
      and(
        eq(conversations.tenantId, value("tenantId")),
        eq(conversations.id, value("conversationId")),
      ),
    ),
);

async function moneyFacts(
  tx: Tx,
  query: { tenantId: string; conversationId: string; contactId: string; now: number },
) {
  const { tenantId, conversationId, contactId } = query;
  const since = new Date(query.now - DAY_MS).toISOString();
  const [orders, totals] = await Promise.all([
    orderInHand(tx, { tenantId, conversationId, contactId }),
    orderTotals(tx, { tenantId, contactId, since }),
  ]);
  const order = orderFacts(own(tx, orders[0]));
  return {
    order,
    firstDeal: totals.every(({ completed }) => completed === 0),
    dayTotal: dayTotalOf(totals, order?.quoteAsset),
  };
}

interface OfContact extends Record<string, unknown> {
  tenantId: string;
  contactId: string;
}

const ofContact = (value: ValueAt<OfContact>) =>
  and(
    eq(exchangeOrders.tenantId, value("tenantId")),
    eq(exchangeOrders.contactId, value("contactId")),
  );

/** In the order's own currency; without an order the largest: sums of two currencies are no sum. */
function dayTotalOf(totals: readonly { asset: string; day: string }[], asset?: string): string {
  const days = totals.filter((one) => asset === undefined || one.asset === asset);
  return days.reduce((most, { day }) => (compareAmounts(day, most) > 0 ? day : most), "0");
}

/** The newest that money came for, else the newest. */
const orderInHand = statement((on, value: ValueAt<OfContact & { conversationId: string }>) =>
  on
    .select()
    .from(exchangeOrders)
    .where(and(ofContact(value), eq(exchangeOrders.conversationId, value("conversationId"))))
    .orderBy(
      desc(sql`(${exchangeOrders.status} in ('paid', 'payout'))::int`),
      desc(exchangeOrders.number),
    )
    .limit(1),
);

const orderTotals = statement((on, value: ValueAt<OfContact & { since: string }>) =>
  on
    .select({
      asset: exchangeOrders.quoteAsset,
      completed: sql<number>`count(*) filter (where status = 'completed')::int`,
      day: sql<string>`coalesce(sum(amount_to) filter (where created_at >= ${value("since")}::timestamptz and status not in ('cancelled', 'expired')), 0)::text`,
    })
    .from(exchangeOrders)
    .where(ofContact(value))
    .groupBy(exchangeOrders.quoteAsset),
);

function orderFacts(order: Order | null): RoundFacts["order"] {
  if (!order) return null;
  const { number, status, amountFrom, amountTo, quoteAsset, proofReceivedAt } = order;
  const proofReceived = proofReceivedAt !== null;
  return { number, status, amountFrom, amountTo, quoteAsset, proofReceived };
}

/** Nobody decides on a request of his own: the makers are left out. */
async function approverCounts(
  tx: Tx,
  tenantId: string,
  { makers, atLeast }: { makers: readonly string[]; atLeast: number },
) {
  const people = await eligibleFor(tx, { tenantId, role: "operator", makers });
  const admins = people.filter(({ role }) => role === "admin");
  return { admin: Math.max(admins.length, atLeast), operator: Math.max(people.length, atLeast) };
}

async function runFacts(tx: Tx, query: { tenantId: string; runId: string | null }) {
  if (query.runId === null)
    return { attemptsUsed: 0, spent: "0", callsInRun: new Map<string, number>() };
  const { tenantId, runId } = query;
  const [used, calls] = await Promise.all([
    usedBy(tx, { tenantId, runId }),
    callsCounted(tx, { tenantId, runId }),
  ]);
  return {
    attemptsUsed: used[0]?.attempts ?? 0,
    spent: used[0]?.spent ?? "0",
    callsInRun: new Map(calls.map((row) => [row.name, row.calls])),
  };
}

interface OfRun extends Record<string, unknown> {
  tenantId: string;
  runId: string;
}

const usedBy = statement((on, value: ValueAt<OfRun>) =>
  on
    .select({ attempts: runs.attempts, spent: runs.spent })
    .from(runs)
    .where(and(eq(runs.tenantId, value("tenantId")), eq(runs.id, value("runId")))),
);

const callsCounted = statement((on, value: ValueAt<OfRun>) =>
  on
    .select({ name: toolCallCandidates.toolName, calls: count() })
    .from(toolCallCandidates)
    .where(
      and(
        eq(toolCallCandidates.tenantId, value("tenantId")),
        eq(toolCallCandidates.runId, value("runId")),
        inArray(toolCallCandidates.status, ["queued", "executed", "waiting_approval", "failed"]),
      ),
    )
    .groupBy(toolCallCandidates.toolName),
);

async function digestFacts(
  tx: Tx,
  query: { tenantId: string; conversationId: string; now: number },
) {
  const { tenantId, conversationId, now } = query;
  const since = now - 30 * DAY_MS;
  const [rejected, unknown] = await Promise.all([
    rejectedOf(tx, { tenantId, conversationId, since }),
    unknownOf(tx, { tenantId, conversationId }),
  ]);
  return {
    rejectedDigests: bothOf(rejected),
    unknownDigests: bothOf(unknown),
  };
}

/** An edited action and the proposal that it was made of. */
function bothOf(rows: readonly { digest: string; proposed: string | null }[]): Set<string> {
  return new Set(rows.flatMap(({ digest, proposed }) => [digest, proposed ?? digest]));
}

const rejectedOf = statement((on, value: ValueAt<InConversation & { since: number }>) =>
  on
    .select({ digest: approvalQueue.actionDigest, proposed: toolCallCandidates.actionDigest })
    .from(approvalQueue)
    .leftJoin(
      toolCallCandidates,
      and(
        eq(toolCallCandidates.tenantId, approvalQueue.tenantId),
        eq(toolCallCandidates.id, approvalQueue.candidateId),
      ),
    )
    .where(
      and(
        eq(approvalQueue.tenantId, value("tenantId")),
        eq(approvalQueue.conversationId, value("conversationId")),
        eq(approvalQueue.status, "rejected"),
        gte(approvalQueue.createdAt, value("since", approvalQueue.createdAt)),
      ),
    ),
);

const unknownOf = statement((on, value: ValueAt<InConversation>) =>
  on
    .select({ digest: toolExecutionQueue.actionDigest, proposed: toolCallCandidates.actionDigest })
    .from(toolExecutionQueue)
    .leftJoin(
      toolCallCandidates,
      and(
        eq(toolCallCandidates.tenantId, toolExecutionQueue.tenantId),
        eq(toolCallCandidates.id, toolExecutionQueue.candidateId),
      ),
    )
    .where(
      and(
        eq(toolExecutionQueue.tenantId, value("tenantId")),
        eq(toolExecutionQueue.conversationId, value("conversationId")),
        inArray(toolExecutionQueue.status, ["unknown", "waiting_approval"]),
      ),
    ),
);
