import { MOST_VERDICTS } from "../../domain/model-attempt.ts";
import type { BrokerState, Cooling, EndpointRef, EndpointState, Rating, Verdict } from "./state.ts";

export interface Cooldown {
  until: number;
  setAt: number;
  /** In a row. */
  failures: number;
  cause: string;
  returns: boolean;
}

interface Memory {
  cooldowns: Map<string, Cooldown>;
  /** By model. */
  inFlight: Map<string, number>;
  /** By key that was cooling: one call at a time until one is answered. */
  trials: Map<string, number>;
  /** By operation, then by model. */
  ratings: Map<string, Map<string, Rating>>;
  overruns: Map<string, number>;
  waiting: Set<() => void>;
}

/** The state of this process alone. Each step is one: nothing waits within it. */
export interface MemoryState extends BrokerState {
  /** That runs, or is over and was not answered since. */
  cooldown(key: string): Cooldown | null;
  /** What is known elsewhere takes the place of cooldowns and ratings, except for the `kept` keys. */
  replace(known: KnownElsewhere, kept: ReadonlySet<string>): void;
}

export interface KnownElsewhere {
  cooldowns: readonly (Cooldown & { key: string })[];
  ratings: readonly (Rating & { llmName: string; operation: string })[];
}

export function createMemoryState(): MemoryState {
  const memory: Memory = {
    ...{ cooldowns: new Map(), inFlight: new Map(), trials: new Map(), ratings: new Map() },
    ...{ overruns: new Map(), waiting: new Set() },
  };
  return {
    async look(endpoints, { operation, now }) {
      return endpoints.map((endpoint) => stateOf(memory, endpoint, { operation, now }));
    },
    async take(endpoint, { now }) {
      if (runningOf(memory, endpoint, now)) return { kind: "cooling" };
      if (isFull(memory, endpoint)) return { kind: "full" };
      const trials = endpoint.cooldownKeys.filter((key) => memory.cooldowns.has(key));
      return { kind: "taken", leave: enter(memory, endpoint.name, trials) };
    },
    cool: async (key, cooling) => cool(memory, key, cooling),
    async succeeded(endpoint, now) {
      for (const key of endpoint.cooldownKeys)
        if ((memory.cooldowns.get(key)?.until ?? now + 1) <= now) memory.cooldowns.delete(key);
      memory.overruns.delete(endpoint.name);
      wake(memory);
    },
    async overran(name, budgetMs) {
      memory.overruns.set(name, Math.max(budgetMs, memory.overruns.get(name) ?? 0));
    },
    rate: async (verdict) => rate(memory, verdict),
    whenFreed: (signal) => whenFreed(memory, signal),
    cooldown: (key) => memory.cooldowns.get(key) ?? null,
    replace: (known, kept) => replace(memory, known, kept),
  };
}

function replace(memory: Memory, known: KnownElsewhere, kept: ReadonlySet<string>): void {
  const { cooldowns, ratings } = memory;
  for (const key of cooldowns.keys()) if (!kept.has(key)) cooldowns.delete(key);
  for (const { key, ...cooldown } of known.cooldowns)
    if (!kept.has(key)) cooldowns.set(key, cooldown);
  ratings.clear();
  for (const { llmName, operation, sum, count } of known.ratings) {
    const rated = ratings.get(operation) ?? new Map<string, Rating>();
    ratings.set(operation, rated.set(llmName, { sum, count }));
  }
  wake(memory);
}

function stateOf(
  memory: Memory,
  endpoint: EndpointRef,
  { operation, now }: { operation: string; now: number },
): EndpointState {
  const { cooldowns, ratings, inFlight, overruns } = memory;
  const running = runningOf(memory, endpoint, now);
  const all = endpoint.cooldownKeys.map((key) => cooldowns.get(key));
  return {
    coolingUntil: running?.until ?? null,
    cause: running?.cause ?? null,
    returns: all.every((one) => !one || one.returns || one.until <= now),
    isOnTrial: running === null && all.some((one) => one !== undefined),
    inFlight: inFlight.get(endpoint.name) ?? 0,
    isFull: isFull(memory, endpoint),
    rating: ratings.get(operation)?.get(endpoint.name) ?? UNRATED,
    overranMs: overruns.get(endpoint.name) ?? null,
  };
}

const UNRATED: Readonly<Rating> = { sum: 0, count: 0 };

/** The cooldown that ends last of those that run. */
function runningOf({ cooldowns }: Memory, endpoint: EndpointRef, now: number): Cooldown | null {
  return endpoint.cooldownKeys.reduce<Cooldown | null>((latest, key) => {
    const cooldown = cooldowns.get(key);
    if (!cooldown || cooldown.until <= now) return latest;
    return latest && latest.until >= cooldown.until ? latest : cooldown;
  }, null);
}

/** Calls with another key say nothing of one that is tried again. */
function isFull({ cooldowns, inFlight, trials }: Memory, endpoint: EndpointRef): boolean {
  const most = endpoint.parallel ?? Number.POSITIVE_INFINITY;
  if ((inFlight.get(endpoint.name) ?? 0) >= most) return true;
  return endpoint.cooldownKeys.some((key) => cooldowns.has(key) && (trials.get(key) ?? 0) > 0);
}

function cool({ cooldowns }: Memory, key: string, cooling: Cooling): number {
  const { now, startedAt, baseMs, mostMs, leastMs, cause, returns } = cooling;
  const before = cooldowns.get(key);
  const isSame = before !== undefined && startedAt <= before.setAt;
  const failures = (before?.failures ?? 0) + (isSame ? 0 : 1);
  const pauseMs = Math.max(leastMs, Math.min(mostMs, baseMs * 2 ** Math.min(failures - 1, 30)));
  const until = Math.max(before?.until ?? 0, now + pauseMs);
  if (cooldowns.size >= MANY_COOLDOWNS) forgetOld(cooldowns, now);
  cooldowns.set(key, { until, setAt: now, failures, cause, returns });
  return until;
}

const MANY_COOLDOWNS = 1_000;
const FORGOTTEN_MS = 86_400_000;

/** Of keys that are long gone. */
function forgetOld(cooldowns: Map<string, Cooldown>, now: number): void {
  for (const [key, { until }] of cooldowns) if (until < now - FORGOTTEN_MS) cooldowns.delete(key);
}

/** Answers how to leave; twice is once. */
function enter(memory: Memory, name: string, trials: readonly string[]): () => Promise<void> {
  count(memory.inFlight, name, 1);
  for (const key of trials) count(memory.trials, key, 1);
  let isThere = true;
  return async () => {
    if (!isThere) return;
    isThere = false;
    count(memory.inFlight, name, -1);
    for (const key of trials) count(memory.trials, key, -1);
    wake(memory);
  };
}

function count(counts: Map<string, number>, name: string, change: 1 | -1): void {
  const next = (counts.get(name) ?? 0) + change;
  if (next === 0) counts.delete(name);
  else counts.set(name, next);
}

function rate({ ratings }: Memory, { llmName, operation, score, previous }: Verdict): void {
  const rated = ratings.get(operation) ?? new Map<string, Rating>();
  ratings.set(operation, rated);
  const { sum, count: verdicts } = rated.get(llmName) ?? UNRATED;
  // what it would replace may be of a time before this process
  const replaced = verdicts >= 1 ? previous : null;
  const change = (score === null ? 0 : 1) - (replaced === null ? 0 : 1);
  const next = Math.max(0, verdicts + change);
  const shrink = Math.min(1, MOST_VERDICTS / Math.max(1, next));
  const total = Math.min(next, Math.max(0, sum + (score ?? 0) - (replaced ?? 0)));
  rated.set(llmName, { sum: total * shrink, count: next * shrink });
}

function wake({ waiting }: Memory): void {
  const all = [...waiting];
  waiting.clear();
  for (const one of all) one();
}

function whenFreed({ waiting }: Memory, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      waiting.delete(done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    waiting.add(done);
    signal.addEventListener("abort", done, { once: true });
  });
}
