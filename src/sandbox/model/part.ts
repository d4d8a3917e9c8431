import { randomBytes } from "node:crypto";
import { type Context, Hono } from "hono";
import { z } from "zod";
import { playFaults } from "../faults.ts";
import type { World, WorldPart } from "../world.ts";
import {
  completion,
  completionEvents,
  MODEL_NAME,
  type ModelAnswer,
  serverSentEvents,
  statusError,
} from "./completion.ts";
import { base64Floats, EMBEDDING_MODEL, hashedVector } from "./embedding.ts";
import { answerByRules } from "./rules.ts";
import { createScript, type Script, type ScriptStep, stepsSchema } from "./script.ts";
import { type ChatRequest, invalidRequest, parseChatRequest } from "./wire.ts";

const KEPT_REQUESTS = 500;

interface SeenRequest {
  at: number;
  body: unknown;
  scripted: boolean;
}

/**
 * Plays an endpoint for Chat Completions and embeddings. Its built-in model `sandbox-rules` is a
 * stand-in that plans by rules from what a request carries; scripted steps go before it.
 */
export function createModelPart(world: World): WorldPart {
  const script = createScript();
  const seen: SeenRequest[] = [];
  return {
    name: "model",
    apply(event) {
      script.apply(event);
      if (event.kind === "world.reset") seen.length = 0;
    },
    routes: endpoint(world, script, (request) => {
      seen.push(request);
      if (seen.length > KEPT_REQUESTS) seen.shift();
    }),
    control: control(world, script, seen),
    waiting: () => [],
    env: (origin) => ({
      OPENAI_BASE_URL: `${origin}/sandbox/model/v1`,
      OPENAI_API_KEY: "sandbox-model-key",
      OPENAI_MODEL: MODEL_NAME,
      OPENAI_EMBEDDING_MODEL: EMBEDDING_MODEL,
    }),
  };
}

function control(world: World, script: Script, seen: SeenRequest[]): Hono {
  const routes = new Hono();
  routes.post("/script", async (c) => {
    const steps = stepsSchema.safeParse(await readJson(c));
    if (!steps.success)
      return c.json({ error: { code: "invalid", message: z.prettifyError(steps.error) } }, 400);
    if (steps.data.length === 0) world.journal.append("model.script_cleared", {});
    else world.journal.append("model.scripted", steps.data);
    return c.json({ steps: script.length });
  });
  routes.get("/requests", (c) => c.json(seen));
  return routes;
}

function endpoint(world: World, script: Script, note: (request: SeenRequest) => void): Hono {
  const routes = new Hono();
  routes.use(playFaults({ faults: world.faults, service: "model", errorBody: statusError }));
  routes.use(async (c, next) => {
    if (/^Bearer \S+/.test(c.req.header("Authorization") ?? "")) return next();
    return c.json(statusError(401), 401);
  });
  routes.get("/v1/models", (c) => {
    const models = [MODEL_NAME, EMBEDDING_MODEL].map((id) => ({
      id,
      object: "model",
      created: 0,
      owned_by: "sandbox",
    }));
    return c.json({ object: "list", data: models });
  });
  routes.post("/v1/embeddings", embed);
  routes.post("/v1/chat/completions", async (c) => {
    const body = await readJson(c);
    const parsed = parseChatRequest(body);
    const taken = "request" in parsed ? script.find(parsed.request) : undefined;
    note({ at: world.clock.now(), body, scripted: taken !== undefined });
    if ("refusal" in parsed) return c.json(parsed.refusal, 400);
    if (!taken) return send(c, world, parsed.request, answerByRules(parsed.request));
    world.journal.append("model.step_taken", { position: taken.position });
    return playStep(c, world, parsed.request, taken.step);
  });
  return routes;
}

const embeddingSchema = z.looseObject({
  model: z.string(),
  input: z.union([z.string(), z.array(z.string()).min(1)]),
  encoding_format: z.enum(["float", "base64"]).default("float"),
  dimensions: z.int().min(1).max(4096).optional(),
});

async function embed(c: Context): Promise<Response> {
  const parsed = embeddingSchema.safeParse(await readJson(c));
  if (!parsed.success) return c.json(invalidRequest(z.prettifyError(parsed.error), "input"), 400);
  const { input, encoding_format, dimensions } = parsed.data;
  const data = [input].flat().map((text, index) => {
    const vector = hashedVector(text, dimensions);
    const embedding = encoding_format === "base64" ? base64Floats(vector) : vector;
    return { object: "embedding", index, embedding };
  });
  const tokens = Math.ceil([input].flat().join("").length / 4);
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  return c.json({ object: "list", data, model: EMBEDDING_MODEL, usage });
}

async function playStep(
  c: Context,
  world: World,
  request: ChatRequest,
  step: ScriptStep,
): Promise<Response> {
  if (step.delay_ms) await delay(step.delay_ms, c.req.raw.signal);
  const status = step.status ?? 200;
  if (step.raw !== undefined) return sendRaw(c, step.raw, status);
  if (status >= 400) return c.json(statusError(status), status as 400); // any status is allowed here
  return send(c, world, request, stepAnswer(step));
}

function stepAnswer(step: ScriptStep): ModelAnswer {
  const calls = step.tool_calls?.map((call) => ({ name: call.name, arguments: call.arguments }));
  return { content: step.content, calls };
}

function sendRaw(c: Context, raw: unknown, status: number): Response {
  const isStream = Array.isArray(raw) || (typeof raw === "string" && raw.startsWith("data:"));
  const body = Array.isArray(raw) ? serverSentEvents(raw) : raw;
  return c.newResponse(typeof body === "string" ? body : JSON.stringify(body), status as 200, {
    "Content-Type": isStream ? "text/event-stream" : "application/json",
  });
}

function send(c: Context, world: World, request: ChatRequest, answer: ModelAnswer): Response {
  const frame = {
    id: `chatcmpl-${randomBytes(9).toString("hex")}`,
    createdAt: world.clock.now(),
    promptCharacters: JSON.stringify(request.messages).length,
  };
  if (!request.stream) return c.json(completion(answer, frame));
  const events = completionEvents(answer, frame, request.stream_options?.include_usage ?? false);
  return c.newResponse(events, 200, { "Content-Type": "text/event-stream; charset=utf-8" });
}

function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

async function readJson(c: Context): Promise<unknown> {
  try {
    return await c.req.json();
  } catch {
    return undefined;
  }
}
