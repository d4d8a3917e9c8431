import { messageOf } from "./domain/errors.ts";
import type { Log } from "./lib/log.ts";

/** What a start that fails half-way has to undo, and a stop as well. */
export interface Unwinder {
  /** Registers how to undo a step; undone in the opposite order. */
  push(name: string, undo: () => Promise<void> | void): void;
  unwind(): Promise<void>;
}

/** A start that fails half way, and a stop, undo the same steps. */
export function createUnwinder(log: Log): Unwinder {
  const steps: { name: string; undo: () => Promise<void> | void }[] = [];
  return {
    push: (name, undo) => void steps.push({ name, undo }),
    async unwind() {
      for (let step = steps.pop(); step; step = steps.pop()) {
        try {
          await step.undo();
        } catch (error) {
          log.warn({ step: step.name, error: messageOf(error) }, "a part did not stop cleanly");
        }
      }
    },
  };
}
