/** Verdicts so far. */
export interface Rating {
  sum: number;
  count: number;
}

/** A model as the state knows it. */
export interface EndpointRef {
  name: string;
  /** It cools while one of these does. */
  cooldownKeys: readonly string[];
  parallel: number | null;
}

export interface EndpointState {
  /** Real time, milliseconds; null: it does not cool. */
  coolingUntil: number | null;
  /** Why it cools, in words for people. */
  cause: string | null;
  /** Waiting helps; false: somebody has to mend a key or an account first. */
  returns: boolean;
  /** Its pause is over, and it has not answered since. */
  isOnTrial: boolean;
  inFlight: number;
  /** No place is left. One that failed last is asked by one call at a time until it answers. */
  isFull: boolean;
  rating: Rating;
  /** The longest time that it was given and overran since its last success; null: none. */
  overranMs: number | null;
}

/** How a key begins to cool. */
export interface Cooling {
  cause: string;
  now: number;
  /** When the failed attempt began. */
  startedAt: number;
  /** The first pause; it doubles with each failure in a row up to `mostMs`. */
  baseMs: number;
  mostMs: number;
  /** What the endpoint itself asked for. */
  leastMs: number;
  /** It comes back by itself. */
  returns: boolean;
}

export type Place = { kind: "taken"; leave(): Promise<void> } | { kind: "cooling" | "full" };

/**
 * What is known of the models besides their configuration: cooldowns, calls in flight, ratings.
 * Brokers of several processes may share one. All times are real and come from the caller.
 */
export interface BrokerState {
  /** One look at all of them, in their order; it may be old by the time it is used. */
  look(
    endpoints: readonly EndpointRef[],
    at: { operation: string; now: number },
  ): Promise<EndpointState[]>;
  /**
   * Takes a place. Must be atomic: that none of the keys cools, that a place is free, and the
   * taking are one step; else a cooling endpoint is called, or more often at once than allowed.
   * A place of a process that was lost is free again after `leaseMs`. `leave` twice is once.
   */
  take(endpoint: EndpointRef, at: { now: number; leaseMs: number }): Promise<Place>;
  /**
   * Starts or prolongs a cooldown and gives its end. Must be atomic: the later end wins, and a
   * failure that began before the last cooldown was set is the same incident, not one more.
   */
  cool(key: string, cooling: Cooling): Promise<number>;
  /** Ends rows of failures; a cooldown that still runs stays: it is of another, newer attempt. */
  succeeded(endpoint: EndpointRef, now: number): Promise<void>;
  overran(name: string, budgetMs: number): Promise<void>;
  /**
   * Adds a verdict, or replaces `previous`. Must be atomic: an addition to sum and count in one
   * step. From `MOST_VERDICTS` on both shrink, so that newer verdicts count more.
   */
  rate(verdict: Verdict): Promise<void>;
  /** Resolves when a place may have become free, or at the abort; a hint that may be missed. */
  whenFreed(signal: AbortSignal): Promise<void>;
}

export interface Verdict {
  llmName: string;
  operation: string;
  /** null: it is taken back. */
  score: number | null;
  previous: number | null;
}
