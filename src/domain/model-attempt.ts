import type { ChatFault, ChatModel, ChatOutcome, ChatRequest } from "./chat-model.ts";
import type { FailureClass } from "./failure.ts";

/** `superseded`: the caller gave it up; neither a success nor a failure. */
export type AttemptStatus = "ok" | "failed" | "superseded";

/** One attempt at one model, also a failed one. */
export interface ModelAttempt {
  callId: string;
  /** Product time at which the attempt was over. */
  at: number;
  /** As the pool calls it. */
  llmName: string;
  /** As the endpoint names it. */
  modelId: string;
  operation: string;
  traceId: string | null;
  /** Whose keys were used, a tenant's; null: nobody's own. */
  scope: string | null;
  promptVersion: string | null;
  /** Within its call, from 1. */
  attempt: number;
  status: AttemptStatus;
  finishReason: string | null;
  hadToolCall: boolean;
  /** It broke off: its calls must not run. */
  cut: boolean;
  inputTokens: number | null;
  outputTokens: number | null;
  /** USD, decimal; null: no price or no count is known. */
  cost: string | null;
  latencyMs: number;
  failure: FailureClass | null;
  fault: ChatFault | null;
  httpStatus: number | null;
  error: string | null;
  /** The newest verdict, 0 to 1. */
  score: number | null;
}

/** How a call went, with everything that was asked on the way, oldest first. The last one answered. */
export type AskedOutcome = ChatOutcome & { attempts: readonly ModelAttempt[] };

/** A model, or several behind one name, whose attempts the caller writes down. */
export interface AskedModel extends ChatModel {
  chat(request: ChatRequest): Promise<AskedOutcome>;
}

/** From so many verdicts on older ones fade. */
export const MOST_VERDICTS = 100;
/** How long a call can be rated: later nobody remembers what was said. */
export const RATABLE_MS = 7 * 86_400_000;
/** How long attempts are kept. */
export const ATTEMPTS_KEPT_MS = 90 * 86_400_000;
