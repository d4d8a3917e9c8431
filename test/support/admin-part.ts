import { z } from "zod";
import { type Admin, createAdmin } from "../../src/admin/app.ts";
import type { AdminDeps, Decision } from "../../src/admin/context.ts";
import { toRequest } from "../../src/admin/desk-requests.ts";
import type { ChatModel } from "../../src/domain/chat-model.ts";
import { llmReplyStrategy } from "../../src/engine/strategy.ts";
import { createToolResolver } from "../../src/engine/tool-resolver.ts";
import { createClock } from "../../src/lib/clock.ts";
import { type ModelPool, oneModel } from "../../src/model/broker/model-pool.ts";
import { createProductModels, modelDesk } from "../../src/product-models.ts";
import type { ShadowEvals } from "../../src/quality/coach/deps.ts";
import { type Database, openEmbedded, prepareDatabase } from "../../src/store/database.ts";
import { withOwner, withTenant } from "../../src/store/db.ts";
import { addPolicyRows } from "../../src/store/policies.ts";
import { createSecrets } from "../../src/store/secrets.ts";
import { ensureTenant } from "../../src/store/tenants.ts";
import { ensureSetupToken } from "../../src/store/tokens.ts";
import { changeAuthority } from "../../src/tools/change-authority/change-authority.ts";
import { CHANGE_AUTHORITY } from "../../src/tools/change-authority/tool-name.ts";
import type { AnyTool, RagTool } from "../../src/tools/contract.ts";
import { defaultPolicies } from "../../src/tools/default-policies.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { askedModel } from "./asked-model.ts";
import { createRecordedJobs } from "./recorded-jobs.ts";
import { withTestKey } from "./row-key.ts";
import { SMALL_TOOL } from "./small-tool.ts";

const silent: ChatModel = { chat: () => Promise.reject(new Error("no model is asked here")) };

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const NO_KEY: ModelPool = {
  entries: [oneModel({ baseUrl: "http://model.test/v1", model: "test" })],
  ...{ file: null, keyNamed: () => null },
};

export const SETUP_TOKEN = "setup-token-of-the-test";
export const MASTER_KEY = Buffer.alloc(32, 7);

/** The one rule that every tenant has. */
export const AUTHORITY_RULE = defaultPolicies().filter(
  ({ tool_name }) => tool_name === CHANGE_AUTHORITY,
);

export interface Reply {
  status: number;
  // answers are read by field, as a client of the API would
  body: ReturnType<typeof JSON.parse>;
}

export interface AdminPart {
  database: Database;
  admin: Admin;
  deps: AdminDeps;
  /** Tenants whose tools were read anew, in order. */
  invalidated: string[];
  /** What was told of offices, in order. */
  offices: { tenantId: string; language: "ru" | "en" }[];
  decisions: Decision[];
  /** As the holder of a token; ADMIN_TOKEN when none is named. */
  call(method: string, path: string, options?: { body?: unknown; token?: string }): Promise<Reply>;
  /** A tenant in set-up, with its tools. */
  addTenant(id: string): Promise<void>;
  /** A staff member with a personal token. */
  addPerson(tenant: string, role: "operator" | "admin"): Promise<{ id: string; token: string }>;
  close(): Promise<void>;
}

/** The admin API on a database of its own: in memory, unless a prepared one is given. */
export async function startAdminPart(
  options: {
    model?: ChatModel;
    database?: Database;
    shadowEvals?: ShadowEvals;
    pool?: ModelPool;
  } = {},
): Promise<AdminPart> {
  const database = options.database ?? (await openInMemory());
  const clock = createClock();
  const secrets = createSecrets(MASTER_KEY);
  const jobs = createRecordedJobs();
  const invalidated: string[] = [];
  const offices: AdminPart["offices"] = [];
  const toolsChanged = () => {};
  const registry = createRegistry([
    tool("offer_booking_link"),
    tool("issue_exchange_payout"),
    changeAuthority({ secrets, jobs, toolsChanged, sandbox: true }) as unknown as AnyTool, // of its own arguments
  ]);
  const decisions: Decision[] = [];
  const models = createProductModels(
    { database, clock, secrets, log: quiet },
    { signals: { sendNow: () => {} }, configured: options.pool ?? NO_KEY },
  );
  const deps: AdminDeps = {
    db: database.db,
    clock,
    secrets,
    registry,
    jobs,
    dress: { jobs, staffLanguage: "en", sandbox: true, defaultTtlMs: 3_600_000 },
    toolsChanged,
    models: modelDesk(models),
    ratingsChanged: () => {},
    officeChanged: (_tx, office) => offices.push(office),
    decide: async (decision) => {
      decisions.push(decision);
      return { accepted: true, message: "A-1 was approved" };
    },
    version: "0.0.0",
    bootId: "boot-of-the-test",
    ...(options.shadowEvals ? { shadowEvals: options.shadowEvals } : {}),
    replay: {
      ...{ db: database.db, clock, registry },
      strategy: llmReplyStrategy({ resolver: createToolResolver({ db: database.db, registry }) }),
      modelNamed: ({ name }) => ({
        model: askedModel(options.model ?? silent, clock),
        modelId: name ?? "test",
      }),
    },
    validatePolicies: (rows) =>
      rows.flatMap((row) => ("nonsense" in row.condition_json ? [`${row.id}: unknown fact`] : [])),
    async prepareTenant(tx, tenantId) {
      await registry.sync(tx, tenantId, clock.now());
      await addPolicyRows(tx, tenantId, AUTHORITY_RULE);
    },
    invalidateTools: (tenantId) => invalidated.push(tenantId),
    knowledgeChanged: () => {},
    searchKnowledge: async ({ text }) => [{ title: text }],
    log: { error: (details) => process.stderr.write(`${JSON.stringify(details)}\n`) },
  };
  const admin = createAdmin(deps);
  const call: AdminPart["call"] = async (method, path, { body, token = SETUP_TOKEN } = {}) => {
    const request = toRequest(
      { method: method as "POST", path: `/api/admin${path}`, body },
      {
        authorization: `Bearer ${token}`,
      },
    );
    const response = await admin.fetch(request);
    const text = await response.text();
    return { status: response.status, body: text === "" ? null : JSON.parse(text) };
  };
  const addTenant = async (id: string) => {
    await withOwner(database.db, (tx) => ensureTenant(tx, { id, name: id, now: clock.now() }));
    await withTenant(database.db, id, (tx) => deps.prepareTenant(tx, id));
  };
  await withOwner(database.db, (tx) =>
    ensureSetupToken(tx, { fromEnv: SETUP_TOKEN, now: clock.now() }),
  );
  await addTenant("default");
  return {
    database,
    admin,
    deps,
    invalidated,
    offices,
    decisions,
    call,
    addTenant,
    async addPerson(tenant, role) {
      const made = await call("POST", `/staff?tenant=${tenant}`, {
        body: { name: `${role} of ${tenant}`, role },
      });
      const path = `/staff/${made.body.id}/tokens?tenant=${tenant}`;
      const issued = await call("POST", path, { body: {} });
      return { id: made.body.id, token: issued.body.token };
    },
    close: () => database.close(),
  };
}

async function openInMemory(): Promise<Database> {
  const database = withTestKey(await openEmbedded({ dir: null, durable: false }));
  await prepareDatabase(database, "sandbox");
  return database;
}

function tool(name: string): AnyTool {
  const made: RagTool<Record<string, never>> = {
    name,
    title: name.replaceAll("_", " "),
    description: SMALL_TOOL,
    risk: "read_only",
    sideEffectType: "none",
    parameters: z.strictObject({}),
    output: z.strictObject({}),
    offered: true,
    staged: false,
    isAvailable: ({ secretNames }) =>
      name !== "offer_booking_link" || secretNames.has("tool_booking_url"),
    run: async () => {
      throw new Error("not run here");
    },
  };
  return made as AnyTool; // lists hold tools of every argument type
}
