/** The only source of the present in decisions. Milliseconds since the epoch. */
export interface Clock {
  now(): number;
}

/** A clock that can be moved forward: the sandbox plays time with it, tests too. */
export interface ShiftableClock extends Clock {
  readonly offsetMs: number;
  setOffset(offsetMs: number): void;
}

/**
 * Product time. Only the sandbox moves it; leases and time limits go by `realNow` and stay real.
 */
export function createClock(realNow: () => number = Date.now): ShiftableClock {
  let offsetMs = 0;
  return {
    now: () => realNow() + offsetMs,
    get offsetMs() {
      return offsetMs;
    },
    setOffset(next) {
      offsetMs = next;
    },
  };
}
