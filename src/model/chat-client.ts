import OpenAI from "openai";
import type { ChatModel, ChatOutcome, ChatRequest, ModelJournal } from "../domain/chat-model.ts";
import type { JsonObject } from "../domain/json.ts";
import { failed } from "./answer.ts";
import { compactHistory } from "./compact-history.ts";
import { type Demands, learn, USUAL } from "./demands.ts";
import { refusing } from "./http-refusal.ts";
import { type KeyMask, maskOf } from "./key-mask.ts";
import { createLeanFetch } from "./lean-fetch.ts";
import { type Limit, openLimit } from "./limit.ts";
import { readResponse } from "./read-response.ts";
import { thrownOutcome } from "./thrown-outcome.ts";
import { requestBody, tokenCapOf } from "./wire.ts";

/** `apiKey` goes to `baseUrl` alone. */
export interface ChatClientOptions {
  /** Name of the endpoint in journals. */
  provider: string;
  baseUrl: string;
  apiKey: string;
  model: string;
  /** Fields of every request, like `temperature`; those of a request win. */
  params?: JsonObject;
  /** What the endpoint is known to demand; the rest is learned from what it refuses. */
  demands?: Partial<Demands>;
  /** Real time, milliseconds. */
  realNow(): number;
}

/** Requests of one call, the first included: each of the others mends what was refused. */
const MOST_REQUESTS = 6;

/**
 * One OpenAI-compatible endpoint, one attempt. A request is sent again only when the endpoint said
 * what was wrong with it: a field that it does not take, or a history that is too long. Every
 * outcome is a value; the caller decides about retries.
 */
export function createChatClient(options: ChatClientOptions): ChatModel {
  const client = new OpenAI({
    ...{ baseURL: options.baseUrl, apiKey: options.apiKey, maxRetries: 0 },
    fetch: refusing(createLeanFetch()),
  });
  const endpoint: Endpoint = {
    ...{ client, options, mask: maskOf(options.apiKey) },
    demands: { ...USUAL, ...options.demands },
  };
  return {
    async chat(request) {
      if (!SENDABLE.test(options.apiKey)) return unsendable(options);
      const limit = openLimit(request);
      try {
        return await converse(endpoint, request, limit);
      } finally {
        limit.close();
      }
    },
  };
}

/** What a header may hold. */
const SENDABLE = /^[\t\x20-\x7e\x80-\xff]+$/;

/** As good as rejected, and nobody was asked: it says nothing of the endpoint. */
function unsendable(options: ChatClientOptions): ChatOutcome {
  const words = "the key has characters that no header can carry; set it anew";
  const journal = emptyJournal(options);
  const { fault: _, ...outcome } = failed("status", words, journal, { failure: "access_denied" });
  return outcome;
}

function emptyJournal({ provider, model }: ChatClientOptions): ModelJournal {
  return {
    ...{ provider, modelId: model, inputTokens: null, outputTokens: null },
    ...{ finishReason: null, latencyMs: 0 },
  };
}

interface Endpoint {
  client: OpenAI;
  options: ChatClientOptions;
  mask: KeyMask;
  /** Grows: what was learned once is not asked again. */
  demands: Demands;
}

/** What is asked for by now, after what was refused. */
interface Wish {
  request: ChatRequest;
  compactions: number;
  leftOut: number;
}

async function converse(
  endpoint: Endpoint,
  request: ChatRequest,
  limit: Limit,
): Promise<ChatOutcome> {
  const startedAt = endpoint.options.realNow();
  let wish: Wish = { request, compactions: 0, leftOut: 0 };
  for (let requests = 1; ; requests += 1) {
    const heeded = endpoint.demands; // others may learn meanwhile
    const outcome = await attempt(endpoint, wish.request, { limit, startedAt });
    if (outcome.kind === "answer")
      return wish.leftOut > 0 ? { ...outcome, leftOut: wish.leftOut } : outcome;
    const next = limit.signal.aborted ? null : mended(endpoint, wish, { outcome, heeded });
    if (!next || requests >= MOST_REQUESTS) return outcome;
    wish = next;
  }
}

async function attempt(
  { client, options, mask, demands }: Endpoint,
  request: ChatRequest,
  { limit, startedAt }: { limit: Limit; startedAt: number },
): Promise<ChatOutcome> {
  const journal = emptyJournal(options);
  const { provider, model } = options;
  try {
    const sent = client.post("/chat/completions", {
      body: requestBody(options, request, demands),
      timeout: Math.max(1, Math.ceil(request.timeoutMs)),
      signal: limit.signal,
    });
    return await readResponse(await sent.asResponse(), {
      ...{ journal, onDelta: request.onDelta, leave: limit.leave },
      asked: {
        toolNames: new Set(request.tools.map(({ name }) => name)),
        tokenCap: tokenCapOf(options, request),
        isData: request.responseSchema !== undefined,
        origin: { provider, model },
        mask,
        now: options.realNow(),
      },
    });
  } catch (error) {
    return thrownOutcome(error, { limit, journal, mask, now: options.realNow() });
  } finally {
    journal.latencyMs = Math.max(0, options.realNow() - startedAt);
  }
}

/** Statuses of servers that take no schema of the answer. */
const SCHEMA_REFUSALS: ReadonlySet<number> = new Set([400, 422, 501]);
/** How much of the older exchanges is kept, one time after the other. */
const SHARES = [0.5, 0];

/** The request as it may be taken; null: nothing that was said helps. */
function mended(
  endpoint: Endpoint,
  wish: Wish,
  { outcome, heeded }: { outcome: Extract<ChatOutcome, { kind: "failed" }>; heeded: Demands },
): Wish | null {
  const { request } = wish;
  const { status = 0, error, fault } = outcome;
  if (fault === "context_overflow") return compacted(wish);
  if (fault !== "status" && fault !== "error_body") return null;
  const learned = learn(heeded, { status, error });
  if (learned) {
    endpoint.demands = { ...endpoint.demands, ...learned };
    return wish;
  }
  if (!request.responseSchema || !SCHEMA_REFUSALS.has(status)) return null;
  const { responseSchema: _schema, ...plain } = request;
  return { ...wish, request: plain };
}

function compacted(wish: Wish): Wish | null {
  for (let at = wish.compactions; at < SHARES.length; at += 1) {
    const shorter = compactHistory(wish.request.messages, SHARES[at] ?? 0);
    if (!shorter) continue;
    const request = { ...wish.request, messages: shorter.messages };
    return { request, compactions: at + 1, leftOut: wish.leftOut + shorter.leftOut };
  }
  return null;
}
