import { examineConfig } from "../config.ts";
import { StartError } from "../domain/errors.ts";
import { hasKey, type ModelPool, poolOfOne } from "../model/broker/model-pool.ts";

const OF_MODELS = /^(OPENAI_(BASE_URL|API_KEY)|MODELS_FILE)\b.*: /;

/**
 * What `--model NAME` means: the model of that name in MODELS_FILE, or another model at the endpoint
 * of OPENAI_BASE_URL. Throws StartError when that cannot be asked.
 */
export function modelNamed(name: string): ModelPool {
  const { config, problems } = examineConfig();
  const bad = problems.find((problem) => OF_MODELS.test(problem) && !isOfTheBot(problem));
  if (bad) throw new StartError(bad);
  const pool = poolOfOne(config.outside(null).models, name);
  if (hasKey(pool, new Set())) return pool;
  const ref = pool.entries[0]?.apiKeyRef ?? "OPENAI_API_KEY";
  throw new StartError(`--model: ${name} wants ${ref}, a key of its endpoint; it is missing`);
}

/** The bot cannot start without a key; a command says itself what it wants. */
function isOfTheBot(problem: string): boolean {
  return problem.startsWith("OPENAI_API_KEY: is missing");
}
