import { type Finding, isWell, note, problem } from "../bot/finding.ts";
import { plainLine } from "../bot/plain-line.ts";
import type { ChatOutcome } from "../domain/chat-model.ts";
import { asKey } from "../model/broker/keys.ts";
import type { ModelPool } from "../model/broker/model-pool.ts";
import type { ModelEntry } from "../model/broker/models-file.ts";
import { createChatClient } from "../model/chat-client.ts";
import { masking, maskOf, NO_KEY } from "../model/key-mask.ts";
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
  const apiKey = apiKeyRef === null ? NO_KEY : asKey(keyNamed(apiKeyRef));
  if (apiKey === null)
    return [note(`${model}: ${apiKeyRef} is not in the environment`, secretStep(apiKeyRef))];
  const client = createChatClient({
    provider: "doctor",
    ...{ baseUrl, apiKey, model, params },
    realNow: Date.now,
  });
  const outcome = await masking(client, maskOf(apiKey)).chat({
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
  const step = modelStep(outcome, apiKeyRef);
  return [problem(`${name}: ${plainLine(outcome.error, 200)}`, step)];
}

function secretStep(ref: string | null): string {
  return `set it, or a secret ${ref} of each tenant`;
}

type Failed = Extract<ChatOutcome, { kind: "failed" }>;

/** Where the model's settings stand: MODELS_FILE names its key, OPENAI_* has all of it. */
function modelStep({ error, fault, failure }: Failed, ref: string | null): string {
  const isOfFile = ref !== "OPENAI_API_KEY";
  const named = (inFile: string, alone: string) => (isOfFile ? `${inFile} in MODELS_FILE` : alone);
  if (fault === "refused") return "its own filter refuses even this request; ask another model";
  if (failure === "access_denied" || /^40[13]\b/.test(error))
    return `check ${ref ?? "api_key_ref"}`;
  if (/^429\b/.test(error)) return "wait, or look at the account's limits and quota";
  if (/^404\b/.test(error))
    return `check ${named("model and base_url", "OPENAI_MODEL and OPENAI_BASE_URL")}`;
  if (fault === "empty")
    return `it answered with neither words nor calls; check that ${named("model", "OPENAI_MODEL")} is a chat model`;
  return `check ${named("base_url", "OPENAI_BASE_URL")} and the network`;
}
