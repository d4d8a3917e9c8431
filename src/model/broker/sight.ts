import type { POOL_LEVELS } from "../../domain/model-desk.ts";
import type { BrokerParts } from "./parts.ts";
import type { Member, Roster } from "./roster.ts";
import type { EndpointState } from "./state.ts";

/** How the members of a roster stand, seen at once. */
export interface Sight {
  now: number;
  roster: Roster;
  stateOf(member: Member): EndpointState;
}

export async function lookAround(
  parts: BrokerParts,
  roster: Roster,
  operation: string,
): Promise<Sight> {
  const now = parts.realNow();
  const states = await parts.state.look(roster.members, { operation, now });
  const byName = new Map(roster.members.map(({ name }, at) => [name, states[at]]));
  return { now, roster, stateOf: ({ name }) => byName.get(name) ?? UNKNOWN };
}

const UNKNOWN: EndpointState = {
  ...{ coolingUntil: null, cause: null, returns: true, isOnTrial: false },
  ...{ inFlight: 0, isFull: false },
  ...{ rating: { sum: 0, count: 0 }, overranMs: null },
};

/** Real time at which the first of them comes back by itself; null: none does. */
export function firstReturn(members: readonly Member[], sight: Sight): number | null {
  const ends = members.flatMap((member) => {
    const { coolingUntil, returns } = sight.stateOf(member);
    return coolingUntil !== null && returns ? [coolingUntil] : [];
  });
  return ends.length > 0 ? Math.min(...ends) : null;
}

export type PoolLevel = (typeof POOL_LEVELS)[number];

export interface PoolHealth {
  level: PoolLevel;
  /** The level without those whose pause is over and who have not answered since. */
  provenLevel: PoolLevel;
  /** A provider is a key, or a server without keys: models that stand and fall together. */
  providersUsable: number;
  providersTotal: number;
}

/** What a pool that is well has at least, where so many are configured. */
export const ENOUGH_PROVIDERS = 2;

/** Every model that is switched on can be asked, and none failed last. */
export function isAllWell({ roster, stateOf }: Sight): boolean {
  const { members, entries } = roster;
  const on = entries.reduce((count, { enabled }) => count + (enabled ? 1 : 0), 0);
  if (members.length !== on || on === 0) return false;
  return members.every((member) => {
    const { coolingUntil, isOnTrial } = stateOf(member);
    return coolingUntil === null && !isOnTrial;
  });
}

export function healthOf(sight: Sight): PoolHealth {
  const { members, entries } = sight.roster;
  const usable = members.filter((member) => sight.stateOf(member).coolingUntil === null);
  const proven = usable.filter((member) => !sight.stateOf(member).isOnTrial);
  const providersTotal = new Set(
    entries.filter(({ enabled }) => enabled).map(({ apiKeyRef, baseUrl }) => apiKeyRef ?? baseUrl),
  ).size;
  const comesBack = members.some((member) => sight.stateOf(member).returns);
  const level = (count: number) => levelOf({ count, providersTotal, comesBack });
  const providersUsable = countProviders(usable);
  const provenLevel = level(countProviders(proven));
  return { level: level(providersUsable), provenLevel, providersUsable, providersTotal };
}

function countProviders(members: readonly Member[]): number {
  return new Set(members.map(({ provider }) => provider)).size;
}

function levelOf(pool: { count: number; providersTotal: number; comesBack: boolean }): PoolLevel {
  if (pool.count >= Math.min(ENOUGH_PROVIDERS, pool.providersTotal) && pool.count > 0)
    return "full";
  if (pool.count > 0) return "degraded";
  return pool.comesBack ? "all_cooling" : "none";
}
