import type { FailureClass } from "./failure.ts";
import type { JsonObject } from "./json.ts";

/** One message of a Chat Completions request, provider-neutral. */
export type ChatMessage =
  | { role: "system" | "user"; content: string }
  | {
      role: "assistant";
      content: string;
      /** As the outcome gave it; goes back to the model that it came from, and to no other. */
      reasoning?: Reasoning;
      toolCalls?: WireCall[];
    }
  | { role: "tool"; toolCallId: string; content: string };

/** A call in the history. `extra`: what the provider wants back with it, like a signature. */
export interface WireCall {
  id: string;
  name: string;
  arguments: string;
  extra?: JsonObject;
}

/** What a model thought, in its endpoint's own fields. It is never shown to anybody. */
export interface Reasoning {
  provider: string;
  model: string;
  fields: JsonObject;
}

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
  /** The answer is wanted as JSON of this shape; an endpoint that knows no such wish is asked without. */
  responseSchema?: { name: string; schema: Record<string, unknown> };
  /** `reply`, `repair`, … splits journals and ratings by task. */
  operation: string;
  /** Ties the calls of one task together in journals; it is not sent. */
  traceId?: string;
  /** For journals; it is not sent. */
  promptVersion?: string;
  /** Further fields of the request, like `temperature`; they win over those of the endpoint. */
  params?: JsonObject;
  /**
   * Asks for a stream and gets its text as it comes. A preview: what counts is the outcome's text,
   * and what looks like a call or like thinking is held back.
   */
  onDelta?(text: string): void;
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
  /** Goes back with the call in the history, to this provider alone. */
  extra?: JsonObject;
}

/** What kept a call from an answer; the class says whether it may pass. */
export type ChatFault =
  | "unreachable"
  | "timeout"
  /** The caller gave it up. */
  | "aborted"
  /** An HTTP status that says no. */
  | "status"
  /** Status 200 with an error in it. */
  | "error_body"
  /** Status 200, and no answer can be read from it. */
  | "unreadable"
  /** Neither words nor calls. */
  | "empty"
  /** The model or a filter would not answer. */
  | "refused"
  /** A call was written into the text, and of no tool that is offered. */
  | "text_call"
  /** The newest turn alone is too long for the model. */
  | "context_overflow"
  /** The account is used up: waiting does not help. */
  | "quota";

/** How a model call went: also failures are values, so that each attempt is journaled. */
export type ChatOutcome =
  | {
      kind: "answer";
      text: string;
      calls: ProposedCall[];
      /** The answer was cut (length, lost stream): its calls must not run. */
      cut: boolean;
      reasoning?: Reasoning;
      /** So many of the oldest messages were left out, because all of them were too long. */
      leftOut?: number;
      journal: ModelJournal;
    }
  | {
      kind: "failed";
      retryable: boolean;
      /** Left out: what `retryable` says of it is all that is known. */
      failure?: FailureClass;
      /** The least time to wait, by the endpoint's own word; null: it said nothing. */
      retryAfterMs: number | null;
      fault?: ChatFault;
      /** HTTP status; left out: there was no answer at all. */
      status?: number;
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
