import type { BrokerSnapshot } from "../../domain/model-desk.ts";
import { ratingValue } from "./choose.ts";
import type { BrokerParts } from "./parts.ts";
import { rosterOf } from "./roster.ts";
import { ENOUGH_PROVIDERS, healthOf, lookAround } from "./sight.ts";

export async function snapshotOf(
  parts: BrokerParts,
  { scope, operation }: { scope: string | null; operation: string },
): Promise<BrokerSnapshot> {
  const roster = await rosterOf(parts, scope);
  const sight = await lookAround(parts, roster, operation);
  const { providersUsable, providersTotal } = healthOf(sight);
  const members = new Map(roster.members.map((member) => [member.name, member]));
  const missing = roster.entries.filter(({ enabled, name }) => enabled && !members.has(name));
  const refs = [...new Set(missing.flatMap(({ apiKeyRef }) => apiKeyRef ?? []))];
  return {
    ...{ providersUsable, providersTotal, degraded: providersUsable < ENOUGH_PROVIDERS },
    missingKeys: refs.map((ref) => ({ ref, help: helpFor(ref, scope) })),
    models: roster.entries.map(({ name, model, enabled }) => {
      const member = members.get(name);
      const state = member ? sight.stateOf(member) : null;
      const rating = state?.rating ?? { sum: 0, count: 0 };
      return {
        ...{ llmName: name, model, enabled, hasKey: member !== undefined },
        ...{ cooldownUntil: state?.coolingUntil ?? null, cause: state?.cause ?? null },
        ...{ inFlight: state?.inFlight ?? 0, rating: ratingValue(rating), verdicts: rating.count },
      };
    }),
  };
}

function helpFor(ref: string, scope: string | null): string {
  const own = scope === null ? "" : `, or the secret ${scope}/${ref} for this one alone`;
  return `set the environment variable or the secret ${ref}${own}`;
}
