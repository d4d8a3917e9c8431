import { sql } from "drizzle-orm";
import { sealSecretForm } from "../../src/desk/secret-forms.ts";
import type { SubmissionEvent } from "../../src/domain/inbound.ts";
import type { JsonObject } from "../../src/domain/json.ts";
import { ensureAuditKey } from "../../src/store/audit-key.ts";
import { insertAccount } from "../../src/store/contact-accounts.ts";
import { type Database, prepareDatabase } from "../../src/store/database.ts";
import { queryRows, type Tx, withOwner, withTenant } from "../../src/store/db.ts";
import { checkMasterKey } from "../../src/store/key-check.ts";
import { sealPayoutCode, sealPayoutDraft } from "../../src/store/payout-codes.ts";
import { replacePolicyRows } from "../../src/store/policies.ts";
import { productTables } from "../../src/store/product-tables.ts";
import { putRowList } from "../../src/store/row-list.ts";
import { bindRowKey, macOf, rowKeyOf } from "../../src/store/row-mac.ts";
import type { SignedRows, SignedTable } from "../../src/store/row-meaning.ts";
import { approvalQueue, approvalVotes } from "../../src/store/schema/approvals.ts";
import { contactIdentities, conversations, inbox } from "../../src/store/schema/chat.ts";
import { exchangeOrders, exchangeSettings } from "../../src/store/schema/exchange.ts";
import {
  apiTokens,
  destinations,
  rowLists,
  staff,
  staffIdentities,
  tenants,
} from "../../src/store/schema/tenancy.ts";
import { toolArgumentChecks, toolCallCandidates } from "../../src/store/schema/tools.ts";
import { createSecrets, type Secrets } from "../../src/store/secrets.ts";
import { isBelieved } from "../../src/store/sign-anew.ts";
import { ensureStaffIdentity } from "../../src/store/staff.ts";
import { ensureTenant } from "../../src/store/tenants.ts";
import { ensureSetupToken } from "../../src/store/tokens.ts";
import { sealRequisites } from "../../src/tools/change-authority/requisites.ts";

export const KEYED_TENANTS = ["one", "two"];
export const NOW = Date.UTC(2026, 10, 2, 8);
export const CODE = "PX-55219-ZK";
export const DRAFT = "PX-77000-AB";
export const TYPED = "PX-31337-QQ";
export const WISHED = "700000001";
export const SETUP_TOKEN = "a token of the set-up that is long enough";

const ids = (tenantId: string) => ({
  ...{ order: `order ${tenantId}`, talk: `talk ${tenantId}`, rule: `rule ${tenantId}` },
  ...{ chat: `chat ${tenantId}`, form: `form ${tenantId}`, done: `done ${tenantId}` },
  ...{ approval: `approval ${tenantId}`, candidate: `candidate ${tenantId}` },
});
export const keyedIds = ids;

export function typedForm(tenantId: string): SubmissionEvent {
  return {
    ...{ kind: "submission", form: "payout_code", subject: "A-1", values: { code: TYPED } },
    ...{ channelId: "slack", eventKey: `key ${tenantId}`, chatId: "C1", chatKind: "group" },
    ...{ user: { userId: "U1", teamId: "", name: "Alice" }, sentAt: NOW },
  } as unknown as SubmissionEvent; // what its place and its values are read of
}

/** Something under the master key in every place there is, of two tenants. */
export async function fillKeyed(database: Database, masterKey: Buffer): Promise<void> {
  const { db } = database;
  const secrets = createSecrets(masterKey);
  bindRowKey(db, rowKeyOf(masterKey));
  await prepareDatabase(database, "sandbox");
  await checkMasterKey(db, secrets);
  await withOwner(db, async (tx) => {
    await ensureAuditKey(tx, secrets, NOW);
    await ensureSetupToken(tx, { fromEnv: SETUP_TOKEN, now: NOW });
    for (const id of KEYED_TENANTS) await ensureTenant(tx, { id, name: id, now: NOW });
  });
  for (const id of KEYED_TENANTS)
    await withTenant(db, id, async (tx) => {
      await fillDesk(tx, id, secrets);
      await fillMoney(tx, id, secrets);
      await fillRequest(tx, id, secrets);
    });
}

async function fillDesk(tx: Tx, tenantId: string, secrets: Secrets): Promise<void> {
  const of = ids(tenantId);
  const person = { messenger: "telegram" as const, userId: "2001", role: "admin" as const };
  await ensureStaffIdentity(tx, { tenantId, ...person, now: NOW });
  for (const value of ["first", "second"])
    await secrets.set(tx, { tenantId, name: "crm_key", value, by: "setup", now: NOW });
  await replacePolicyRows(tx, tenantId, [
    {
      ...{ id: of.rule, tool_name: "pay", role: "*", condition_json: { a: { $lte: "50000" } } },
      ...{ allow_call: true, requires_approval: true, approvals_required: 1 },
      ...{ approver_role: "operator", approval_ttl_s: null, max_calls_per_run: 3 },
      ...{ max_payload_size: 99, is_active: true },
    },
  ]);
  const place = { channelId: "tg", messenger: "telegram" as const, chatId: `-1 ${tenantId}` };
  const chat = { id: of.chat, tenantId, ...place, purpose: "operators" as const };
  const kept = { ...chat, source: "setup" as const, createdAt: NOW };
  await tx.insert(destinations).values({ ...kept, mac: macOf(tx, "destinations", kept) });
  const talk = { id: of.talk, tenantId, contactId: "lead", ...place };
  await tx.insert(conversations).values({
    ...{ ...talk, language: "en", createdAt: NOW, updatedAt: NOW },
    mac: macOf(tx, "conversations", talk),
  });
  const client = { tenantId, messenger: "telegram" as const, teamId: "", userId: "1001" };
  await insertAccount(tx, { ...client, contactId: "lead" });
  const payload = sealSecretForm(secrets, tenantId, typedForm(tenantId));
  const event = { id: of.form, tenantId, channelId: "slack", eventKey: `key ${tenantId}` };
  const form = { ...event, kind: "submission" as const, payload };
  const mac = macOf(tx, "inbox", form);
  await tx.insert(inbox).values({ ...form, status: "new", receivedAt: NOW, mac });
  const over = { ...form, id: of.done, eventKey: `over ${tenantId}` };
  await tx.insert(inbox).values({ ...over, status: "done", receivedAt: NOW, mac: "" });
}

async function fillMoney(tx: Tx, tenantId: string, secrets: Secrets): Promise<void> {
  const of = ids(tenantId);
  const settings = {
    ...{ tenantId, quoteAsset: "THB", rateRefreshSec: 180, feedStaleSec: 540 },
    ...{ riskFirstDealReview: false, riskDailyLimit: "100.50", updatedAt: NOW },
    payoutProviders: { office_cash: "manual" as const },
  };
  const mac = macOf(tx, "exchange_settings", settings);
  await tx.insert(exchangeSettings).values({ ...settings, mac });
  await putRowList(tx, { tenantId, tableName: "exchange_settings" }, { [tenantId]: "set" });
  const ref = { tenantId, orderId: of.order };
  const draft = { code: DRAFT, until: null, typedAt: NOW, sendableFrom: null };
  const order = {
    ...{ id: of.order, tenantId, number: 1, conversationId: of.talk, contactId: "lead" },
    ...{ quoteId: "Q", status: "paid" as const, asset: "USDT", network: "TRC20" },
    ...{ quoteAsset: "THB", amountMode: "source_amount" as const, amountFrom: "40.00" },
    ...{ amountTo: "1300.0", rate: "32.50", paymentMethod: "crypto", thirdPartyApproved: false },
    ...{ payoutDestinationJson: { bank: "SCB" }, expiresAt: NOW, createdAt: NOW, updatedAt: NOW },
  };
  await tx.insert(exchangeOrders).values({
    ...{ ...order, mac: macOf(tx, "exchange_orders", order) },
    payoutCode: sealPayoutCode(secrets, ref, CODE),
    payoutCodeDraft: sealPayoutDraft(secrets, ref, draft),
  });
}

/** A change of payment details that two admins have made: it is over. */
async function fillRequest(tx: Tx, tenantId: string, secrets: Secrets): Promise<void> {
  const of = ids(tenantId);
  const change = sealRequisites(secrets, tenantId, { exchange_binance_id: WISHED });
  const args = { change, by: "alice" } as unknown as JsonObject; // plain JSON
  const action = { kind: "requisites", subject: "exchange_binance_id" };
  const call = { tenantId, toolName: "change_authority", schemaVersion: 1, createdAt: NOW };
  await tx.insert(toolCallCandidates).values({
    ...{ ...call, id: of.candidate, ordinal: 0, cycle: 0, source: "desk" as never },
    ...{ maker: "alice", argumentsRaw: JSON.stringify(args), argumentsJson: args },
    ...{ argumentsHash: "h", actionJson: action, status: "completed" as never },
  });
  await tx.insert(toolArgumentChecks).values({
    ...{ ...call, id: `check ${tenantId}`, candidateId: of.candidate, isValid: true },
    ...{ errorsJson: [], normalizedArgumentsJson: args },
  });
  const approval = {
    ...{ ...call, id: of.approval, number: 1, candidateId: of.candidate },
    ...{ requestedAction: "authority", riskLevel: "permission_change" as never },
    ...{ payloadSummary: "", requestedBy: "alice", status: "approved" as never },
    ...{ proposedActionJson: action, effectiveActionJson: action, materialJson: [] },
    ...{ actionDigest: "d", approvalsRequired: 1, approverRole: "admin" as const },
    ...{ editableFields: [] },
  };
  await tx
    .insert(approvalQueue)
    .values({ ...approval, mac: macOf(tx, "approval_queue", approval) });
  const vote = {
    ...{ id: `vote ${tenantId}`, tenantId, approvalId: of.approval, staffId: "bob" },
    ...{ decision: "approve" as const, via: "slack" as never, actionDigest: "d", createdAt: NOW },
  };
  await tx.insert(approvalVotes).values({ ...vote, mac: macOf(tx, "approval_votes", vote) });
}

const TABLES = {
  ...{ tenants, api_tokens: apiTokens, staff, staff_identities: staffIdentities, destinations },
  ...{ contact_identities: contactIdentities, conversations, inbox },
  ...{ approval_queue: approvalQueue, approval_votes: approvalVotes },
  ...{ exchange_orders: exchangeOrders, exchange_settings: exchangeSettings },
  row_lists: rowLists,
};

/** Of every signed table and tenant: how many rows the key vouches for, and how many there are. */
export async function believedRows({ db }: Database, masterKey: Buffer) {
  const key = rowKeyOf(masterKey);
  const found: Record<string, { believed: number; rows: number }> = {};
  const count = <T extends SignedTable>(
    table: T,
    where: string,
    rows: readonly SignedRows[T][],
  ) => {
    const believed = rows.filter((row) => isBelieved(key, table, row as never)).length;
    found[`${table} of ${where}`] = { believed, rows: rows.length };
  };
  for (const table of ["tenants", "api_tokens"] as const)
    count(table, "all", await withOwner(db, (tx) => tx.select().from(TABLES[table] as never)));
  for (const id of KEYED_TENANTS)
    await withTenant(db, id, async (tx) => {
      for (const [table, columns] of Object.entries(TABLES)) {
        if (table === "tenants" || table === "api_tokens") continue;
        const rows = (await tx.select().from(columns as never)) as SignedRows["inbox"][];
        count(table as "inbox", id, table === "inbox" ? rows.filter(isWaiting) : rows);
      }
      const rules = await queryRows<{ row: SignedRows["tool_policy"] }>(
        tx,
        sql`select to_jsonb(p) as row from tool_policy p`,
      );
      count(
        "tool_policy",
        id,
        rules.map(({ row }) => ({ ...row, tenantId: id })),
      );
    });
  return found;
}

function isWaiting({ status }: SignedRows["inbox"]): boolean {
  return status === "new";
}

/** Columns that a master key protects, as the database itself names them. */
export async function keyedColumns({ db }: Database): Promise<string[]> {
  const tables = await withOwner(db, productTables);
  return tables.flatMap(({ name, columns }) =>
    columns
      .filter((column) => column.name === "mac" || column.type === "bytea")
      .map((column) => `${name}.${column.name}`),
  );
}
