import type { FailureClass } from "./failure.ts";

/** One message of a Chat Completions request, provider-neutral. */
export type ChatMessage =
  | { role: "system" | "user"; content: string }
  | {
      role: "assistant";
      content: string;
      toolCalls?: { id: string; name: string; arguments: string }[];
    }
  | { role: "tool"; toolCallId: string; content: string };

/**
 * A tool as a model is told of it; what comes back is text that is checked against our own schema.
 */
export interface ToolDefinition {
  name: string;
  description: string;
  /** JSON Schema draft 7. */
  parameters: Record<string, unknown>;
}

/**
 * One model call. Whatever stands in `messages` leaves the installation: no secret may be in it.
 */
export interface ChatRequest {
  messages: ChatMessage[];
  tools: ToolDefinition[];
  /** `reply`, `repair`, … splits journals and ratings by task. */
  operation: string;
  /** Real time, for the whole call with the reading of its answer. */
  timeoutMs: number;
  signal: AbortSignal;
}

/** A proposed call, exactly as it came: `arguments` is unparsed text. */
export interface ProposedCall {
  /** The provider's id: kept for the record, never a key. */
  providerId: string;
  name: string;
  arguments: string;
}

/** How a model call went: also failures are values, so that each attempt is journaled. */
export type ChatOutcome =
  | {
      kind: "answer";
      text: string;
      calls: ProposedCall[];
      /** The answer was cut (length, lost stream): its calls must not run. */
      cut: boolean;
      journal: ModelJournal;
    }
  | {
      kind: "failed";
      retryable: boolean;
      /** Left out: what `retryable` says of it is all that is known. */
      failure?: FailureClass;
      retryAfterMs: number | null;
      error: string;
      journal: ModelJournal;
    };

/**
 * What is recorded of one call, also of a failed one. Counts are the provider's own word; where it
 * gave none they are null, and the call has no cost that is known.
 */
export interface ModelJournal {
  provider: string;
  modelId: string;
  inputTokens: number | null;
  outputTokens: number | null;
  /** As the provider calls it; null: the answer broke off, or there was none. */
  finishReason: string | null;
  /** Real time, until the whole answer was read or the call had failed. */
  latencyMs: number;
}

/**
 * The port to a language model. `chat` never throws for the other side's faults: they are outcomes.
 */
export interface ChatModel {
  chat(request: ChatRequest): Promise<ChatOutcome>;
}
