import type { AttemptRow } from "./journal.ts";

/** Why no model could be asked at all. */
export type NoModelReason =
  | "empty_pool"
  | "all_disabled"
  | "excluded"
  | "none_capable"
  | "no_keys"
  | "all_cooling"
  /** The time for waiting or for the whole call was over. */
  | "timeout";

/** What the errors of a call have in common. `attempts`: what was tried, oldest first. */
export class BrokerError extends Error {
  override readonly name: string = "BrokerError";
  readonly attempts: readonly AttemptRow[];
  /** Real time at which a cooling model comes back, milliseconds; null: none will by itself. */
  readonly retryAt: number | null;
  constructor(
    message: string,
    more: { attempts?: readonly AttemptRow[]; retryAt?: number | null },
  ) {
    super(message);
    this.attempts = more.attempts ?? [];
    this.retryAt = more.retryAt ?? null;
  }
}

/** No model could be asked, or none in time. */
export class NoModelAvailableError extends BrokerError {
  override readonly name = "NoModelAvailableError";
  readonly reason: NoModelReason;
  constructor(
    reason: NoModelReason,
    more: { attempts?: readonly AttemptRow[]; retryAt?: number | null } = {},
  ) {
    super(NO_MODEL[reason], more);
    this.reason = reason;
  }
}

const NO_MODEL: Record<NoModelReason, string> = {
  empty_pool: "no model is configured; name one in MODELS_FILE",
  all_disabled: "every model is switched off; set enabled for one of them in MODELS_FILE",
  excluded: "every model was excluded by the caller",
  none_capable: "no model of the pool takes tools; set capabilities.tools for one that does",
  no_keys: "no model of the pool has a key that works; set or renew what its api_key_ref names",
  all_cooling: "every model that could answer is cooling down after failures; try again later",
  timeout: "no model answered within the time that the caller gave",
};

/** All that could be asked were, and none answered. */
export class EveryEndpointFailedError extends BrokerError {
  override readonly name = "EveryEndpointFailedError";
  constructor(attempts: readonly AttemptRow[], retryAt: number | null) {
    const list = attempts.map(({ llmName, error }) => `${llmName}: ${error ?? "failed"}`);
    super(`every model failed (${list.join("; ").slice(0, 1_000)})`, { attempts, retryAt });
  }
}

/** The request itself was refused by each that was asked: asking again changes nothing. */
export class ProviderError extends BrokerError {
  override readonly name = "ProviderError";
  /** HTTP status; null: no answer came. */
  readonly status: number | null;
  readonly detail: string;
  constructor(status: number | null, detail: string, attempts: readonly AttemptRow[] = []) {
    super(`the model's endpoint refused the request: ${detail}`, { attempts });
    this.status = status;
    this.detail = detail;
  }
}

/** It failed after words of the answer had been shown: another model would begin anew. */
export class StreamBrokenError extends BrokerError {
  override readonly name = "StreamBrokenError";
  constructor(attempts: readonly AttemptRow[]) {
    super("the answer broke off after its first words", { attempts });
  }
}

/** Nothing that can be rated: unknown, of another scope, failed, or older than seven days. */
export class UnknownCallError extends Error {
  override readonly name = "UnknownCallError";
}

/** A name that is not in the pool. */
export class UnknownModelError extends Error {
  override readonly name = "UnknownModelError";
  constructor(llmName: string) {
    super(`no model is named "${llmName}"; see the names in MODELS_FILE`);
  }
}

/** The model still wanted tools at its last cycle. */
export class ToolLoopLimitError extends Error {
  override readonly name = "ToolLoopLimitError";
  readonly maxCycles: number;
  constructor(maxCycles: number) {
    super(`the model still called tools in cycle ${maxCycles}, the last one; raise maxCycles`);
    this.maxCycles = maxCycles;
  }
}
