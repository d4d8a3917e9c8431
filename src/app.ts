import { Hono } from "hono";
import { type Admin, createAdmin } from "./admin/app.ts";
import {
  applyEnvironment,
  DEFAULT_TENANT,
  hasTenants,
  prepareTenants,
  seedExampleDesk,
  setupToken,
  staffLanguage,
  tenantIds,
} from "./bootstrap.ts";
import { runDatabaseCommand } from "./cli/database-commands.ts";
import type { Config, Outside } from "./config.ts";
import { decide } from "./desk/decide.ts";
import { handleApproval } from "./desk/expire.ts";
import { handleExecution } from "./engine/execution.ts";
import { warmUpGuard } from "./engine/guard/warm-up.ts";
import { handleRun } from "./engine/run.ts";
import { hearSignals } from "./hear-signals.ts";
import { type HttpServer, openHttpServer } from "./http-server.ts";
import { createInspection, type Inspection } from "./inspection.ts";
import { createIntake, type Intake } from "./intake.ts";
import { createClock, type ShiftableClock } from "./lib/clock.ts";
import type { Log } from "./lib/log.ts";
import { startOrderTimer } from "./order-timer.ts";
import { policyProblems } from "./policy/policy-problems.ts";
import { assembleProduct, type Product, type ProductBase } from "./product.ts";
import { productRoutes } from "./product-routes.ts";
import { createProductView } from "./product-view.ts";
import { type OpenRedis, openRedis } from "./queue/redis.ts";
import type { Sandbox } from "./sandbox/server.ts";
import { dropLeasesOfOtherBoots } from "./store/boot-leases.ts";
import { type Database, openEmbedded, openPostgres, prepareDatabase } from "./store/database.ts";
import { withTenant } from "./store/db.ts";
import {
  type FolderHolder,
  FolderInUse,
  type FolderLock,
  holdFolder,
} from "./store/folder-lock.ts";
import { checkMasterKey, hasKey } from "./store/key-check.ts";
import { loadMasterKey, placeOfMasterKey } from "./store/master-key.ts";
import { emptyProduct } from "./store/reset.ts";
import { createSecrets } from "./store/secrets.ts";
import { staffById } from "./store/staff.ts";
import { createUnwinder, type Unwinder } from "./unwind.ts";

export interface App {
  origin: string;
  sandbox: boolean;
  /** Shown to the owner once; null when there was one already. */
  newAdminToken: string | null;
  /** What keeps the bot from its work in the staff's chats, one line each. */
  problems: string[];
  stop(): Promise<void>;
}

const STOP_GRACE_MS = 8_000;

/** Composition root: makes every part, top to bottom, and hands them to each other. */
export async function startApp(config: Config, log: Log): Promise<App> {
  const unwinder = createUnwinder(log);
  try {
    return await start(config, log, unwinder);
  } catch (error) {
    await unwinder.unwind();
    throw error;
  }
}

async function start(config: Config, log: Log, unwinder: Unwinder): Promise<App> {
  const clock = createClock();
  const http = await openHttpServer(config);
  unwinder.push("http", () => http.stop());
  const database = await openStore(config, clock, unwinder);
  const sandbox = config.sandbox ? await openSandbox(config, clock, http.origin, unwinder) : null;
  if (sandbox) serveEarly(http, sandbox);
  const outside = config.outside(sandbox?.env() ?? null);
  const secrets = createSecrets(
    loadMasterKey(
      { fromEnv: config.masterKey, dataDir: config.dataDir },
      { mayCreate: !(await hasKey(database.db)) },
    ),
  );
  await checkMasterKey(database.db, secrets);
  const redis = await openCounts(config, log, unwinder);
  const language = await staffLanguage(database.db);
  const base: ProductBase = { config, log, clock, database, redis, secrets, language };
  const product = await assembleProduct(base, outside);
  unwinder.push("queue", () => product.queue.stop(STOP_GRACE_MS));
  const admin = createProductAdmin(base, product);
  const intake = createIntake(base, product.edges);
  const inspection = createInspection(database.db, product.edges, log);
  const state = { ready: false };
  const routes = productRoutes({
    db: database.db,
    clock,
    admin,
    edges: product.edges,
    statusOf: (edge) => inspection.addTo(edge, intake.statusOf(edge)),
    redis,
    isReady: () => state.ready,
  });
  serveAll(http, routes, sandbox);
  await settleIn({ base, product, admin, outside });
  await run({ base, product, admin, outside, intake, inspection, sandbox, unwinder });
  warmUpGuard();
  // only now: a token made before a refused start would never be shown
  const newAdminToken = await setupToken(database.db, clock, config.adminToken);
  state.ready = true;
  return {
    origin: http.origin,
    sandbox: config.sandbox,
    newAdminToken,
    problems: inspection.lines(),
    stop: () => unwinder.unwind(),
  };
}

async function openStore(
  config: Config,
  clock: ShiftableClock,
  unwinder: Unwinder,
): Promise<Database> {
  const world = config.sandbox ? "sandbox" : "real";
  const opened: { database?: Database } = {};
  const { masterKey: fromEnv, dataDir } = config;
  const keyPlace = placeOfMasterKey({ fromEnv, dataDir });
  const lock = await hold(config, {
    description: `process ${process.pid} (since ${new Date().toISOString()})`,
    run: async (command, write) =>
      opened.database
        ? runDatabaseCommand({ db: opened.database.db, clock, keyPlace, write }, command)
        : Promise.reject(new Error("Countersign is still starting; try again in a moment")),
  });
  if (lock) unwinder.push("folder lock", () => lock.release());
  const database = config.databaseUrl
    ? await openPostgres(config.databaseUrl)
    : await openEmbedded({ dir: `${config.dataDir}/db`, durable: !config.sandbox });
  unwinder.push("database", () => database.close());
  await prepareDatabase(database, world);
  opened.database = database;
  return database;
}

/** On a server's database several processes may share a folder: the first answers the shell. */
async function hold(config: Config, holder: FolderHolder): Promise<FolderLock | null> {
  const shares = config.databaseUrl !== null && !config.sandbox;
  try {
    return await holdFolder(config.dataDir, holder);
  } catch (error) {
    if (shares && error instanceof FolderInUse) return null;
    throw error;
  }
}

async function openCounts(config: Config, log: Log, unwinder: Unwinder): Promise<OpenRedis | null> {
  if (config.redisUrl === null) return null;
  const redis = await openRedis(config.redisUrl, log);
  unwinder.push("Redis", async () => redis.close());
  return redis;
}

/** Loaded only in sandbox mode: a real start does not even read this code. */
async function openSandbox(
  config: Config,
  clock: ShiftableClock,
  origin: string,
  unwinder: Unwinder,
): Promise<Sandbox> {
  const { createSandbox } = await import("./sandbox/server.ts");
  const { makeParts } = await import("./sandbox/parts.ts");
  const sandbox = createSandbox({
    dataDir: config.dataDir,
    clock,
    origin: () => origin,
    makeParts: (world) => makeParts(world, () => origin),
  });
  await sandbox.start();
  unwinder.push("sandbox", () => sandbox.stop());
  return sandbox;
}

/** The messengers' clients connect to the sandbox before the product's own routes exist. */
function serveEarly(http: HttpServer, sandbox: Sandbox): void {
  http.serve((request, bindings) => sandbox.app.fetch(request, bindings), sandbox.handleUpgrade);
}

function serveAll(http: HttpServer, routes: Hono, sandbox: Sandbox | null): void {
  const app = new Hono();
  app.route("/", routes);
  if (sandbox) app.route("/", sandbox.app);
  http.serve((request, bindings) => app.fetch(request, bindings), sandbox?.handleUpgrade);
}

interface Assembled {
  base: ProductBase;
  product: Product;
  admin: Admin;
  outside: Outside;
}

/** What must stand in the database before work begins; the example desk in a new sandbox. */
async function settleIn({ base, product, admin, outside }: Assembled): Promise<void> {
  const { config, clock, database } = base;
  const bootstrap = { db: database.db, clock, prepareTenant: product.prepareTenant };
  const isNew = !(await hasTenants(database.db));
  if (isNew && config.sandbox) await seedExampleDesk(admin);
  await applyEnvironment(bootstrap, outside);
  await prepareTenants(bootstrap);
  if (database.kind === "embedded")
    await dropLeasesOfOtherBoots(database.db, {
      tenantIds: await tenantIds(database.db),
      owner: product.bootId,
      realNow: Date.now(),
    });
}

interface Running extends Assembled {
  intake: Intake;
  inspection: Inspection;
  sandbox: Sandbox | null;
  unwinder: Unwinder;
}

/** A `web` process takes events and requests in, a `worker` does what they ask for. */
async function run(parts: Running): Promise<void> {
  const { base, product, unwinder } = parts;
  const { role } = base.config;
  for (const edge of product.edges) await edge.check();
  await parts.inspection.run();
  await hearSignals(product);
  unwinder.push("signals", () => product.signals.stop());
  if (role !== "web") await startWork(parts);
  if (role === "worker") return;
  parts.intake.start();
  for (const edge of product.edges)
    unwinder.push(edge.messenger.name, () => parts.intake.stop(edge));
}

async function startWork({ base, product, sandbox, unwinder, ...parts }: Running): Promise<void> {
  const { engine, desk, deskDeps, queue, sweep, outbound } = product;
  await queue.start({
    run: (ref, signal) => handleRun(engine, ref, signal),
    execution: (ref, signal) => handleExecution(engine, ref, signal),
    approval: (ref) => handleApproval(deskDeps, ref),
    desk: async (ref) => void (await desk.handle({ tenantId: ref.tenantId, inboxId: ref.id })),
  });
  const orders = startOrderTimer(engine);
  unwinder.push("order timer", () => orders.stop());
  await outbound.start();
  unwinder.push("outbound", () => outbound.stop());
  sweep.start();
  unwinder.push("sweep", () => sweep.stop());
  sandbox?.attachProduct(
    createProductView({
      db: base.database.db,
      clock: base.clock,
      onChange: (listener) => sandbox.world.journal.onAppend(listener),
      async clockMoved() {
        await sweep.runOnce();
        await orders.runOnce();
        outbound.wake();
      },
      reset: () => resetProduct({ base, product, ...parts }),
    }),
  );
}

async function resetProduct(parts: Assembled): Promise<void> {
  const { base, product, admin, outside } = parts;
  const { db } = base.database;
  await emptyProduct(db);
  await seedExampleDesk(admin);
  await applyEnvironment({ db, clock: base.clock, prepareTenant: product.prepareTenant }, outside);
  product.resolver.invalidateToolsFor(DEFAULT_TENANT);
}

function createProductAdmin(base: ProductBase, product: Product): Admin {
  const { db } = base.database;
  const { registry, knowledge, deskDeps } = product;
  return createAdmin({
    db,
    clock: base.clock,
    secrets: base.secrets,
    registry,
    jobs: product.queue,
    log: base.log,
    prepareTenant: product.prepareTenant,
    invalidateTools: (tenantId) => product.signals.sendNow({ kind: "tools", tenantId }),
    knowledgeChanged: () => {}, // the index looks at the documents' stamp at each search
    validatePolicies: (rows) =>
      policyProblems(rows, new Set(registry.all().map(({ tool }) => tool.name))),
    async searchKnowledge({ tenantId, text, limit }) {
      const hits = await withTenant(db, tenantId, (tx) =>
        knowledge.search(tx, { tenantId, text, topK: limit }),
      );
      return hits.map((hit) => ({ ...hit }));
    },
    decide: (decision) =>
      withTenant(db, decision.tenantId, async (tx) => {
        const { tenantId, staffId } = decision;
        const staff = await staffById(tx, tenantId, staffId);
        const { accepted, code, message } = await decide(tx, deskDeps, {
          tenantId,
          approvalId: decision.approvalId,
          staff,
          decision: decision.decision,
          reason: decision.reason ?? null,
          via: "api",
        });
        return accepted ? { accepted, message } : { accepted, code, message };
      }),
  });
}
