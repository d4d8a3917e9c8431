import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { importDocument } from "../admin/import-document.ts";
import { applyEnvironment, channelOf, DEFAULT_TENANT, seedExampleDesk } from "../bootstrap.ts";
import { loadConfig, type Outside } from "../config.ts";
import { decide } from "../desk/decide.ts";
import { heedObjection } from "../desk/freeze.ts";
import { warmUpGuard } from "../engine/guard/warm-up.ts";
import { PROMPT_VERSION } from "../engine/prompt.ts";
import { createClock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { type ModelPool, modelIdOf } from "../model/broker/model-pool.ts";
import { assembleProduct, type Product } from "../product.ts";
import { createProductAdmin } from "../product-admin.ts";
import type { ProductBase } from "../product-base.ts";
import type { EvalCase } from "../quality/evals/case-format.ts";
import { rowOfCase } from "../quality/evals/case-rows.ts";
import { createLab, type LabParts } from "../quality/evals/lab.ts";
import type { Lab } from "../quality/evals/played.ts";
import type { EvalReport } from "../quality/evals/run-cases.ts";
import type { Snapshot } from "../quality/evals/snapshot.ts";
import { storeRun } from "../quality/evals/store-run.ts";
import { createStaffLanguage } from "../staff-language.ts";
import { openEmbedded, prepareDatabase } from "../store/database.ts";
import { type Tx, withOwner, withTenant } from "../store/db.ts";
import { saveEvalCases } from "../store/eval-cases.ts";
import { documentIds, putStyle } from "../store/eval-snapshot.ts";
import { removeKbDocument } from "../store/kb-documents.ts";
import { checkMasterKey } from "../store/key-check.ts";
import { replacePolicyRows } from "../store/policies.ts";
import { receive } from "../store/receive.ts";
import { createSecrets } from "../store/secrets.ts";
import { eligibleApprovers } from "../store/staff.ts";
import { upsertChannel } from "../store/tenants.ts";
import { setToolActive } from "../store/tool-registry.ts";
import { unlockDatabase } from "../store/unlock.ts";
import { createUnwinder, type Unwinder } from "../unwind.ts";
import { labLog } from "./lab-log.ts";
import { playWorld } from "./lab-world.ts";
import { productVersion } from "./product-version.ts";

export interface OpenLab extends Lab {
  /** Cases and results as rows of the lab's own database. */
  keep(cases: readonly EvalCase[], report: EvalReport): Promise<void>;
  close(): Promise<void>;
}

export interface LabOptions {
  /** Who answers; null: the stand-in of the played world. */
  model: ModelPool | null;
  /** Takes the place of what the example desk has. */
  snapshot: Snapshot;
}

/**
 * The whole product in this process, on a database in memory, with everything outside played. No
 * messenger is connected, and nothing listens but the played world, on this machine alone.
 */
export async function openLab(options: LabOptions): Promise<OpenLab> {
  const { log, take } = labLog();
  const unwinder = createUnwinder(log);
  try {
    const lab = await open(options, { log, take, unwinder });
    return { ...lab, close: () => unwinder.unwind() };
  } catch (error) {
    await unwinder.unwind();
    throw error;
  }
}

interface Opening {
  log: Log;
  take: ReturnType<typeof labLog>["take"];
  unwinder: Unwinder;
}

async function open({ model, snapshot }: LabOptions, { log, take, unwinder }: Opening) {
  const dir = mkdtempSync(join(tmpdir(), "countersign-lab-"));
  const remove = () => rmSync(dir, { recursive: true, force: true });
  process.once("exit", remove); // one that is told to end does not wait for the case under way
  unwinder.push("folder", () => {
    process.off("exit", remove);
    remove();
  });
  const { world, env } = await playWorld(dir, unwinder);
  const config = loadConfig({
    ...{ SANDBOX: "on", DATA_DIR: dir, COALESCE_MS: "0" },
    MASTER_KEY: randomBytes(32).toString("hex"),
  });
  const clock = createClock();
  const database = await openEmbedded({ dir: null, durable: false });
  unwinder.push("database", () => database.close());
  const keySource = { fromEnv: config.masterKey, dataDir: dir };
  const secrets = createSecrets(await unlockDatabase(database.db, keySource));
  await prepareDatabase(database, config.world);
  await checkMasterKey(database.db, secrets);
  const base: ProductBase = {
    ...{ config, log, clock, database, redis: null, secrets },
    language: await createStaffLanguage(database.db),
  };
  const outside = {
    ...withoutMessengers(config.outside(env)),
    ...(model ? { models: model } : {}),
  };
  const product = await assembleProduct(base, outside);
  unwinder.push("queue", () => product.queue.stop(0));
  await furnish(base, product, { outside, snapshot });
  warmUpGuard();
  const lab = createLab({
    ...partsOf(base, product),
    ...{ world, takeLogged: take, modelId: modelIdOf(outside.models) },
  });
  return {
    ...lab,
    keep: (cases: readonly EvalCase[], report: EvalReport) =>
      withTenant(database.db, DEFAULT_TENANT, async (tx) => {
        await saveEvalCases(tx, DEFAULT_TENANT, cases.map(rowOfCase));
        await storeRun(tx, DEFAULT_TENANT, { report, now: clock.now() });
      }),
  };
}

function withoutMessengers(outside: Outside): Outside {
  return { ...outside, telegram: null, slack: null, operatorChats: [], staffIds: [] };
}

/** The example desk, a channel that leads nowhere, and what the snapshot puts in its place. */
async function furnish(
  base: ProductBase,
  product: Product,
  { outside, snapshot }: { outside: Outside; snapshot: Snapshot },
): Promise<void> {
  const { clock, database } = base;
  const { db } = database;
  const now = clock.now();
  const tenantId = DEFAULT_TENANT;
  await seedExampleDesk(createProductAdmin(base, product));
  const bootstrap = { db, clock, prepareTenant: product.prepareTenant };
  await applyEnvironment(bootstrap, outside);
  const channel = { id: CHANNEL, tenantId, messenger: "telegram" as const, botUserId: null, now };
  await withOwner(db, (tx) => upsertChannel(tx, channel));
  await withTenant(db, tenantId, (tx) => putSnapshot(tx, snapshot, { tenantId, now }));
  product.resolver.invalidateToolsFor(tenantId);
}

const CHANNEL = channelOf("telegram");

async function putSnapshot(
  tx: Tx,
  { policies, tools = {}, knowledge, style }: Snapshot,
  of: { tenantId: string; now: number },
): Promise<void> {
  const { tenantId } = of;
  if (policies) await replacePolicyRows(tx, tenantId, policies);
  for (const [toolName, isActive] of Object.entries(tools))
    await setToolActive(tx, { ...of, toolName, isActive });
  if (style) await putStyle(tx, { ...of, style });
  if (!knowledge) return;
  for (const id of await documentIds(tx, tenantId)) await removeKbDocument(tx, tenantId, id);
  for (const document of knowledge) await importDocument(tx, { ...of, ...document });
}

/** The engine waits by the lab's clock: nobody sits through a second try. */
function partsOf(base: ProductBase, { engine, queue, deskDeps }: Product) {
  const { clock, database } = base;
  const { db } = database;
  const wait = async (ms: number) => clock.setOffset(clock.offsetMs + ms);
  return {
    ...{ clock, tenantId: DEFAULT_TENANT, channelId: CHANNEL, engine: { ...engine, wait } },
    agentVersion: `${productVersion()} (prompt ${PROMPT_VERSION})`,
    receive: (event) =>
      receive(
        {
          ...{ db, jobs: queue, clock, coalesceMs: 0 },
          heed: (tx, said) => heedObjection(tx, deskDeps, said),
        },
        DEFAULT_TENANT,
        event,
      ),
    addDocument: (document) =>
      withTenant(db, DEFAULT_TENANT, async (tx) => {
        const of = { tenantId: DEFAULT_TENANT, now: clock.now() };
        return (await importDocument(tx, { ...of, ...document })).id;
      }),
    removeDocument: (id) =>
      withTenant(db, DEFAULT_TENANT, async (tx) => {
        await removeKbDocument(tx, DEFAULT_TENANT, id);
      }),
    decide: ({ id, approverRole }, decision) =>
      withTenant(db, DEFAULT_TENANT, async (tx) => {
        const people = await eligibleApprovers(tx, DEFAULT_TENANT, approverRole);
        for (const staff of people) {
          const { code } = await decide(tx, deskDeps, {
            ...{ tenantId: DEFAULT_TENANT, approvalId: id, staff, decision, via: "api" },
            reason: decision === "reject" ? REASON : null,
          });
          if (code !== "counted" && code !== "forbidden") return;
        }
        throw new Error("too few people of the example desk may decide on this request");
      }),
  } satisfies Partial<LabParts>;
}

const REASON = "not this time";
