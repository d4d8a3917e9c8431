/** One message of a Chat Completions request, provider-neutral. */
export type ChatMessage =
  | { role: "system" | "user"; content: string }
  | {
      role: "assistant";
      content: string;
      toolCalls?: { id: string; name: string; arguments: string }[];
    }
  | { role: "tool"; toolCallId: string; content: string };

export interface ToolDefinition {
  name: string;
  description: string;
  /** JSON Schema draft 7. */
  parameters: Record<string, unknown>;
}

export interface ChatRequest {
  messages: ChatMessage[];
  tools: ToolDefinition[];
  /** `reply`, `repair`, … splits journals and ratings by task. */
  operation: string;
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
      retryAfterMs: number | null;
      error: string;
      journal: ModelJournal;
    };

export interface ModelJournal {
  provider: string;
  modelId: string;
  inputTokens: number | null;
  outputTokens: number | null;
  finishReason: string | null;
  latencyMs: number;
}

export interface ChatModel {
  chat(request: ChatRequest): Promise<ChatOutcome>;
}
