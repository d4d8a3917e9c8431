import { createEvalsChild } from "./cli/evals-child.ts";
import type { Outside } from "./config.ts";
import { isPlayed } from "./played-address.ts";
import type { ProductBase } from "./product-base.ts";
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
  outside: Outside,
): ProductEvals {
  const { log, clock, database } = base;
  const child = createEvalsChild();
  const own = outside.models.entries.find(({ enabled }) => enabled);
  const ownModel = own && !isPlayed(own.baseUrl) ? own.name : null;
  const runner = createEvalsRunner({
    ...{ db: database.db, clock, log, bootId },
    play: (snapshot, model) => child.play(snapshot, model ?? ownModel),
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
