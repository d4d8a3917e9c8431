import type { ChatFault, ChatOutcome } from "../../domain/chat-model.ts";
import type { FailureClass } from "../../domain/failure.ts";

/**
 * What a failure says about whom: `endpoint`, its model for everyone; `key`, all models with this
 * key; `model_of_key`, this model with this key.
 */
export type CoolingScope = "endpoint" | "key" | "model_of_key";

/** What follows from a failed attempt. */
export type Verdict =
  /** Nothing is wrong with the endpoint: the request does not suit it. Another one is asked. */
  | { kind: "unsuited" }
  /** It said nothing, which a request can bring about: others go first until it answers. */
  | { kind: "silent" }
  /** WAIT: it comes back; the same call may ask it again. */
  | ({ kind: "wait" } & Pause)
  /** STOP: waiting does not help this call; others are asked. */
  | ({ kind: "stop" } & Pause)
  /** The caller's own time was too short for it: no fault. */
  | { kind: "overran" }
  /** The caller gave it up. */
  | { kind: "aborted" };

export interface Pause {
  scope: CoolingScope;
  baseMs: number;
  mostMs: number;
  leastMs: number;
}

type Failed = Extract<ChatOutcome, { kind: "failed" }>;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Beyond this an endpoint's own wish is no pause but a no: a quota of hours, a day's limit. */
export const LONGEST_WAIT_MS = 5 * MINUTE;

/** `hadWholeTime`: its own limit ended the attempt, not the caller's. */
export function verdictOf(outcome: Failed, hadWholeTime: boolean): Verdict {
  const { fault, retryAfterMs } = outcome;
  const failure = outcome.failure ?? (outcome.retryable ? "transient" : "schema_invalid");
  if (fault === "aborted") return { kind: "aborted" };
  if (fault === "timeout" && !hadWholeTime) return { kind: "overran" };
  if (fault && UNSUITED.has(fault)) return { kind: "unsuited" };
  if (fault === "empty") return { kind: "silent" };
  const rule = PAUSES[failure];
  if (!rule) return { kind: "unsuited" };
  const { kind, ...pause } = rule;
  const leastMs = retryAfterMs ?? 0;
  return { kind: leastMs > LONGEST_WAIT_MS ? "stop" : kind, ...pause, leastMs };
}

/** A model without a stand-in is asked again soon: nobody else could answer meanwhile. */
const ALONE_MOST_MS = { wait: 2 * SECOND, stop: MINUTE };

/** The same with short pauses; what the endpoint itself asks for is kept. */
export function soonAgain(verdict: Verdict): Verdict {
  if (verdict.kind !== "wait" && verdict.kind !== "stop") return verdict;
  const most = ALONE_MOST_MS[verdict.kind];
  const { baseMs, mostMs } = verdict;
  return { ...verdict, baseMs: Math.min(baseMs, most), mostMs: Math.min(mostMs, most) };
}

/** The answer is no use, but says nothing of the next request. */
const UNSUITED: ReadonlySet<ChatFault> = new Set(["refused", "text_call", "context_overflow"]);

type Rule = Omit<Pause, "leastMs"> & { kind: "wait" | "stop" };

const outage: Rule = { kind: "wait", scope: "endpoint", baseMs: 2 * SECOND, mostMs: 5 * MINUTE };

/** Other classes are the request's fault and cool nothing. */
const PAUSES: Partial<Record<FailureClass, Rule>> = {
  rate_limited: { kind: "wait", scope: "model_of_key", baseMs: SECOND, mostMs: MINUTE },
  unavailable: outage,
  transient: outage,
  network: outage,
  timeout: outage,
  access_denied: { kind: "stop", scope: "key", baseMs: 5 * MINUTE, mostMs: HOUR },
  insufficient_funds: { kind: "stop", scope: "key", baseMs: 10 * MINUTE, mostMs: 6 * HOUR },
};

/** Under which names a model cools when it is called with a key. */
export function cooldownKeysOf(llmName: string, provider: string): Record<CoolingScope, string> {
  return {
    endpoint: `endpoint:${llmName}`,
    key: `provider:${provider}`,
    model_of_key: `endpoint:${llmName}|${provider}`,
  };
}
