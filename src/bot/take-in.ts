import { messageOf } from "../domain/errors.ts";
import type { InboundEvent } from "../domain/inbound.ts";
import { sqlState } from "../store/db.ts";
import type { Received } from "../store/receive.ts";
import type { EdgeOptions } from "./edge.ts";
import { pause } from "./wait.ts";

const LONGEST_PAUSE_MS = 10_000;

/**
 * Stores an event, however long the database is away, so that the messenger keeps it until then.
 * null: this event can never be stored (logged), or the signal fired.
 */
export async function takeIn(
  edge: Pick<EdgeOptions, "receive" | "log">,
  event: InboundEvent,
  signal: AbortSignal,
): Promise<Received | null> {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      return await takeInOnce(edge, event);
    } catch (error) {
      const fields = { eventKey: event.eventKey, error: messageOf(error) };
      edge.log.warn(fields, "the database did not take an event; trying again");
      await pause(Math.min(LONGEST_PAUSE_MS, 250 * 2 ** attempt), signal);
    }
  }
  return null;
}

/**
 * Stores an event for a messenger that delivers it again when we say no: throws what the database
 * said. null: this event can never be stored (logged), so it must not come again either.
 */
export async function takeInOnce(
  edge: Pick<EdgeOptions, "receive" | "log">,
  event: InboundEvent,
): Promise<Received | null> {
  try {
    return await edge.receive(event);
  } catch (error) {
    if (!isOurFault(error)) throw error;
    const fields = { eventKey: event.eventKey, error: messageOf(error) };
    edge.log.error(fields, "an event could not be stored and is passed over");
    return null;
  }
}

/** The event itself is the trouble: trying again would only block those behind it. */
function isOurFault(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return /^(22|23)/.test(state);
  return error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;
}
