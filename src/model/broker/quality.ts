import { RATABLE_MS } from "../../domain/model-attempt.ts";
import { UnknownCallError, UnknownModelError } from "./errors.ts";
import type { AttemptRow } from "./journal.ts";
import type { BrokerParts } from "./parts.ts";

/** What a verdict is about: one call, the newest answer of a task, or a model at an operation. */
export type RatedThing =
  | { callId: string }
  | { traceId: string }
  | { llmName: string; operation: string };

/**
 * Takes a verdict from 0 to 1. The newest verdict of a call replaces the one before. Of a trace
 * only the newest call that succeeded is rated: keep call ids for the others. Throws RangeError,
 * UnknownCallError, UnknownModelError.
 */
export async function recordQuality(
  parts: BrokerParts,
  score: number,
  { thing, scope }: { thing: RatedThing; scope: string | null },
): Promise<void> {
  // NaN is in no range
  if (!(score >= 0 && score <= 1))
    throw new RangeError(`a score wants a number from 0 to 1, got ${score}`);
  const named = Object.keys(thing).sort().join("+");
  if (!["callId", "traceId", "llmName+operation"].includes(named))
    throw new TypeError("a rating wants exactly one of callId, traceId, llmName with operation");
  if ("llmName" in thing) {
    const { llmName, operation } = thing;
    if (!parts.pool().some(({ name }) => name === llmName)) throw new UnknownModelError(llmName);
    return parts.state.rate({ llmName, operation, score, previous: null });
  }
  const row = await ratedCall(parts, thing, scope);
  const { previous } = await parts.journal.setScore(row, score);
  const { llmName, operation } = row;
  await parts.state.rate({ llmName, operation, score, previous });
}

async function ratedCall(
  { journal, clock }: BrokerParts,
  thing: { callId: string } | { traceId: string },
  scope: string | null,
): Promise<AttemptRow> {
  const since = clock.now() - RATABLE_MS;
  const [row] = await journal.calls({ ...thing, scope, since, status: "ok", limit: 1 });
  if (row) return row;
  const [name, value] = Object.entries(thing)[0] ?? [];
  throw new UnknownCallError(
    `no answer of the last seven days with ${name} "${value}" can be rated here`,
  );
}
