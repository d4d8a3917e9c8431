import { DEFAULT_TENANT, tenantIds } from "./bootstrap.ts";
import { messageOf } from "./domain/errors.ts";
import { newId } from "./domain/ids.ts";
import type { AskedModel } from "./domain/model-attempt.ts";
import type { CatalogChange, ModelDesk, PoolChange } from "./domain/model-desk.ts";
import { asChatModel } from "./model/broker/as-chat-model.ts";
import { type Broker, createBroker } from "./model/broker/broker.ts";
import type { KeyResolver } from "./model/broker/keys.ts";
import { createModelKeys } from "./model/broker/model-keys.ts";
import {
  type HandedModels,
  type ModelPool,
  modelIdOf,
  poolOfOne,
  readModelsFile,
} from "./model/broker/model-pool.ts";
import { ownPool } from "./model/broker/own-pool.ts";
import { realSleep } from "./model/broker/stand-in-line.ts";
import { createStoredJournal } from "./model/broker/stored-journal.ts";
import { createStoredState, shiftedState } from "./model/broker/stored-state.ts";
import { changeOf } from "./model/broker/sync-catalog.ts";
import type { ProductBase } from "./product-base.ts";
import type { NamedModel } from "./quality/replay/replays.ts";
import type { Signals } from "./store/signals.ts";

/** The models of the product, behind one broker. */
export interface ProductModels {
  broker: Broker;
  /** With the tenant's own keys. It stands in no line for a cooling model: a run comes again by itself. */
  forTenant(tenantId: string): AskedModel;
  /** null: whoever answers clients. Else one model without stand-ins, see `poolOfOne`. */
  named(of: { tenantId: string; name: string | null }): NamedModel;
  pool(): ModelPool;
  /** The same models with the tenant's keys, for a process apart. */
  handed(of: { tenantId: string; name: string | null }): Promise<HandedModels>;
  /**
   * Takes MODELS_FILE as it is now, in every process, and lets all cooling models be asked again.
   * Throws StartError when the file is wrong, SyncRefusedError when a model that works would go that
   * `remove` does not name; then nothing has changed.
   */
  readFile(remove: readonly string[]): Promise<CatalogChange>;
  /** What other processes know of the models is looked at again. */
  reload(): Promise<void>;
  /** Another process has taken a new file. */
  followFile(): Promise<void>;
  /** Secrets of a tenant have changed; null: perhaps of any. */
  forgetKeys(tenantId: string | null): void;
}

/** What the admin API shows of them. */
export function modelDesk(models: ProductModels): ModelDesk {
  return {
    ownTenant: DEFAULT_TENANT,
    snapshot: (tenantId, operation) => models.broker.forScope(tenantId).snapshot(operation),
    readFile: models.readFile,
    file: () => models.pool().file,
  };
}

function namedOf(
  { tenantId, name }: { tenantId: string; name: string | null },
  from: { broker: Broker; pool: ModelPool; keys: KeyResolver } & Pick<ProductBase, "log" | "clock">,
): NamedModel {
  const { broker, pool, keys, log, clock } = from;
  if (name === null) {
    const model = asChatModel(broker.forScope(tenantId), { realNow: Date.now });
    return { model, modelId: modelIdOf(pool) };
  }
  const one = poolOfOne(pool, name);
  const model = ownPool({ entries: one.entries, keys, scope: tenantId }, { log, clock });
  return { model, modelId: modelIdOf(one) };
}

/** One for each tenant, made when it is first asked for. */
function answeringOf(broker: Broker): ProductModels["forTenant"] {
  const made = new Map<string, AskedModel>();
  const patience = { realNow: Date.now, wait: LINE_MS, waitsForCooling: false };
  return (tenantId) => {
    const model = made.get(tenantId) ?? asChatModel(broker.forScope(tenantId), patience);
    made.set(tenantId, model);
    return model;
  };
}

async function handedOf(
  { entries }: Pick<ModelPool, "entries">,
  { tenantId, resolve }: { tenantId: string; resolve: KeyResolver },
): Promise<HandedModels> {
  const keys: Record<string, string> = {};
  for (const ref of new Set(entries.flatMap(({ apiKeyRef }) => apiKeyRef ?? []))) {
    const key = (await resolve(`${tenantId}/${ref}`)) ?? (await resolve(ref));
    if (key) keys[ref] = key;
  }
  return { entries, keys };
}

/** Real time that a reply may stand in line for a model whose places are all taken. */
const LINE_MS = 20_000;

export function createProductModels(
  { log, clock, database, secrets }: Pick<ProductBase, "log" | "clock" | "database" | "secrets">,
  given: {
    signals: Pick<Signals, "sendNow">;
    configured: ModelPool;
    onPoolChange?(change: PoolChange): void;
  },
): ProductModels {
  const { db } = database;
  const { signals, onPoolChange } = given;
  let pool = given.configured;
  const keys = createModelKeys({ db, secrets, log, pool: () => pool });
  const state = createStoredState({
    ...{ db, log, realNow: Date.now, isShared: database.kind !== "embedded" },
    tell: () => signals.sendNow({ kind: "models" }),
  });
  const broker = createBroker({
    ...{ keys: keys.resolve, log, clock },
    journal: createStoredJournal(db, { ownTenant: DEFAULT_TENANT, tenants: () => tenantIds(db) }),
    ...{ realNow: Date.now, random: Math.random, sleep: realSleep, newId },
    pool: () => pool.entries,
    ...(onPoolChange ? { onPoolChange } : {}),
    state: shiftedState(state, () => clock.now() - Date.now()),
  });
  return {
    broker,
    forTenant: answeringOf(broker),
    named: (of) => namedOf(of, { broker, pool, keys: keys.resolve, log, clock }),
    pool: () => pool,
    handed: ({ tenantId, name }) =>
      handedOf(name === null ? pool : poolOfOne(pool, name), { tenantId, resolve: keys.resolve }),
    async readFile(remove) {
      const { file } = pool;
      const entries = file === null ? pool.entries : readModelsFile(file);
      const change = await changeOf(broker, { before: pool.entries, after: entries, remove });
      pool = { ...pool, entries };
      keys.forget(null);
      signals.sendNow({ kind: "models_file" });
      await state.forgive();
      return change;
    },
    reload: () =>
      state
        .reload()
        .catch((error: unknown) =>
          log.warn({ error: messageOf(error) }, "what is known of the models could not be read"),
        ),
    async followFile() {
      const { file } = pool;
      if (file === null) return;
      try {
        pool = { ...pool, entries: readModelsFile(file) };
        keys.forget(null); // of names that were not known before
      } catch (error) {
        // the process that was asked has read it well: this one has another file, or none
        log.error({ error: messageOf(error) }, "MODELS_FILE of this process could not be taken");
      }
    },
    forgetKeys: (tenantId) => keys.forget(tenantId),
  };
}
