import { newId } from "../../domain/ids.ts";
import type { AskedModel } from "../../domain/model-attempt.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import { asChatModel } from "./as-chat-model.ts";
import { createBroker } from "./broker.ts";
import type { KeyResolver } from "./keys.ts";
import { createMemoryJournal } from "./memory-journal.ts";
import { createMemoryState } from "./memory-state.ts";
import type { ModelEntry } from "./models-file.ts";
import { realSleep } from "./stand-in-line.ts";

/**
 * Models of its own, apart from those of the product: what one of them does says nothing to the
 * others. `scope`: whose keys go before the shared ones.
 */
export function ownPool(
  { entries, keys, scope }: { entries: readonly ModelEntry[]; keys: KeyResolver; scope?: string },
  { log, clock }: { log: Log; clock: Clock },
): AskedModel {
  const broker = createBroker({
    ...{ pool: () => entries, keys, log, clock, newId, sleep: realSleep },
    ...{ state: createMemoryState(), journal: createMemoryJournal() },
    ...{ realNow: Date.now, random: Math.random },
  });
  return asChatModel(scope === undefined ? broker : broker.forScope(scope), { realNow: Date.now });
}
