import { messageOf } from "../../domain/errors.ts";
import { MOST_VERDICTS } from "../../domain/model-attempt.ts";
import type { Log } from "../../lib/log.ts";
import { type Db, type Tx, withOwner } from "../../store/db.ts";
import {
  allCooldowns,
  allRatings,
  changeRating,
  dropAllCooldowns,
  dropCooldown,
  keepCooldown,
} from "../../store/model-state.ts";
import { createMemoryState, type MemoryState } from "./memory-state.ts";
import { createSharedPlaces } from "./shared-places.ts";
import type { BrokerState, Cooling, EndpointRef } from "./state.ts";

/** What brokers of all processes on a database know. */
export interface StoredState extends BrokerState {
  /** What others have written meanwhile. */
  reload(): Promise<void>;
  /** Ends all cooldowns: somebody has mended a key or an account. */
  forgive(): Promise<void>;
}

export interface StoredStateDeps {
  db: Db;
  log: Log;
  /** Other processes work on the database: places of models with a cap are counted there. */
  isShared: boolean;
  /** Real time: places are left by then at the latest. */
  realNow(): number;
  /** Tells the others to look again. */
  tell(): void;
}

/**
 * Read from memory, so that a call costs no query; what changes is written through, and the others
 * are told. How long a model overran is known to this process alone.
 */
export function createStoredState(deps: StoredStateDeps): StoredState {
  const memory = createMemoryState();
  const places = deps.isShared ? createSharedPlaces(deps, memory) : memory;
  const cooldowns = createKeptCooldowns(deps, memory);

  async function reload(): Promise<void> {
    const [known, ratings] = await withOwner(deps.db, (tx) =>
      Promise.all([allCooldowns(tx), allRatings(tx)]),
    );
    memory.replace({ cooldowns: known, ratings }, cooldowns.unwritten());
  }

  return {
    look: (endpoints, at) => places.look(endpoints, at),
    take: (endpoint, at) => places.take(endpoint, at),
    cool: (key, cooling) => cooldowns.cool(key, cooling),
    succeeded: (endpoint, now) => cooldowns.end(endpoint, now),
    overran: (name, budgetMs) => memory.overran(name, budgetMs),
    async rate(verdict) {
      await withOwner(deps.db, (tx) => changeRating(tx, verdict, MOST_VERDICTS));
      deps.tell();
      await reload();
    },
    whenFreed: (signal) => memory.whenFreed(signal),
    reload,
    async forgive() {
      await withOwner(deps.db, dropAllCooldowns);
      deps.tell();
      await reload();
    },
  };
}

/** Cooldowns of the memory, written through. What cannot be written costs nobody an answer. */
function createKeptCooldowns(deps: StoredStateDeps, memory: MemoryState) {
  /** How many writes of a key are under way: the memory knows better until they are over. */
  const writing = new Map<string, number>();

  async function write(what: string, work: (tx: Tx) => Promise<unknown>): Promise<void> {
    try {
      await withOwner(deps.db, work);
      deps.tell();
    } catch (error) {
      deps.log.warn({ error: messageOf(error) }, `${what} of a model could not be stored`);
    }
  }

  function count(key: string, change: 1 | -1): void {
    const left = (writing.get(key) ?? 0) + change;
    if (left === 0) writing.delete(key);
    else writing.set(key, left);
  }

  return {
    unwritten: () => new Set(writing.keys()),
    async cool(key: string, cooling: Cooling): Promise<number> {
      const until = await memory.cool(key, cooling);
      const cooldown = memory.cooldown(key);
      if (!cooldown) return until;
      count(key, 1);
      await write("a cooldown", (tx) => keepCooldown(tx, { key, ...cooldown }));
      count(key, -1);
      return until;
    },
    async end(endpoint: EndpointRef, now: number): Promise<void> {
      const over = endpoint.cooldownKeys.filter((key) => memory.cooldown(key) !== null);
      await memory.succeeded(endpoint, now);
      const ended = over.filter((key) => memory.cooldown(key) === null);
      if (ended.length === 0) return;
      await write("the end of a cooldown", async (tx) => {
        for (const key of ended) await dropCooldown(tx, key, now);
      });
    },
  };
}

/**
 * The same with times of the caller's clock turned into those of another one, `aheadMs` ahead: pauses
 * of models go by the product's clock, as the runs do that wait for them.
 */
export function shiftedState(state: BrokerState, aheadMs: () => number): BrokerState {
  return {
    async look(endpoints, { now, ...at }) {
      const ahead = aheadMs();
      const states = await state.look(endpoints, { ...at, now: now + ahead });
      if (ahead === 0) return states;
      return states.map((one) =>
        one.coolingUntil === null ? one : { ...one, coolingUntil: one.coolingUntil - ahead },
      );
    },
    take: (endpoint, { now, ...at }) => state.take(endpoint, { ...at, now: now + aheadMs() }),
    async cool(key, { now, startedAt, ...cooling }) {
      const ahead = aheadMs();
      const shifted = { ...cooling, now: now + ahead, startedAt: startedAt + ahead };
      return (await state.cool(key, shifted)) - ahead;
    },
    succeeded: (endpoint, now) => state.succeeded(endpoint, now + aheadMs()),
    overran: (name, budgetMs) => state.overran(name, budgetMs),
    rate: (verdict) => state.rate(verdict),
    whenFreed: (signal) => state.whenFreed(signal),
  };
}
