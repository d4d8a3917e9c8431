import { randomBytes } from "node:crypto";
import { and, eq } from "drizzle-orm";
import { decide } from "../../src/desk/decide.ts";
import type { Decided, Decision } from "../../src/desk/decision.ts";
import type { DeskDeps } from "../../src/desk/deps.ts";
import type { ChatModel } from "../../src/domain/chat-model.ts";
import { newId } from "../../src/domain/ids.ts";
import type { PolicyRow } from "../../src/domain/policy-row.ts";
import type { EngineDeps } from "../../src/engine/deps.ts";
import { NO_PRICES } from "../../src/engine/prices.ts";
import { llmReplyStrategy } from "../../src/engine/strategy.ts";
import { createToolResolver } from "../../src/engine/tool-resolver.ts";
import type { ModelEntry } from "../../src/model/broker/models-file.ts";
import { type Tx, withOwner, withTenant } from "../../src/store/db.ts";
import { upsertDestination } from "../../src/store/destinations.ts";
import { replacePolicyRows } from "../../src/store/policies.ts";
import { approvalQueue } from "../../src/store/schema/approvals.ts";
import { auditLog } from "../../src/store/schema/tenancy.ts";
import { toolCallCandidates, toolExecutionQueue } from "../../src/store/schema/tools.ts";
import { createSecrets } from "../../src/store/secrets.ts";
import { createStaff, type StaffIdentity, staffById } from "../../src/store/staff.ts";
import { ensureTenant } from "../../src/store/tenants.ts";
import type { AnyTool } from "../../src/tools/contract.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { createRunner } from "../../src/tools/runner.ts";
import { askedModel } from "./asked-model.ts";
import type { OpenDatabase } from "./database.ts";
import { createCashier, createOfficeTools } from "./office-tools.ts";
import { createRecordedJobs, type RecordedJobs } from "./recorded-jobs.ts";

export const TENANT = "office";
const STARTED_AT = Date.UTC(2026, 10, 1, 9);
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const silent: ChatModel = { chat: () => Promise.reject(new Error("no model is asked here")) };

/** One rule; what is not given is what a plain allowing row has. */
export function rule(toolName: string, over: Partial<PolicyRow> = {}): PolicyRow {
  return {
    id: `rule-${toolName}`,
    tool_name: toolName,
    role: "*",
    condition_json: {},
    allow_call: true,
    requires_approval: false,
    approvals_required: 1,
    approver_role: "operator",
    approval_ttl_s: null,
    max_calls_per_run: 10,
    max_payload_size: 80_000,
    is_active: true,
    ...over,
  };
}

/** The rules that an office starts with; `payout` changes the rule of payouts. */
export function officeRules(payout: Partial<PolicyRow> = {}): PolicyRow[] {
  return [
    rule("read_price"),
    rule("keep_draft"),
    rule("wipe_everything"),
    rule("issue_exchange_payout", { requires_approval: true, ...payout }),
  ];
}

/** Store, gate, desk and engine on a real database, without messengers and model. */
export async function openOffice(
  open: OpenDatabase,
  model: ChatModel = silent,
  moreTools: (jobs: RecordedJobs) => AnyTool[] = () => [],
) {
  const database = await open();
  const { db } = database;
  const time = { now: STARTED_AT, real: STARTED_AT };
  const clock = { now: () => time.now };
  const realNow = () => time.real;
  const jobs = createRecordedJobs();
  const cashier = createCashier();
  const ran: string[] = [];
  const waits: number[] = [];
  const more = moreTools(jobs);
  const isReplaced = ({ name }: AnyTool) => more.some((tool) => tool.name === name);
  const own = createOfficeTools(cashier, ran).filter((tool) => !isReplaced(tool));
  const registry = createRegistry([...own, ...more]);
  const dress = { jobs, staffLanguage: "en" as const, sandbox: true, defaultTtlMs: 3_600_000 };
  const prices: { model: ModelEntry["price"] } = { model: null };
  const asked = askedModel(model, { now: clock.now, price: () => prices.model });
  const engine: EngineDeps = {
    ...{ db, clock, realNow, bootId: "boot-1", jobs, registry, log: quiet },
    modelFor: () => asked,
    runner: createRunner({ registry, realNow, timeoutMs: 20_000 }),
    proposing: { registry, dress, costLimitUsd: "1" },
    strategy: llmReplyStrategy({ resolver: createToolResolver({ db, registry }) }),
    deadlineMs: 45_000,
    prices: NO_PRICES,
    // a wait passes at once, and the real time with it
    wait: async (ms) => {
      waits.push(ms);
      time.real += ms;
    },
    showTyping: async () => {},
  };
  const desk: DeskDeps = {
    ...{ db, clock, realNow, dress, log: quiet, registry, hasModelKey: () => true },
    secrets: createSecrets(randomBytes(32)),
    toolsChanged: () => {},
    ratingsChanged: () => {},
    chatFacts: async () => ({ kind: "unreachable" }),
    deleteMessage: async () => true,
  };
  const tenant = <T>(work: (tx: Tx) => Promise<T>) => withTenant(db, TENANT, work);
  await withOwner(db, (tx) => ensureTenant(tx, { id: TENANT, name: "Office", now: time.now }));
  await tenant(async (tx) => {
    await registry.sync(tx, TENANT, time.now);
    await replacePolicyRows(tx, TENANT, officeRules());
    await upsertDestination(tx, {
      ...{ tenantId: TENANT, purpose: "operators" as const, channelId: "tg", now: time.now },
      ...{ messenger: "telegram" as const, chatId: "-100" },
    });
  });
  const rowsOf = (candidateId: string) => and(eq(toolCallCandidates.id, candidateId));
  return {
    /** For a million tokens; null: unknown. */
    prices,
    ...{ database, db, time, clock, jobs, cashier, ran, waits, registry, engine, desk, tenant },
    rules: (rows: PolicyRow[]) => tenant((tx) => replacePolicyRows(tx, TENANT, rows)),
    /** A staff member; further accounts belong to the same person. */
    async person(role: "operator" | "admin" = "operator", identities: StaffIdentity[] = []) {
      const name = `${role} ${newId().slice(-4)}`;
      const made = { tenantId: TENANT, name, role, identities, now: time.now };
      const id = await tenant((tx) => createStaff(tx, made));
      return id;
    },
    /** As a button does: the person's row is read anew, then one transaction decides. */
    decides(approvalId: string, staffId: string | null, over: Partial<Decision> = {}) {
      return tenant(async (tx): Promise<Decided> => {
        const staff = staffId === null ? null : await staffById(tx, TENANT, staffId);
        const decision = { decision: "approve" as const, via: "slack" as const, ...over };
        return decide(tx, desk, { tenantId: TENANT, approvalId, staff, ...decision });
      });
    },
    candidate: (id: string) =>
      one(tenant((tx) => tx.select().from(toolCallCandidates).where(rowsOf(id)))),
    approval: (id: string) =>
      one(tenant((tx) => tx.select().from(approvalQueue).where(eq(approvalQueue.id, id)))),
    executionsOf: (conversationId: string) =>
      tenant((tx) =>
        tx
          .select()
          .from(toolExecutionQueue)
          .where(eq(toolExecutionQueue.conversationId, conversationId)),
      ),
    auditOf: (conversationId: string) =>
      tenant((tx) =>
        tx
          .select()
          .from(auditLog)
          .where(eq(auditLog.conversationId, conversationId))
          .orderBy(auditLog.id),
      ),
    close: () => database.close(),
  };
}
export type Office = Awaited<ReturnType<typeof openOffice>>;

export async function one<Row>(rows: Promise<Row[]>): Promise<Row> {
  const [row] = await rows;
  if (!row) throw new Error("there is no such row");
  return row;
}
