import { createHash, randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { createBesideSweep } from "./beside-sweep.ts";
import { channelOf, DEFAULT_TENANT, telegramWebhookUrl } from "./bootstrap.ts";
import type { EdgeOptions, MessengerEdge } from "./bot/edge.ts";
import { createSlackBot } from "./bot/slack/bot.ts";
import { createTelegramBot } from "./bot/telegram/bot.ts";
import type { Outside } from "./config.ts";
import { cancelOfBlocked, cancelOfBlockedChat } from "./desk/cancel-open.ts";
import { COMMANDS, commandMenu } from "./desk/commands/table.ts";
import { startDelay } from "./desk/delayed-effect.ts";
import type { DeskDeps } from "./desk/deps.ts";
import { createDesk } from "./desk/desk.ts";
import { heedObjection } from "./desk/freeze.ts";
import { sealSecretForm } from "./desk/secret-forms.ts";
import type { Desk } from "./domain/desk.ts";
import { newId } from "./domain/ids.ts";
import type { MessengerName } from "./domain/inbound.ts";
import type { Messenger } from "./domain/messenger.ts";
import type { EngineDeps } from "./engine/deps.ts";
import { REPLY_STRATEGIES } from "./engine/strategy.ts";
import { createToolResolver, type ToolResolver } from "./engine/tool-resolver.ts";
import { createInspection, type Inspection } from "./inspection.ts";
import { createKnowledge, type Knowledge } from "./knowledge/knowledge.ts";
import { hasKey } from "./model/broker/model-pool.ts";
import { createModelAlerts } from "./model-alerts.ts";
import { createOutbound, type Outbound } from "./outbound/deliver.ts";
import type { ProductBase } from "./product-base.ts";
import { createProductModels, type ProductModels } from "./product-models.ts";
import { openQueue, type Queue } from "./queue/queue.ts";
import { createSweep, type Sweep } from "./queue/sweep.ts";
import type { Database } from "./store/database.ts";
import { type Tx, withTenant } from "./store/db.ts";
import { ensureSecret } from "./store/ensure-secret.ts";
import { maskQuotedCodes, payoutCodeFor } from "./store/payout-codes.ts";
import { addPolicyRows } from "./store/policies.ts";
import { type ReceiveContext, receive } from "./store/receive.ts";
import { createSignals, type Signals } from "./store/signals.ts";
import type { ApprovalDress } from "./tools/ask-approval.ts";
import { createTools } from "./tools/catalog.ts";
import { defaultPolicies } from "./tools/default-policies.ts";
import { createPayoutClient } from "./tools/exchange/payout-client.ts";
import { createTronGrid } from "./tools/exchange/tron-grid.ts";
import { createMailClient } from "./tools/mail/smtp-client.ts";
import { createRegistry, type Registry } from "./tools/registry.ts";
import { createRunner } from "./tools/runner.ts";
import type { SearchKnowledge } from "./tools/search-knowledge-base.ts";

/** The product's parts, made but not started. */
export interface Product {
  bootId: string;
  /** What processes that are gone had begun in the quality lab is told as failed. */
  tellLeftWork(): Promise<void>;
  signals: Signals;
  queue: Queue;
  sweep: Sweep;
  outbound: Outbound;
  edges: MessengerEdge[];
  inspection: Inspection;
  registry: Registry;
  resolver: ToolResolver;
  knowledge: Knowledge;
  desk: Desk;
  deskDeps: DeskDeps;
  engine: EngineDeps;
  models: ProductModels;
  /** Tools and default policies of a tenant. */
  prepareTenant(tx: Tx, tenantId: string): Promise<void>;
}

const OUTSIDE_LIMIT_MS = 20_000;
/** Ends before the tool's own limit: what broke off before the letter went out is known to be certain. */
const MAIL_LIMIT_MS = 15_000;

/** Top to bottom: store → tools → engine → desk → messengers. */
export async function assembleProduct(base: ProductBase, outside: Outside): Promise<Product> {
  const { log, clock, database } = base;
  const { db } = database;
  const bootId = newId();
  const signals = createSignals(database, log);
  const queue = await openQueue({ database, log, signals });
  const alerts = createModelAlerts(base, queue);
  const models = createProductModels(base, {
    ...{ signals, configured: outside.models, onPoolChange: alerts.note },
  });
  const knowledge = createKnowledge();
  const registry = registryOf(base, { outside, queue, signals, knowledge });
  const resolver = createToolResolver({ db, registry });
  const dress = dressOf(base, queue);
  const messengers = new Map<string, Messenger>();
  const deskDeps = deskDepsOf(base, { dress, registry, signals, messengers, outside });
  const desk = createDesk(deskDeps);
  const edges = createEdges(base, { queue, desk, deskDeps, outside });
  for (const { messenger } of edges) messengers.set(messenger.channelId, messenger);
  const engine = engineOf(base, {
    ...{ bootId, queue, registry, dress, resolver, knowledge, outside, messengers, models },
  });
  const inspection = createInspection(db, edges, log);
  const outbound = outboundOf(base, { messengers, deskDeps, inspection });
  const beside = createBesideSweep(base, { deskDeps, models, bootId, alerts });
  return {
    bootId,
    tellLeftWork: beside.tellLeftWork,
    signals,
    queue,
    sweep: createSweep({
      ...{ db, queue, clock, realNow: Date.now, log },
      beside: beside.run,
    }),
    outbound,
    edges,
    inspection,
    registry,
    resolver,
    knowledge,
    desk,
    deskDeps,
    engine,
    models,
    async prepareTenant(tx, tenantId) {
      await registry.sync(tx, tenantId, clock.now());
      await addPolicyRows(tx, tenantId, defaultPolicies());
    },
  };
}

function registryOf(base: ProductBase, parts: RegistryParts): Registry {
  const { outside, queue, signals, knowledge } = parts;
  return createRegistry(
    createTools({
      ...outsideTools(outside),
      ...toolSettings(base),
      secrets: base.secrets,
      jobs: queue,
      toolsChanged: (tx, tenantId) => signals.send(tx, { kind: "tools", tenantId }),
      sandbox: base.config.world === "sandbox",
      searchKnowledge: searchWith(knowledge),
    }),
  );
}

type RegistryParts = Pick<Product, "queue" | "signals" | "knowledge"> & { outside: Outside };

function dressOf({ config, language }: ProductBase, queue: Queue): ApprovalDress {
  return {
    jobs: queue,
    get staffLanguage() {
      return language.now();
    },
    sandbox: config.world === "sandbox",
    defaultTtlMs: config.approvalTtlMs,
  };
}

function outboundOf(
  base: ProductBase,
  parts: {
    messengers: ReadonlyMap<string, Messenger>;
    deskDeps: DeskDeps;
    inspection: Inspection;
  },
): Outbound {
  const { messengers, deskDeps, inspection } = parts;
  const { database, secrets, redis } = base;
  const { db } = database;
  return createOutbound({
    db,
    clock: base.clock,
    messengers,
    log: base.log,
    alone: database.kind === "embedded",
    sharedCounts: redis && { redis: redis.client, prefix: installationOf(database) },
    onBlocked: (tx, chat) => cancelOfBlockedChat(tx, deskDeps, chat),
    onCardSent: (tx, card) => startDelay(tx, deskDeps, card),
    onAnswer: (channelId, result) => inspection.answered(channelId, result),
    decryptCode: ({ tenantId, ...chat }, orderId) =>
      withTenant(db, tenantId, (tx) => payoutCodeFor(tx, secrets, { tenantId, orderId }, chat)),
  });
}

/** Names the database, so that two installations on one Redis do not count for each other. */
function installationOf({ url }: Database): string {
  const hash = createHash("sha256").update(url ?? "embedded");
  return `countersign:${hash.digest("hex").slice(0, 12)}`;
}

function deskDepsOf(
  base: ProductBase,
  parts: {
    dress: ApprovalDress;
    registry: Registry;
    signals: Signals;
    messengers: ReadonlyMap<string, Messenger>;
    outside: Outside;
  },
): DeskDeps {
  const { dress, registry, signals, messengers, outside } = parts;
  return {
    ...{ db: base.database.db, clock: base.clock, log: base.log, secrets: base.secrets },
    realNow: Date.now,
    dress,
    registry,
    toolsChanged: (tx, tenantId) => signals.send(tx, { kind: "tools", tenantId }),
    ratingsChanged: (tx) => signals.send(tx, { kind: "models" }),
    chatFacts: async (channelId, chatId) =>
      (await messengers.get(channelId)?.chatFacts?.(chatId)) ?? { kind: "unreachable" },
    deleteMessage: async ({ channelId, ...message }) =>
      (await messengers.get(channelId)?.deleteMessage?.(message)) ?? false,
    hasModelKey: (secretNames) => hasKey(outside.models, secretNames),
  };
}

interface EngineParts {
  bootId: string;
  queue: Queue;
  registry: Registry;
  dress: ApprovalDress;
  resolver: ToolResolver;
  knowledge: Knowledge;
  outside: Outside;
  messengers: ReadonlyMap<string, Messenger>;
  models: ProductModels;
}

function engineOf(base: ProductBase, parts: EngineParts): EngineDeps {
  const { registry, dress, messengers } = parts;
  return {
    db: base.database.db,
    clock: base.clock,
    realNow: Date.now,
    bootId: parts.bootId,
    jobs: parts.queue,
    registry,
    runner: createRunner({ registry, realNow: Date.now, timeoutMs: OUTSIDE_LIMIT_MS }),
    proposing: { registry, dress, costLimitUsd: base.config.runCostLimitUsd },
    modelFor: (tenantId) => parts.models.forTenant(tenantId),
    strategy: REPLY_STRATEGIES[base.config.replyStrategy](parts),
    log: base.log,
    deadlineMs: base.config.runDeadlineMs,
    prices: parts.outside.prices,
    wait: (ms, signal) => setTimeout(ms, undefined, { signal }),
    showTyping: async (channelId, chatId) => messengers.get(channelId)?.showTyping(chatId),
  };
}

function outsideTools(outside: Outside) {
  const { tronGrid, payout, mail } = outside;
  return {
    tronGrid: tronGrid
      ? createTronGrid({
          baseUrl: tronGrid.url,
          ...(tronGrid.apiKey ? { apiKey: tronGrid.apiKey } : {}),
          timeoutMs: OUTSIDE_LIMIT_MS,
        })
      : null,
    payouts: payout
      ? createPayoutClient({
          baseUrl: payout.url,
          secret: payout.secret,
          timeoutMs: OUTSIDE_LIMIT_MS,
        })
      : null,
    mail: mail ? createMailClient({ ...mail, timeoutMs: MAIL_LIMIT_MS }) : null,
  };
}

function toolSettings({ config }: ProductBase) {
  return { guardLimits: config.guardLimits, txMaxAgeMs: config.txMaxAgeMs };
}

/** The tool shows a passage up to this length; the rest is marked as cut. */
const EXCERPT_CHARS = 1200;

function searchWith(knowledge: Knowledge): SearchKnowledge {
  return async (tx, { tenantId, query, topK }) => {
    const hits = await knowledge.search(tx, { tenantId, text: query, topK });
    return hits.map(({ documentId, revision, title, text }) => ({
      documentId,
      revision,
      title,
      excerpt: text.slice(0, EXCERPT_CHARS),
      truncated: text.length > EXCERPT_CHARS,
    }));
  };
}

function createEdges(
  base: ProductBase,
  parts: { queue: Queue; desk: Desk; deskDeps: DeskDeps; outside: Outside },
): MessengerEdge[] {
  const { config, log, clock, database } = base;
  const { queue, desk, deskDeps, outside } = parts;
  const context: ReceiveContext = {
    ...{ db: database.db, jobs: queue, clock, coalesceMs: config.coalesceMs },
    heed: (tx, said) => heedObjection(tx, deskDeps, said),
    onBlocked: (tx, who) => cancelOfBlocked(tx, deskDeps, who),
  };
  const options = (messenger: MessengerName): EdgeOptions => ({
    channelId: channelOf(messenger),
    tenantId: DEFAULT_TENANT,
    receive: async (event) => {
      const { secrets } = base;
      const sealed = sealSecretForm(secrets, DEFAULT_TENANT, event);
      const masked = await maskQuotedCodes({ db: database.db, secrets }, DEFAULT_TENANT, sealed);
      return receive(context, DEFAULT_TENANT, masked);
    },
    desk,
    clock,
    log,
    isCommand: (name) => COMMANDS.has(name),
    commandMenu: () => commandMenu(base.language.now()),
  });
  return [
    ...(outside.telegram
      ? [
          createTelegramBot({
            ...options("telegram"),
            token: outside.telegram.token,
            apiRoot: outside.telegram.apiRoot,
            ...webhookOf(base, outside.telegram.webhook),
          }),
        ]
      : []),
    ...(outside.slack ? [createSlackBot({ ...options("slack"), ...outside.slack })] : []),
  ];
}

function webhookOf(base: ProductBase, webhook: NonNullable<Outside["telegram"]>["webhook"]) {
  if (!webhook) return {};
  const { db } = base.database;
  const { publicUrl, secret } = webhook;
  return {
    webhook: {
      url: telegramWebhookUrl(publicUrl),
      secret: async () =>
        secret ??
        withTenant(db, DEFAULT_TENANT, (tx) =>
          ensureSecret(tx, base.secrets, {
            tenantId: DEFAULT_TENANT,
            name: "telegram_webhook_secret",
            value: randomBytes(32).toString("base64url"),
            by: "setup",
            now: base.clock.now(),
          }),
        ),
    },
  };
}
