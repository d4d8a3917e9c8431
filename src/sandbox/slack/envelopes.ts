import { eventCallback } from "./payloads.ts";
import { eventIdOf } from "./stamp.ts";
import type { Envelope, Json, SlackState } from "./state.ts";

/** Queues an Events API event made by the latest journal event; `index` tells several apart. */
export function enqueueEvent(
  state: SlackState,
  input: { index: number; title: string; event: Json },
): void {
  const key = `${state.latest.seq}.${input.index}`;
  const payload = eventCallback(input.event, key, state.latest);
  const eventId = eventIdOf(key);
  state.events.set(eventId, { title: input.title, payload });
  enqueue(state, { key, type: "events_api", title: input.title, eventId, payload });
}

/** Waits until it is acknowledged; a new one has had no try. */
export function enqueue(
  state: SlackState,
  envelope: Pick<Envelope, "key" | "type" | "title" | "payload"> & Partial<Envelope>,
): void {
  state.envelopes.set(envelope.key, { attempts: 0, firstAttempt: 0, ids: [], ...envelope });
}
