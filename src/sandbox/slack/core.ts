import type { WorldEvent } from "../journal.ts";
import type { World } from "../world.ts";
import type { SlackFact, SlackFacts } from "./facts.ts";
import { fold } from "./fold.ts";
import { ORIGIN } from "./payloads.ts";
import { createState } from "./seed.ts";
import { type Stamp, triggerIdOf } from "./stamp.ts";
import type { SlackState } from "./state.ts";

/** What every file of this service works on. */
export interface SlackCore {
  world: World;
  readonly state: SlackState;
  apply(event: WorldEvent): void;
  /** Writes to the journal; the state holds the change when it returns. */
  record<K extends SlackFact>(kind: K, data: SlackFacts[K]): Stamp;
  /** Called after the state took an event in. Returns the way to stop listening. */
  onChange(listener: (event: WorldEvent) => void): () => void;
  /** Starts the three seconds of the trigger made by the journal event. */
  issueTrigger(seq: number): string;
  isTriggerFresh(id: string): boolean;
  /** JSON text with the addresses the server has now. */
  toText(json: unknown): string;
}

/** `origin`: put in place of `ORIGIN` whenever something leaves. */
export interface CoreOptions {
  origin(): string;
  /** Real time: a click opens a modal at once or never, whatever the played clock does. */
  triggerLifeMs: number;
}

/**
 * State is changed by journal events alone; triggers are the exception, as they live in real time.
 */
export function createCore(world: World, options: CoreOptions): SlackCore {
  let state = createState();
  const listeners = new Set<(event: WorldEvent) => void>();
  const issued = new Map<string, number>();
  return {
    world,
    get state() {
      return state;
    },
    apply(event) {
      state = fold(state, event);
      for (const listener of [...listeners]) listener(event);
    },
    record(kind, data) {
      world.journal.append(kind, data);
      return state.latest;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    issueTrigger(seq) {
      const id = triggerIdOf(seq);
      issued.set(id, performance.now());
      return id;
    },
    isTriggerFresh(id) {
      const at = issued.get(id);
      return at !== undefined && performance.now() - at <= options.triggerLifeMs;
    },
    toText: (json) => JSON.stringify(json).replaceAll(ORIGIN, options.origin()),
  };
}
