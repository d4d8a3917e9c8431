import OpenAI from "openai";
import type { ChatMessage, ToolDefinition } from "../src/domain/chat-model.ts";
import { createClock } from "../src/lib/clock.ts";
import { createLog } from "../src/lib/log.ts";
import { type ModelPool, oneModel } from "../src/model/broker/model-pool.ts";
import { createChatClient } from "../src/model/chat-client.ts";
import { createProductModels } from "../src/product-models.ts";
import { type Database, prepareDatabase } from "../src/store/database.ts";
import { createSecrets } from "../src/store/secrets.ts";
import { startModel } from "./model-process.ts";
import { openBenchDatabase } from "./throwaway-database.ts";

export interface BrokerOptions {
  /** Of each way, in all. */
  calls: number;
  /** Calls under way at once. */
  concurrency: number;
}

/** CPU of this process, milliseconds a call, the median of the blocks; the endpoint is another one. */
export interface BrokerReport {
  calls: number;
  concurrency: number;
  /** The package alone, with its own fetch. */
  openai_ms: number;
  /** Our client, without a broker. */
  client_ms: number;
  /** The broker of the product: choice, state, keys, journal rows, and our client. */
  broker_ms: number;
  /** The broker beside the bare package: what is below 0 is saved. Per cent. */
  over_openai_pct: number;
  /** The broker beside our client. Per cent. */
  over_client_pct: number;
}

/** The ways take turns, so that what else the machine does falls on all of them. */
const BLOCKS = 20;
const TENANT = "bench";
const LIMIT_MS = 30_000;

export async function runBroker(options: BrokerOptions): Promise<BrokerReport> {
  const endpoint = await startModel({ rounds: 0, parallel: 1, tool: "none" });
  const opened = await openBenchDatabase(undefined);
  try {
    await prepareDatabase(opened.database, "sandbox");
    const ways = waysOf(endpoint.url, opened.database);
    const aBlock = Math.max(1, Math.round(options.calls / BLOCKS));
    const used: Record<keyof typeof ways, number[]> = { openai: [], client: [], broker: [] };
    for (const call of Object.values(ways)) await block(call, aBlock, options.concurrency);
    for (let n = 0; n < BLOCKS; n += 1)
      for (const name of ["openai", "client", "broker"] as const)
        used[name].push(await block(ways[name], aBlock, options.concurrency));
    const [openai, client, broker] = [used.openai, used.client, used.broker].map(median);
    return report({ calls: aBlock * BLOCKS, concurrency: options.concurrency }, [
      openai ?? 0,
      client ?? 0,
      broker ?? 0,
    ]);
  } finally {
    await endpoint.stop();
    await opened.drop();
  }
}

function report(
  of: BrokerOptions,
  [openai, client, broker]: [number, number, number],
): BrokerReport {
  const over = (base: number) => round((broker / base - 1) * 100, 1);
  return {
    ...of,
    ...{ openai_ms: round(openai, 4), client_ms: round(client, 4), broker_ms: round(broker, 4) },
    ...{ over_openai_pct: over(openai), over_client_pct: over(client) },
  };
}

/** CPU a call, milliseconds. */
async function block(
  call: () => Promise<unknown>,
  calls: number,
  concurrency: number,
): Promise<number> {
  const before = process.cpuUsage();
  let left = calls;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await call();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / calls;
}

function waysOf(url: string, database: Database) {
  const bare = new OpenAI({ baseURL: url, apiKey: "bench", maxRetries: 0, timeout: LIMIT_MS });
  const client = createChatClient({
    ...{ provider: "bench", baseUrl: url, apiKey: "bench", model: "bench" },
    realNow: Date.now,
  });
  const pool: ModelPool = {
    entries: [oneModel({ baseUrl: url, model: "bench", price: { input: "0.4", output: "1.6" } })],
    ...{ file: null, keyNamed: () => "bench" },
  };
  const models = createProductModels(
    {
      ...{ database, clock: createClock(), log: createLog("error") },
      secrets: createSecrets(Buffer.alloc(32, 1)),
    },
    { signals: { sendNow: () => {} }, configured: pool },
  );
  const broker = models.forTenant(TENANT);
  const signal = new AbortController().signal;
  const asked = { messages: MESSAGES, tools: TOOLS, operation: "reply" };
  return {
    openai: () =>
      bare.chat.completions.create({
        ...{ model: "bench", messages: WIRE_MESSAGES },
        tools: TOOLS.map((tool) => ({ type: "function" as const, function: tool })),
      }),
    client: async () => answered(await client.chat({ ...asked, timeoutMs: LIMIT_MS, signal })),
    broker: async () =>
      answered(await broker.chat({ ...asked, traceId: "t", timeoutMs: LIMIT_MS, signal })),
  };
}

function answered({ kind }: { kind: "answer" | "failed" }): void {
  if (kind === "failed") throw new Error("the scripted model gave no answer");
}

/** About what a turn sends: rules, a few words of each side, six tools. */
const RULES = "Answer in the client's language, from what tools and documents say alone. ".repeat(
  40,
);
const MESSAGES: ChatMessage[] = [
  { role: "system", content: RULES },
  ...Array.from({ length: 6 }, (_, n) => [
    { role: "user" as const, content: `How many of number ${n} are there, please?` },
    { role: "assistant" as const, content: `There are ${n}. May I do anything else for you?` },
  ]).flat(),
  { role: "user", content: "And what does it cost?" },
];
const WIRE_MESSAGES = MESSAGES as OpenAI.ChatCompletionMessageParam[]; // none of them is a tool's
const TOOLS: ToolDefinition[] = Array.from({ length: 6 }, (_, n) => ({
  name: `tool_${n}`,
  description: "Tells something about the thing that is named, and nothing else.",
  parameters: {
    ...{ type: "object", additionalProperties: false, required: ["item"] },
    properties: { item: { type: "string" }, amount: { type: "string" } },
  },
}));

function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
