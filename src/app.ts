import { Hono } from "hono";
import type { Admin } from "./admin/app.ts";
import { type AfterOutage, createAfterOutage } from "./after-outage.ts";
import { AuditSealer, SEAL_AFTER_MS } from "./audit-sealer.ts";
import {
  applyEnvironment,
  DEFAULT_TENANT,
  hasTenants,
  prepareTenants,
  seedExampleDesk,
  setupToken,
  tenantIds,
} from "./bootstrap.ts";
import { runDatabaseCommand } from "./cli/database-commands.ts";
import type { Config, Outside } from "./config.ts";
import { handleApproval } from "./desk/approval-steps.ts";
import { handleExecution } from "./engine/execution.ts";
import { warmUpGuard } from "./engine/guard/warm-up.ts";
import { handleRun } from "./engine/run.ts";
import { hearSignals } from "./hear-signals.ts";
import { createHeartbeat } from "./heartbeat.ts";
import { type HttpServer, openHttpServer } from "./http-server.ts";
import { createIntake, type Intake } from "./intake.ts";
import { createClock, type ShiftableClock } from "./lib/clock.ts";
import type { Log } from "./lib/log.ts";
import { startOrderTimer } from "./order-timer.ts";
import { assembleProduct, type Product } from "./product.ts";
import { createProductAdmin } from "./product-admin.ts";
import type { ProductBase } from "./product-base.ts";
import { createProductEvals, type ProductEvals } from "./product-evals.ts";
import { productRoutes } from "./product-routes.ts";
import { createProductView } from "./product-view.ts";
import { type OpenRedis, openRedis } from "./queue/redis.ts";
import { startAliveReports } from "./report-alive.ts";
import type { Sandbox } from "./sandbox/server.ts";
import { createStaffLanguage } from "./staff-language.ts";
import { createKeptHeads } from "./store/audit-kept-heads.ts";
import { ensureAuditKey } from "./store/audit-key.ts";
import { dropLeasesOfOtherBoots } from "./store/boot-leases.ts";
import { type Database, openEmbedded, openPostgres, prepareDatabase } from "./store/database.ts";
import { withOwner } from "./store/db.ts";
import {
  type FolderHolder,
  FolderInUse,
  type FolderLock,
  holdFolder,
  holdWorld,
} from "./store/folder-lock.ts";
import { tellOfForgedRows } from "./store/forged-rows.ts";
import { checkMasterKey } from "./store/key-check.ts";
import { placeOfMasterKey } from "./store/master-key.ts";
import { pingDatabase } from "./store/ping.ts";
import { emptyProduct } from "./store/reset.ts";
import { createSecrets } from "./store/secrets.ts";
import { refuseUnfinishedRestore } from "./store/unfinished-restore.ts";
import { unlockDatabase } from "./store/unlock.ts";
import { createUnwinder, type Unwinder } from "./unwind.ts";

/** A running product; `origin` is where it listens, like `http://127.0.0.1:3000`. */
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

/** Parts that stand in for the product's own. */
export type GivenParts = Partial<Pick<ProductEvals, "shadow">>;

/** Composition root: makes every part, top to bottom, and hands them to each other. */
export async function startApp(config: Config, log: Log, given: GivenParts = {}): Promise<App> {
  const unwinder = createUnwinder(log);
  try {
    return await start({ config, log, given }, unwinder);
  } catch (error) {
    await unwinder.unwind();
    throw error;
  }
}

async function start(
  { config, log, given }: { config: Config; log: Log; given: GivenParts },
  unwinder: Unwinder,
): Promise<App> {
  const clock = createClock();
  const http = await openHttpServer(config);
  unwinder.push("http", () => http.stop());
  const { database, masterKey } = await openStore(config, clock, unwinder);
  const sandbox = config.sandbox ? await openSandbox(config, clock, http.origin, unwinder) : null;
  if (sandbox) serveEarly(http, sandbox);
  const outside = config.outside(sandbox?.env() ?? null);
  const secrets = createSecrets(masterKey);
  await checkMasterKey(database.db, secrets);
  const redis = await openCounts(config, log, unwinder);
  const language = await createStaffLanguage(database.db);
  const base: ProductBase = { config, log, clock, database, redis, secrets, language };
  const sealer = await startSealer(base, unwinder);
  const product = await assembleProduct(base, outside);
  const forged = tellOfForgedRows({ db: database.db, clock, jobs: product.queue, log });
  unwinder.push("forged rows", () => forged.settled());
  unwinder.push("queue", () => product.queue.stop(STOP_GRACE_MS));
  const evals = { ...createProductEvals(base, product.bootId, product.models), ...given };
  unwinder.push("evals", () => evals.stop());
  const admin = createProductAdmin(base, product, evals);
  const intake = createIntake(base, product.edges);
  const { inspection } = product;
  const state = { ready: false };
  const routes = productRoutes({
    db: database.db,
    clock,
    admin,
    edges: product.edges,
    statusOf: (edge) => inspection.addTo(edge, intake.statusOf(edge)),
    problemsOf: (edge) => inspection.problemsOf(edge),
    modelPool: () => product.models.broker.snapshot(),
    redis,
    isReady: () => state.ready,
  });
  serveAll(http, routes, sandbox);
  await settleIn({ base, product, admin, outside, sealer });
  await run({ base, product, admin, outside, sealer, intake, sandbox, unwinder });
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
): Promise<{ database: Database; masterKey: Buffer }> {
  const opened: { database?: Database } = {};
  const keySource = { fromEnv: config.masterKey, dataDir: config.dataDir };
  const keyPlace = placeOfMasterKey(keySource);
  const lock = await hold(config, {
    description: `process ${process.pid} (since ${new Date().toISOString()})`,
    run: async (command, write) =>
      opened.database
        ? runDatabaseCommand({ db: opened.database.db, clock, keyPlace, keySource, write }, command)
        : Promise.reject(new Error("Countersign is still starting; try again in a moment")),
  });
  if (lock) unwinder.push("folder lock", () => lock.release());
  await refuseUnfinishedRestore(config.dataDir);
  const database = config.databaseUrl
    ? await openPostgres(config.databaseUrl)
    : await openEmbedded({ dir: `${config.dataDir}/db`, durable: !config.sandbox });
  unwinder.push("database", () => database.close());
  const masterKey = await unlockDatabase(database.db, keySource);
  await prepareDatabase(database, config.world);
  opened.database = database;
  return { database, masterKey };
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
  const lock = await holdWorld(config.dataDir, "npm start");
  unwinder.push("world lock", () => lock.release());
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

/** Stopped after all that writes to the trail. */
async function startSealer(base: ProductBase, unwinder: Unwinder): Promise<AuditSealer> {
  const { config, clock, log, secrets } = base;
  const { db } = base.database;
  const { key } = await withOwner(db, (tx) => ensureAuditKey(tx, secrets, clock.now()));
  const heads = createKeptHeads({ db, log, dataDir: config.dataDir });
  const sealer = new AuditSealer({ db, clock, log, key, heads, afterMs: SEAL_AFTER_MS });
  unwinder.push("audit sealer", () => sealer.stop());
  sealer.start();
  return sealer;
}

interface Assembled {
  base: ProductBase;
  product: Product;
  admin: Admin;
  outside: Outside;
  sealer: AuditSealer;
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
  await product.tellLeftWork();
}

interface Running extends Assembled {
  intake: Intake;
  sandbox: Sandbox | null;
  unwinder: Unwinder;
}

/** A `web` process takes events and requests in, a `worker` does what they ask for. */
async function run(parts: Running): Promise<void> {
  const { base, product, unwinder } = parts;
  const { role } = base.config;
  for (const edge of product.edges) await edge.check();
  await product.inspection.run();
  await hearSignals(product, base.language);
  await base.language.read(); // the seeding may have named another, before anybody listened
  await product.models.reload();
  unwinder.push("signals", () => product.signals.stop());
  product.inspection.start();
  unwinder.push("inspection", () => product.inspection.stop());
  const afterOutage = createAfterOutage(base, product);
  const recover = await beginHeartbeat(parts, afterOutage);
  if (role !== "web") await startWork(parts);
  unwinder.push("after an outage", () => afterOutage.stop());
  if (role !== "worker") parts.intake.start();
  for (const edge of role === "worker" ? [] : product.edges)
    unwinder.push(edge.messenger.name, () => parts.intake.stop(edge));
  recover();
  const { heartbeatUrl: url } = base.config;
  if (url === null) return;
  const checkHealth = () => pingDatabase(base.database.db);
  const reports = startAliveReports({ url, checkHealth, log: base.log });
  unwinder.push("alive reports", () => reports.stop());
}

/** Before any work: what came due while nobody was there is not due. Answers what is left to do. */
async function beginHeartbeat(
  { base, product, unwinder }: Running,
  afterOutage: AfterOutage,
): Promise<() => void> {
  const { config, clock, database, log } = base;
  const heartbeat = createHeartbeat({
    ...{ db: database.db, clock, log, bootId: product.bootId, realNow: Date.now },
    role: config.role,
    alone: database.kind === "embedded",
  });
  const outage = await heartbeat.begin();
  unwinder.push("heartbeat", () => heartbeat.stop());
  heartbeat.start((later) => afterOutage.recover(later));
  return () => {
    if (outage) afterOutage.recover(outage);
  };
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
      admin: parts.admin,
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
  const { base, product, admin, outside, sealer } = parts;
  const { db } = base.database;
  await sealer.startAnew(() => emptyProduct(db));
  await seedExampleDesk(admin);
  await applyEnvironment({ db, clock: base.clock, prepareTenant: product.prepareTenant }, outside);
  product.resolver.invalidateToolsFor(DEFAULT_TENANT);
}
