import type { ProductView } from "../domain/product-view.ts";
import type { Journal } from "./journal.ts";
import type { WorldPart } from "./world.ts";

/** `product`: undefined when the emulators run alone: then only the world is looked at. */
export interface IdleQuestion {
  journal: Pick<Journal, "onAppend">;
  parts: readonly WorldPart[];
  product: ProductView | undefined;
}

/**
 * `waiting`: what is under way, by name; empty: nothing. `nextDueAt`: product time at which the
 * product has something to do again; null: nothing is due.
 */
export interface Idleness {
  waiting: string[];
  nextDueAt: number | null;
}

/** Waits, in real time, until neither the world nor the product has anything under way. */
export async function waitForIdle(
  question: IdleQuestion,
  options: { timeoutMs: number; signal: AbortSignal },
): Promise<Idleness> {
  const deadline = performance.now() + options.timeoutMs;
  const bell = createBell(question);
  try {
    for (;;) {
      const state = await readIdleness(question);
      const leftMs = deadline - performance.now();
      if (state.waiting.length === 0 || leftMs <= 0 || options.signal.aborted) return state;
      await bell.next(Math.min(leftMs, RECHECK_MS));
    }
  } finally {
    bell.stop();
  }
}

/** What happens in the product without a change being told is noticed after this long. */
const RECHECK_MS = 100;

/**
 * The world is read before and after the product: an update leaves the world only when the
 * product has stored it, and what the product sends out shows up in the world.
 */
async function readIdleness({ parts, product }: IdleQuestion): Promise<Idleness> {
  const before = parts.flatMap((part) => part.waiting());
  const pending = await product?.pending();
  const after = parts.flatMap((part) => part.waiting());
  const waiting = [...new Set([...before, ...(pending?.waiting ?? []), ...after])];
  return { waiting, nextDueAt: pending?.nextDueAt ?? null };
}

/** Rings at each change; a ring while nobody waits is kept for the next wait. */
function createBell({ journal, product }: IdleQuestion) {
  let rung = false;
  let wake: (() => void) | undefined;
  const ring = () => {
    rung = true;
    wake?.();
  };
  const stops = [journal.onAppend(ring), product?.onChange(ring)];
  return {
    async next(limitMs: number) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, limitMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
        if (rung) wake();
      });
      wake = undefined;
      rung = false;
    },
    stop() {
      for (const stop of stops) stop?.();
    },
  };
}
