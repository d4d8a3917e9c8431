import type {
  ChatFault,
  ChatMessage,
  ChatOutcome,
  ChatRequest,
  ModelJournal,
  ProposedCall,
} from "../../src/domain/chat-model.ts";
import type { FailureClass } from "../../src/domain/failure.ts";
import { type Broker, createBroker } from "../../src/model/broker/broker.ts";
import { createMemoryJournal } from "../../src/model/broker/memory-journal.ts";
import { createMemoryState } from "../../src/model/broker/memory-state.ts";
import type { ModelEntry } from "../../src/model/broker/models-file.ts";
import type { BrokerParts } from "../../src/model/broker/parts.ts";

export const HELLO: ChatMessage[] = [{ role: "user", content: "hi" }];
export const QUOTE = { name: "quote", description: "", parameters: { type: "object" } };

export function entry(name: string, over: Partial<ModelEntry> = {}): ModelEntry {
  return {
    ...{ name, baseUrl: `http://${name}.test/v1`, model: `${name}-model` },
    ...{ apiKeyRef: `${name.toUpperCase()}_KEY`, enabled: true, weight: 1, parallel: null },
    ...{ price: null, params: {}, paramsWithTools: {}, timeoutMs: 60_000 },
    capabilities: { tools: true, streaming: true, jsonSchema: true },
    ...over,
  };
}

/** The same numbers for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Answering = (request: ChatRequest, key: string) => ChatOutcome | Promise<ChatOutcome>;

export interface PlayedPool {
  broker: Broker;
  parts: BrokerParts;
  /** How a model answers; until then it says its name. */
  play(name: string, answering: Answering): void;
  /** Whom was asked, in order, with which key. */
  asked: { name: string; key: string; request: ChatRequest }[];
  /** `level text`, and the scope in brackets where there is one. */
  lines: string[];
  time: { now: number };
}

/** A broker over played models; its time stands still unless it waits or a test moves it. */
export function openPool(entries: ModelEntry[], over: Partial<BrokerParts> = {}): PlayedPool {
  const time = { now: 1_000_000 };
  const answers = new Map<string, Answering>();
  const asked: PlayedPool["asked"] = [];
  const lines: string[] = [];
  const say = (level: string) => (fields: { scope?: string }, text: string) =>
    lines.push(`${level} ${text}${fields.scope === undefined ? "" : ` (${fields.scope})`}`);
  let ids = 0;
  const parts: BrokerParts = {
    pool: () => entries,
    keys: (name) => (name.includes("/") ? null : `shared ${name}`),
    ...{ state: createMemoryState(), journal: createMemoryJournal() },
    log: { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") },
    clock: { now: () => time.now },
    realNow: () => time.now,
    random: seeded(1),
    async sleep(ms, signal) {
      if (!signal.aborted) time.now += ms;
      await new Promise((resolve) => setImmediate(resolve));
    },
    newId() {
      ids += 1;
      return `call-${ids}`;
    },
    openClient: (one, key) => ({
      async chat(request) {
        asked.push({ name: one.name, key, request });
        return (answers.get(one.name) ?? (() => answer(one.name)))(request, key);
      },
    }),
    ...over,
  };
  return {
    ...{ broker: createBroker(parts), parts, asked, lines, time },
    play: (name, answering) => answers.set(name, answering),
  };
}

export function figures(over: Partial<ModelJournal> = {}): ModelJournal {
  return {
    ...{ provider: "played", modelId: "played", inputTokens: 100, outputTokens: 10 },
    ...{ finishReason: "stop", latencyMs: 5, ...over },
  };
}

export function answer(text: string, calls: ProposedCall[] = []): ChatOutcome {
  return { kind: "answer", text, calls, cut: false, journal: figures() };
}

export function proposed(name: string, args: unknown = {}): ProposedCall {
  return { providerId: "", name, arguments: JSON.stringify(args) };
}

export function failure(
  kind: FailureClass,
  over: { status?: number; fault?: ChatFault; retryAfterMs?: number; error?: string } = {},
): ChatOutcome {
  const { retryAfterMs = null, ...more } = over;
  const journal = figures({ inputTokens: null, outputTokens: null, finishReason: null });
  return {
    ...{ kind: "failed", retryable: kind !== "schema_invalid", failure: kind, retryAfterMs },
    ...{ fault: "status", error: `it was ${kind}`, ...more, journal },
  };
}

export const DOWN = () => failure("unavailable", { status: 503 });
export const LIMITED = (retryAfterMs?: number) => () =>
  failure("rate_limited", { status: 429, retryAfterMs });
export const REJECTED = () => failure("access_denied", { status: 401 });
export const REFUSED = () => failure("schema_invalid", { status: 400, error: "400 no such field" });
