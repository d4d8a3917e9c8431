import type { WebSocket } from "ws";
import type { WorldEvent } from "../journal.ts";
import type { Connections } from "./connections.ts";
import type { SlackCore } from "./core.ts";
import { postEnvelope } from "./http-delivery.ts";
import { isRecord } from "./schema.ts";
import { envelopeIdOf } from "./stamp.ts";
import type { Envelope, Json, RequestUrl } from "./state.ts";

/** An interaction nobody could take is given up: the person sees an error. */
const NO_CLIENT_LIMIT_MS = 15_000;
/** Played time an event waits for its second, third and fourth try; then it is given up. */
const RETRY_AFTER_MS = [0, 60_000, 300_000] as const;

interface Flight {
  /** Undefined: this try was lost on the way. */
  connection: WebSocket | undefined;
  timer: NodeJS.Timeout;
}

/** `onAck` is called once for each envelope, whatever try was acknowledged. */
export interface DeliveryOptions {
  core: SlackCore;
  connections: Connections;
  /** How long the bot has to acknowledge, in real time. */
  ackLimitMs: number;
  onAck(envelope: Envelope, payload: Json): void;
}

/** Hands every envelope to one connection and again until it is acknowledged. */
export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #flights = new Map<string, Flight>();
  /** Envelopes whose last try was not acknowledged: when the next is due, in played time. */
  readonly #dueAt = new Map<string, number>();
  /** Why the last try over HTTP failed. */
  readonly #reasons = new Map<string, string>();
  readonly #givingUp = new Map<string, NodeJS.Timeout>();
  /** The played clock may have been moved to where a retry is due. */
  readonly #ticks = setInterval(() => this.wake(), 1000).unref();
  #awake = false;
  #stopped = false;

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  /** Looks for work soon; never inside the caller, so that the journal stays in order. */
  wake(): void {
    if (this.#awake) return;
    this.#awake = true;
    setImmediate(() => this.#work());
  }

  onMessage(message: Json): void {
    const { core } = this.#options;
    const envelope = [...core.state.envelopes.values()].find((entry) =>
      entry.ids.includes(String(message.envelope_id)),
    );
    const payload = isRecord(message.payload) ? message.payload : {};
    if (envelope) this.#acknowledge(envelope, payload);
  }

  onClose(connection: WebSocket): void {
    for (const [key, flight] of this.#flights) {
      if (flight.connection === connection) this.#land(key);
    }
    this.wake();
  }

  stop(): void {
    this.#stopped = true;
    clearInterval(this.#ticks);
    for (const key of [...this.#flights.keys(), ...this.#givingUp.keys()]) this.#land(key);
  }

  #work(): void {
    this.#awake = false;
    if (this.#stopped) return;
    const { core, connections } = this.#options;
    for (const key of this.#flights.keys()) if (!core.state.envelopes.has(key)) this.#land(key);
    for (const envelope of [...core.state.envelopes.values()]) {
      if (!this.#isDue(envelope.key)) continue;
      if (core.state.requestUrl) void this.#post(envelope, core.state.requestUrl);
      else if (connections.size() > 0) this.#attempt(envelope);
      else if (envelope.type !== "events_api") this.#giveUpSoon(envelope.key);
    }
  }

  #isDue(key: string): boolean {
    const dueAt = this.#dueAt.get(key) ?? 0;
    return !this.#flights.has(key) && dueAt <= this.#options.core.world.clock.now();
  }

  #attempt(envelope: Envelope): void {
    const { core, connections, ackLimitMs } = this.#options;
    const { key } = envelope;
    const envelopeId = envelopeIdOf(key, envelope.attempts);
    const lost = isLost(core, envelope);
    const text = core.toText(envelopeJson(envelope, envelopeId));
    this.#land(key);
    core.record("slack.envelope_sent", { key, envelope_id: envelopeId, lost });
    const timer = setTimeout(() => this.#missed(envelope), ackLimitMs).unref();
    this.#flights.set(key, { connection: lost ? undefined : connections.send(text), timer });
  }

  async #post(envelope: Envelope, target: RequestUrl): Promise<void> {
    const { core, ackLimitMs } = this.#options;
    const { key } = envelope;
    const retryReason = this.#reasons.get(key) ?? "http_timeout";
    const lost = isLost(core, envelope);
    this.#land(key);
    core.record("slack.envelope_sent", {
      key,
      envelope_id: envelopeIdOf(key, envelope.attempts),
      lost,
    });
    const signal = AbortSignal.timeout(ackLimitMs);
    const guard = setTimeout(() => this.#missed(envelope), lost ? ackLimitMs : 2 * ackLimitMs);
    this.#flights.set(key, { connection: undefined, timer: guard.unref() });
    if (lost) return;
    const outcome = await postEnvelope(core, { envelope, target, retryReason, signal });
    if (this.#stopped || !core.state.envelopes.has(key)) return;
    if (outcome.kind === "taken") return this.#acknowledge(envelope, outcome.payload);
    if (outcome.noRetry) return this.#drop(key, outcome.reason);
    this.#reasons.set(key, outcome.reason);
    this.#missed(envelope);
  }

  #acknowledge(envelope: Envelope, payload: Json): void {
    const { key } = envelope;
    this.#land(key);
    this.#reasons.delete(key);
    this.#options.core.record("slack.envelope_acked", { key, payload });
    this.#options.onAck(envelope, payload);
  }

  #missed(envelope: Envelope): void {
    const wait = RETRY_AFTER_MS[envelope.attempts];
    if (envelope.type !== "events_api" || wait === undefined) {
      this.#drop(envelope.key, "operation_timeout");
      return;
    }
    this.#land(envelope.key);
    this.#dueAt.set(envelope.key, this.#options.core.world.clock.now() + wait);
    this.wake();
  }

  #giveUpSoon(key: string): void {
    if (this.#givingUp.has(key)) return;
    const timer = setTimeout(() => this.#drop(key, "dispatch_failed"), NO_CLIENT_LIMIT_MS);
    this.#givingUp.set(key, timer.unref());
  }

  #drop(key: string, reason: string): void {
    this.#land(key);
    const { core } = this.#options;
    if (core.state.envelopes.has(key)) core.record("slack.envelope_dropped", { key, reason });
  }

  #land(key: string): void {
    clearTimeout(this.#flights.get(key)?.timer);
    clearTimeout(this.#givingUp.get(key));
    this.#flights.delete(key);
    this.#givingUp.delete(key);
    this.#dueAt.delete(key);
  }
}

/** Short texts for `waiting`. */
export function waitingEnvelopes(envelopes: Iterable<Envelope>): string[] {
  return [...envelopes].map((envelope) => {
    const tries = envelope.attempts === 0 ? "not sent" : `sent ${envelope.attempts} times`;
    return `slack ${envelope.title} (${tries}, not acknowledged)`;
  });
}

/** Whether a journal event may have made work for the delivery. */
export function makesWork(event: WorldEvent): boolean {
  if (event.kind === "world.reset" || event.kind === "world.clock") return true;
  return event.kind.startsWith("slack.") && !event.kind.startsWith("slack.envelope_");
}

function isLost(core: SlackCore, envelope: Envelope): boolean {
  if (envelope.type !== "events_api" || envelope.attempts > 0) return false;
  return core.world.faults.take("slack", ["lose_first"]) !== undefined;
}

function envelopeJson(envelope: Envelope, envelopeId: string): Json {
  const isEvent = envelope.type === "events_api";
  const json: Json = {
    envelope_id: envelopeId,
    payload: envelope.payload,
    type: envelope.type,
    accepts_response_payload: !isEvent,
  };
  if (!isEvent) return json;
  const retry = envelope.attempts + envelope.firstAttempt;
  return { ...json, retry_attempt: retry, retry_reason: retry > 0 ? "timeout" : "" };
}
