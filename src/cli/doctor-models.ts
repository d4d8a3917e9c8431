import { type Finding, isWell, note, problem } from "../bot/finding.ts";
import { plainLine } from "../bot/plain-line.ts";
import type { ModelPool } from "../model/broker/model-pool.ts";
import type { ModelEntry } from "../model/broker/models-file.ts";
import { createChatClient } from "../model/chat-client.ts";
import type { Check } from "./doctor-check.ts";

/** The check's own limit comes first; this one only keeps the client from waiting for ever. */
const CALL_LIMIT_MS = 60_000;

/** One for each model of the pool that is switched on. */
export function modelChecks({ entries, file, keyNamed }: ModelPool, limitMs: number): Check[] {
  return entries
    .filter(({ enabled }) => enabled)
    .map((entry) => ({
      name: file === null ? "model" : `model ${entry.name}`,
      limitMs,
      look: (signal) => lookAtModel(entry, keyNamed, signal),
    }));
}

/** One request that is as small as can be, with the key of the environment. */
async function lookAtModel(
  { baseUrl, apiKeyRef, model, params }: ModelEntry,
  keyNamed: ModelPool["keyNamed"],
  signal: AbortSignal,
): Promise<Finding[]> {
  const apiKey = apiKeyRef === null ? "none" : keyNamed(apiKeyRef);
  if (apiKey === null)
    return [note(`${model}: ${apiKeyRef} is not in the environment`, secretStep(apiKeyRef))];
  const client = createChatClient({
    provider: "doctor",
    ...{ baseUrl, apiKey, model, params },
    realNow: Date.now,
  });
  const outcome = await client.chat({
    messages: [{ role: "user", content: "Answer with the word: ready" }],
    ...{ tools: [], operation: "doctor", timeoutMs: CALL_LIMIT_MS, signal },
  });
  const name = `${model} at ${new URL(baseUrl).host}`;
  if (outcome.kind === "answer")
    return [
      isWell(
        `${name} answered "${plainLine(outcome.text, 40)}" in ${outcome.journal.latencyMs} ms`,
      ),
    ];
  const step = modelStep(outcome.error, apiKeyRef);
  return [problem(`${name}: ${plainLine(outcome.error, 200)}`, step)];
}

function secretStep(ref: string | null): string {
  return `set it, or a secret ${ref} of each tenant`;
}

/** Where the model's settings stand: MODELS_FILE names its key, OPENAI_* has all of it. */
function modelStep(error: string, ref: string | null): string {
  const isOfFile = ref !== "OPENAI_API_KEY";
  if (/^40[13]\b/.test(error)) return `check ${ref ?? "api_key_ref"}`;
  if (/^429\b/.test(error)) return "wait, or look at the account's limits and quota";
  const what = /^404\b/.test(error)
    ? ["model and base_url", "OPENAI_MODEL and OPENAI_BASE_URL"]
    : ["base_url", "OPENAI_BASE_URL"];
  const rest = /^404\b/.test(error) ? "" : " and the network";
  return `check ${isOfFile ? `${what[0]} in MODELS_FILE` : what[1]}${rest}`;
}
