import { createEvalsChild } from "./cli/evals-child.ts";
import { UserError } from "./domain/errors.ts";
import type { HandedModels } from "./model/broker/model-pool.ts";
import { isPlayed } from "./played-address.ts";
import type { ProductBase } from "./product-base.ts";
import type { ProductModels } from "./product-models.ts";
import type { ShadowEvals } from "./quality/coach/deps.ts";
import { compareOutcomes } from "./quality/evals/compare.ts";
import { createEvalsRunner, type EvalsRunner } from "./quality/evals/runner.ts";

export interface ProductEvals {
  runner: EvalsRunner;
  shadow: ShadowEvals;
  /** Ends the process under way; why there are no results is recorded. */
  stop(): Promise<void>;
}

/** Evals run beside the bot, on the model that it asks itself, unless another is named. */
export function createProductEvals(
  base: ProductBase,
  bootId: string,
  models: Pick<ProductModels, "handed">,
): ProductEvals {
  const { log, clock, database } = base;
  const child = createEvalsChild();
  const runner = createEvalsRunner({
    ...{ db: database.db, clock, log, bootId },
    async play({ tenantId, model: name }, snapshot) {
      const handed = await models.handed({ tenantId, name });
      const isAllPlayed = handed.entries.every(({ baseUrl }) => isPlayed(baseUrl));
      if (isAllPlayed && name === null) return child.play(snapshot, null);
      refuseUnasked(handed, { name, isAllPlayed });
      return child.play(snapshot, handed);
    },
  });
  return {
    runner,
    async shadow({ tenantId, before, after }) {
      const earlier = await runner.trial(tenantId, { style: before ?? undefined });
      const later = await runner.trial(tenantId, { style: after });
      const { broken, fixed } = compareOutcomes(earlier.results, later.results);
      return {
        ...{ modelId: later.model_id, at: clock.now(), total: later.total },
        ...{ passedBefore: earlier.passed, passedAfter: later.passed, mended: fixed },
        broken: broken.map(({ case_name }) => case_name),
      };
    },
    async stop() {
      child.stop();
      await runner.settled();
    },
  };
}

/** Else every scenario would fail for the same reason. Throws UserError. */
function refuseUnasked(
  { entries, keys }: HandedModels,
  { name, isAllPlayed }: { name: string | null; isAllPlayed: boolean },
): void {
  const isKeyThere = entries.some(({ apiKeyRef }) => apiKeyRef === null || apiKeyRef in keys);
  if (isKeyThere && !isAllPlayed) return;
  const ref = isAllPlayed ? "OPENAI_API_KEY" : (entries[0]?.apiKeyRef ?? "OPENAI_API_KEY");
  const which = name === null ? "the models" : `the model ${name}`;
  throw new UserError(
    "unprocessable",
    `${ref}: is missing, wants a key of the endpoint of ${which}; set it, or a model in MODELS_FILE`,
  );
}
