import { enqueue, enqueueEvent } from "./envelopes.ts";
import type { Folds, SlackFacts } from "./facts.ts";
import type { EnvelopeType, Json, SlackState } from "./state.ts";
import { answerSubmission } from "./view-stack.ts";
import { SIGNING_SECRET } from "./workspace.ts";

/** What the bot was handed, took, or never took. */
export const envelopeFolds: Folds = {
  "slack.envelope_sent": (state, fact) => {
    const envelope = state.envelopes.get(fact.key);
    if (!envelope) return;
    const ids = [...envelope.ids, fact.envelope_id];
    state.envelopes.set(fact.key, { ...envelope, attempts: envelope.attempts + 1, ids });
  },
  "slack.envelope_acked": acknowledge,
  "slack.envelope_dropped": (state, fact) => {
    state.envelopes.delete(fact.key);
  },
  "slack.request_url": (state, { url, signing_secret: signingSecret = SIGNING_SECRET }) => {
    state.requestUrl = url === undefined ? undefined : { url, signingSecret };
  },
  "slack.raw_event": (state, fact) => rawEvent(state, fact.payload),
  "slack.redelivered": (state, fact) => sendAgain(state, fact.event_id),
};

function acknowledge(state: SlackState, fact: SlackFacts["slack.envelope_acked"]): void {
  const envelope = state.envelopes.get(fact.key);
  if (!envelope) return;
  state.envelopes.delete(fact.key);
  const view = envelope.viewId === undefined ? undefined : state.views.get(envelope.viewId);
  if (view && envelope.payload.type === "view_submission") {
    answerSubmission(state, view, fact.payload ?? {});
  }
}

/** A payload as it is: of an event, an interaction or a command. A bare event gets its cover. */
function rawEvent(state: SlackState, payload: Json): void {
  if (!isWhole(payload)) {
    const title = `${String(payload.type)} event`;
    enqueueEvent(state, { index: 0, title, event: payload });
    return;
  }
  const type = rawType(payload);
  const eventId = typeof payload.event_id === "string" ? payload.event_id : undefined;
  const title = `${type} payload`;
  if (eventId !== undefined) state.events.set(eventId, { title, payload });
  enqueue(state, { key: `${state.latest.seq}.0`, type, title, payload, eventId });
}

const INTERACTIONS = [
  "block_actions",
  "view_submission",
  "view_closed",
  "shortcut",
  "message_action",
  "block_suggestion",
];

function isWhole(payload: Json): boolean {
  const type = String(payload.type);
  if (payload.event !== undefined || typeof payload.command === "string") return true;
  return type === "app_rate_limited" || INTERACTIONS.includes(type);
}

function rawType(payload: Json): EnvelopeType {
  if (typeof payload.command === "string") return "slash_commands";
  return INTERACTIONS.includes(String(payload.type)) ? "interactive" : "events_api";
}

function sendAgain(state: SlackState, eventId: string): void {
  const sent = state.events.get(eventId);
  if (!sent) return;
  const key = `${state.latest.seq}.0`;
  enqueue(state, { ...sent, key, type: "events_api", eventId, firstAttempt: 1 });
}
