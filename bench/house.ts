import { createHash } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { DeskDeps } from "../src/desk/deps.ts";
import { newId } from "../src/domain/ids.ts";
import type { MessageEvent } from "../src/domain/inbound.ts";
import type { EngineDeps } from "../src/engine/deps.ts";
import { handleExecution } from "../src/engine/execution.ts";
import { warmUpGuard } from "../src/engine/guard/warm-up.ts";
import { NO_PRICES } from "../src/engine/prices.ts";
import { handleRun } from "../src/engine/run.ts";
import { ragReplyStrategy } from "../src/engine/strategy.ts";
import { createToolResolver } from "../src/engine/tool-resolver.ts";
import { createKnowledge } from "../src/knowledge/knowledge.ts";
import { createClock } from "../src/lib/clock.ts";
import { oneModel } from "../src/model/broker/model-pool.ts";
import { ownPool } from "../src/model/broker/own-pool.ts";
import { createOutbound } from "../src/outbound/deliver.ts";
import { openQueue } from "../src/queue/queue.ts";
import { type Database, prepareDatabase } from "../src/store/database.ts";
import { withOwner, withTenant } from "../src/store/db.ts";
import { checkMasterKey } from "../src/store/key-check.ts";
import { replacePolicyRows } from "../src/store/policies.ts";
import { receive } from "../src/store/receive.ts";
import { createSecrets } from "../src/store/secrets.ts";
import { createSignals, type Signal } from "../src/store/signals.ts";
import { createStaff } from "../src/store/staff.ts";
import { ensureTenant } from "../src/store/tenants.ts";
import { unlockDatabase } from "../src/store/unlock.ts";
import { createRegistry } from "../src/tools/registry.ts";
import { createRunner } from "../src/tools/runner.ts";
import { BENCH_TOOLS, benchRules } from "./bench-tools.ts";
import { type Counters, countOn } from "./counters.ts";
import { createListener, type Listener } from "./listener.ts";

export interface House {
  tenantId: string;
  database: Database;
  counters: Counters;
  engine: EngineDeps;
  desk: DeskDeps;
  staffId: string;
  listener: Listener;
  /** A client's message comes in, as a messenger's edge hands it over; answers the chat. */
  says(chatId: string, text: string): Promise<void>;
  close(): Promise<void>;
}

/** Only what goes wrong. */
const log = {
  debug() {},
  info() {},
  warn: (fields: object, text: string) =>
    process.stderr.write(`${text} ${JSON.stringify(fields)}\n`),
  error: (fields: object, text: string) =>
    process.stderr.write(`${text} ${JSON.stringify(fields)}\n`),
};
const MASTER_KEY = createHash("sha256").update("countersign bench").digest("hex");
const CHANNEL = "bench";

/**
 * The product's parts as `src/product.ts` puts them together: intake, queue, engine, desk and delivery
 * on the given database. The tools are two small ones, the messenger is this process.
 */
export async function openHouse(database: Database, modelUrl: string): Promise<House> {
  const { db } = database;
  const counters = countOn(db);
  const secrets = createSecrets(await unlockDatabase(db, { fromEnv: MASTER_KEY, dataDir: "." }));
  await prepareDatabase(database, "sandbox");
  await checkMasterKey(db, secrets);
  warmUpGuard();
  const clock = createClock();
  const signals = createSignals(database, log);
  const queue = await openQueue({ database, log, signals });
  const registry = createRegistry(BENCH_TOOLS);
  const resolver = createToolResolver({ db, registry });
  const dress = {
    ...{ jobs: queue, staffLanguage: "en" as const, sandbox: true, defaultTtlMs: 3_600_000 },
  };
  const entries = [oneModel({ baseUrl: modelUrl, model: "bench" })];
  const model = ownPool({ entries, keys: () => "bench" }, { log, clock });
  const engine: EngineDeps = {
    ...{ db, clock, realNow: Date.now, bootId: newId(), jobs: queue, registry, log },
    runner: createRunner({ registry, realNow: Date.now, timeoutMs: 20_000 }),
    proposing: { registry, dress, costLimitUsd: "1" },
    modelFor: () => model,
    strategy: ragReplyStrategy({ resolver, knowledge: createKnowledge() }),
    deadlineMs: 45_000,
    prices: NO_PRICES,
    wait: (ms, signal) => setTimeout(ms, undefined, { signal }),
    showTyping: async () => {},
  };
  const desk: DeskDeps = {
    ...{ db, clock, dress, log, registry, secrets, toolsChanged: () => {} },
    realNow: Date.now,
    hasModelKey: () => true,
    ratingsChanged: () => {},
    chatFacts: async () => ({ kind: "unreachable" }),
    deleteMessage: async () => true,
  };
  const { tenantId, staffId } = await settleIn(engine);
  const listener = createListener(CHANNEL);
  const messengers = new Map([[CHANNEL, listener.messenger]]);
  const outbound = createOutbound({ db, clock, messengers, log, alone: true });
  await signals.start({
    onSignal: (signal) => counters.apart(() => hear(signal)),
    onGap: () => {},
  });
  function hear(signal: Signal): void {
    if (signal.kind === "jobs") queue.wakeLane(signal.lane, signal.afterMs);
    if (signal.kind === "delivery") outbound.wake();
  }
  await queue.start({
    run: (ref, signal) => counters.as("engine", () => handleRun(engine, ref, signal)),
    execution: (ref, signal) => counters.as("engine", () => handleExecution(engine, ref, signal)),
    desk: async () => {},
    approval: async () => {},
  });
  await outbound.start();
  const intake = { db, jobs: queue, clock, coalesceMs: 0 };
  return {
    ...{ tenantId, database, counters, engine, desk, staffId, listener },
    says: async (chatId, text) => void (await receive(intake, tenantId, message(chatId, text))),
    async close() {
      await outbound.stop();
      await queue.stop(5_000);
      await signals.stop();
    },
  };
}

/** A tenant of its own, so that a database may be used again. */
async function settleIn({ db, clock, registry }: EngineDeps) {
  const tenantId = `bench-${newId()}`;
  const now = clock.now();
  await withOwner(db, (tx) => ensureTenant(tx, { id: tenantId, name: "Bench", now }));
  const staffId = await withTenant(db, tenantId, async (tx) => {
    await registry.sync(tx, tenantId, now);
    await replacePolicyRows(tx, tenantId, benchRules());
    return createStaff(tx, { tenantId, name: "Operator", role: "operator", identities: [], now });
  });
  return { tenantId, staffId };
}

function message(chatId: string, text: string): MessageEvent {
  return {
    ...{ kind: "message", messenger: "slack", channelId: CHANNEL, chatId, chatKind: "private" },
    ...{ eventKey: newId(), externalId: newId(), threadId: null, sentAt: Date.now() },
    ...{ text, media: [], replyToId: null },
    person: { id: chatId, teamId: "bench", name: "Client", languageCode: "en", isBot: false },
  };
}
