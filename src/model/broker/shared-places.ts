import { messageOf } from "../../domain/errors.ts";
import type { Log } from "../../lib/log.ts";
import { type Db, withOwner } from "../../store/db.ts";
import { leavePlace, takePlace } from "../../store/model-state.ts";
import type { BrokerState, Place } from "./state.ts";

/** How long a model counts as full after others held all its places, real time. */
const FULL_ELSEWHERE_MS = 200;

/** Places of models with a cap are counted in the database, over all processes. */
export function createSharedPlaces(
  { db, log, realNow }: { db: Db; log: Log; realNow(): number },
  own: Pick<BrokerState, "look" | "take">,
): Pick<BrokerState, "look" | "take"> {
  const fullUntil = new Map<string, number>();

  async function placeOf(
    name: string,
    { most, leaseMs }: { most: number; leaseMs: number },
  ): Promise<Place> {
    const now = realNow();
    const wish = { llmName: name, most, now, until: now + leaseMs };
    const id = await withOwner(db, (tx) => takePlace(tx, wish));
    if (id === null) {
      fullUntil.set(name, now + FULL_ELSEWHERE_MS);
      return { kind: "full" };
    }
    return {
      kind: "taken",
      async leave() {
        await withOwner(db, (tx) => leavePlace(tx, id)).catch((error: unknown) =>
          log.warn({ error: messageOf(error) }, "a place at a model is free after its lease alone"),
        );
      },
    };
  }

  return {
    async look(endpoints, at) {
      const states = await own.look(endpoints, at);
      if (fullUntil.size === 0) return states;
      const now = realNow();
      const isFull = (name = "") => (fullUntil.get(name) ?? 0) > now;
      return states.map((one, n) => (isFull(endpoints[n]?.name) ? { ...one, isFull: true } : one));
    },
    async take(endpoint, at) {
      const { name, parallel } = endpoint;
      const here = await own.take(endpoint, at);
      if (here.kind !== "taken" || parallel === null) return here;
      let there: Place = { kind: "full" };
      try {
        there = await placeOf(name, { most: parallel, leaseMs: at.leaseMs });
      } finally {
        if (there.kind !== "taken") await here.leave();
      }
      if (there.kind !== "taken") return there;
      const { leave } = there;
      return {
        kind: "taken",
        async leave() {
          await leave();
          await here.leave();
        },
      };
    },
  };
}
