import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { eq } from "drizzle-orm";
import { expect } from "vitest";
import type { JsonObject } from "../../src/domain/json.ts";
import type { ToolResult } from "../../src/domain/tool.ts";
import { createChainPart } from "../../src/sandbox/chain.ts";
import { createPayoutPart } from "../../src/sandbox/payout.ts";
import { insertAccount } from "../../src/store/contact-accounts.ts";
import { type Database, openEmbedded, prepareDatabase } from "../../src/store/database.ts";
import { type Tx, withOwner, withTenant } from "../../src/store/db.ts";
import { upsertDestination } from "../../src/store/destinations.ts";
import { putExchangeSettings } from "../../src/store/exchange-settings.ts";
import { lastOrder, type Order } from "../../src/store/orders.ts";
import { upsertRate } from "../../src/store/rates.ts";
import { macOf } from "../../src/store/row-mac.ts";
import { contacts, conversations, messages, outbox } from "../../src/store/schema/chat.ts";
import { createSecrets } from "../../src/store/secrets.ts";
import { ensureTenant } from "../../src/store/tenants.ts";
import { createTools } from "../../src/tools/catalog.ts";
import type { PreparedAction, ToolCall, ToolWork, WriteResult } from "../../src/tools/contract.ts";
import { createPayoutClient } from "../../src/tools/exchange/payout-client.ts";
import { createTronGrid } from "../../src/tools/exchange/tron-grid.ts";
import { keepOutsideCalls } from "../../src/tools/outside.ts";
import type { OpenDatabase } from "../support/database.ts";
import { openHandoffs } from "../support/open-handoffs.ts";
import { withTestKey } from "../support/row-key.ts";
import { playPart } from "../support/sandbox-part.ts";

const { fixture } = JSON.parse(readFileSync("test/data/dialogs.json", "utf8"));
const TENANT = "desk";
export const WALLET: string = fixture.secrets.exchange_wallet_usdt_trc20;
export const MINUTE = 60_000;

const jobs = { enqueue: async () => {}, wakeDelivery: () => {} };

/** A desk with the fixture's rates and secrets; chain and gateway answer over HTTP. */
export async function startDesk(open: OpenDatabase = openAlone) {
  const database = await open();
  const { db } = database;
  const chain = await playPart(createChainPart);
  const gateway = await playPart(createPayoutPart);
  const secrets = createSecrets(randomBytes(32));
  const clock = { now: Date.now() };
  const tenant = <T>(work: (tx: Tx) => Promise<T>) => withTenant(db, TENANT, work);
  await withOwner(db, (tx) => ensureTenant(tx, { id: TENANT, name: "Desk", now: clock.now }));
  await tenant(async (tx) => {
    for (const rate of fixture.rates) {
      const row = { ...rate, quoteAsset: fixture.quoteAsset, isActive: true, autoUpdate: false };
      await upsertRate(tx, row, { tenantId: TENANT, by: "setup", now: clock.now });
    }
    for (const [name, value] of Object.entries(fixture.secrets))
      await secrets.set(tx, {
        ...{ tenantId: TENANT, name, value: String(value) },
        ...{ by: "setup", now: clock.now },
      });
    await upsertDestination(tx, {
      ...{ tenantId: TENANT, purpose: "operators" as const, channelId: "tg", now: clock.now },
      ...{ messenger: "telegram" as const, chatId: "-100" },
    });
  });
  const tools = createTools({
    secrets,
    tronGrid: createTronGrid({ baseUrl: chain.env.TRONGRID_URL ?? "", timeoutMs: 5000 }),
    payouts: createPayoutClient({
      baseUrl: gateway.env.PAYOUT_URL ?? "",
      secret: gateway.env.PAYOUT_SECRET ?? "",
      timeoutMs: 5000,
    }),
    searchKnowledge: async () => [],
    guardLimits: { maxDeviationPct: "35", epsPct: "0.5" },
    txMaxAgeMs: 24 * 60 * MINUTE,
    mail: null,
    jobs,
    toolsChanged: () => {},
    sandbox: false,
  });
  return {
    db,
    tenant,
    secrets,
    clock,
    chain,
    gateway,
    tools,
    setSecret: (name: string, value: string) =>
      tenant((tx) =>
        secrets.set(tx, { tenantId: TENANT, name, value, by: "setup", now: clock.now }),
      ),
    settings: (change: Partial<Parameters<typeof putExchangeSettings>[1]>) =>
      tenant((tx) =>
        putExchangeSettings(
          tx,
          {
            quoteAsset: "THB",
            rateRefreshSec: 180,
            feedStaleSec: 540,
            riskAmountThreshold: null,
            riskFirstDealReview: false,
            riskDailyLimit: null,
            operatorDailyCap: null,
            bulkApprovalLimit: null,
            payoutProviders: {},
            ...change,
          },
          { tenantId: TENANT, now: clock.now },
        ),
      ),
    /** Plays a transfer; answers its hash. */
    async transfer(fields: JsonObject = {}): Promise<string> {
      const body = { network: "TRC20", to: WALLET, at: clock.now, ...fields };
      const answer = await chain.control("/chain/transfers", body);
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
      return (answer.body as { tx_hash: string }).tx_hash;
    },
    async close() {
      await chain.close();
      await gateway.close();
      await database.close();
    },
  };
}
export type Desk = Awaited<ReturnType<typeof startDesk>>;

async function openAlone(): Promise<Database> {
  const database = withTestKey(await openEmbedded({ dir: null, durable: false }));
  await prepareDatabase(database, "sandbox");
  return database;
}

let leads = 0;

/** A lead with a conversation; `does` runs a tool the way the backend does. */
export async function startLead(
  desk: Desk,
  options: { kyc?: string; language?: "ru" | "en" } = {},
) {
  leads += 1;
  const { kyc = "verified", language = "en" } = options;
  const scope = { tenantId: TENANT, conversationId: `conv-${leads}`, contactId: `lead-${leads}` };
  const { tenant, clock } = desk;
  await tenant(async (tx) => {
    await tx.insert(contacts).values({
      id: scope.contactId,
      tenantId: TENANT,
      name: `Lead ${leads}`,
      attributes: kyc === "missing" ? {} : { exchangeKyc: { status: kyc } },
      createdAt: clock.now,
    });
    const place = {
      ...{ id: scope.conversationId, tenantId: TENANT, contactId: scope.contactId },
      ...{ channelId: "tg", messenger: "telegram" as const, chatId: scope.contactId },
    };
    await tx.insert(conversations).values({
      ...{ ...place, mac: macOf(tx, "conversations", place), language },
      ...{ createdAt: clock.now, updatedAt: clock.now },
    });
    const client = { tenantId: TENANT, contactId: scope.contactId, userId: scope.contactId };
    await insertAccount(tx, { ...client, messenger: "telegram", teamId: "" });
  });
  const callOf = (action: JsonObject, idempotencyKey: string | null): ToolCall => ({
    ...scope,
    ...{ runId: null, language, now: clock.now, action, executionId: "x", idempotencyKey },
    signal: AbortSignal.timeout(20_000),
    outside: keepOutsideCalls(Date.now),
    read: tenant,
  });
  const lead = {
    ...scope,
    async says(text: string, media: { kind: "photo" | "video_note"; forwarded?: boolean }[] = []) {
      clock.now += 1000;
      const id = `m-${clock.now}-${scope.contactId}`;
      await tenant((tx) =>
        tx.insert(messages).values({
          ...{ id, tenantId: TENANT, conversationId: scope.conversationId, text, media },
          ...{ author: "lead" as const, kind: "text" as const, createdAt: clock.now },
        }),
      );
      return id;
    },
    async prepares(name: string, args: JsonObject = {}) {
      const tool = toolOf(desk, name);
      const input = { ...scope, runId: null, language, now: clock.now };
      if (!tool.prepare) throw new Error(`${name} has no prepare`);
      return tenant((tx) => tool.prepare?.(tx, args as never, input) ?? Promise.reject());
    },
    async works(action: JsonObject, name: string, key: string | null = null): Promise<ToolWork> {
      return toolOf(desk, name).run(callOf(action, key));
    },
    async does(name: string, args: JsonObject = {}): Promise<ToolResult> {
      const tool = toolOf(desk, name);
      tool.parameters.parse(args);
      const work = await tool.run(callOf(args, null));
      return told(desk, name, await finish(desk, work));
    },
    /** What a person's approval starts. */
    async approved(prepared: PreparedAction, name: string, key: string): Promise<ToolResult> {
      return told(desk, name, await finish(desk, await lead.works(prepared.action, name, key)));
    },
    looksUp: (action: JsonObject, name: string, key: string) =>
      toolOf(desk, name).lookUp?.(callOf(action, key)),
    order: (): Promise<Order | null> => tenant((tx) => lastOrder(tx, scope)),
    async stage() {
      const where = eq(conversations.id, scope.conversationId);
      const rows = await tenant((tx) => tx.select().from(conversations).where(where));
      return rows[0]?.stage;
    },
    async handoffs() {
      const open = await tenant((tx) => openHandoffs(tx, scope));
      return open.map((handoff) => handoff.reason);
    },
    async sent() {
      const where = eq(outbox.conversationId, scope.conversationId);
      return tenant((tx) => tx.select().from(outbox).where(where).orderBy(outbox.seq));
    },
  };
  return lead;
}
export type Lead = Awaited<ReturnType<typeof startLead>>;

export async function finish(desk: Desk, work: ToolWork): Promise<ToolResult> {
  return (await writtenBy(desk, work)).result;
}

/** All that a call's work wrote and proposes. */
export async function writtenBy(desk: Desk, work: ToolWork): Promise<WriteResult> {
  if (work.kind === "result") return { result: work.result };
  if (work.kind === "write" || work.kind === "pending") return desk.tenant((tx) => work.apply(tx));
  // what the call ends with when it is not tried again
  if (work.kind === "retry" && work.instead) return writtenBy(desk, work.instead);
  throw new Error(`the call ended as ${work.kind}: ${work.message}`);
}

/** Asserts and answers a prepared action. */
export function prepared(made: Awaited<ReturnType<Lead["prepares"]>>): PreparedAction {
  if (made?.kind !== "action") throw new Error(`refused: ${JSON.stringify(made)}`);
  return made;
}

/** Quote, yes and order of one sum; requisites too unless `until` says otherwise. */
export async function orderOf(
  lead: Lead,
  args: JsonObject,
  until: "order" | "requisites" = "requisites",
): Promise<Order> {
  const { asset, amount, amountMode = "source_amount", ...rest } = args;
  const terms = { asset: asset ?? "USDT", amount: amount ?? "450", amountMode };
  await lead.does("compute_exchange_quote", terms);
  await lead.says("yes");
  await lead.does("create_exchange_order", { ...terms, ...rest });
  if (until === "requisites") await lead.does("fetch_exchange_requisites");
  const order = await lead.order();
  if (!order) throw new Error("no order came of it");
  return order;
}

/** A result says nothing that its schema does not name. */
function told(desk: Desk, name: string, result: ToolResult): ToolResult {
  if (result.ok) expect(toolOf(desk, name).output.parse(result.data)).toEqual(result.data);
  return result;
}

function toolOf(desk: Desk, name: string) {
  const tool = desk.tools.find((one) => one.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool;
}
