import type {
  ChatMessage,
  ChatRequest,
  ModelJournal,
  ProposedCall,
  Reasoning,
  ToolDefinition,
} from "../../domain/chat-model.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { AttemptRow } from "./journal.ts";

/** How a conversation is asked; all of it may be left out. */
export interface ChatOptions {
  tools?: ToolDefinition[];
  /** `reply`, `coach`, …: splits journal and ratings by task. Left out: one common bucket. */
  operation?: string;
  /** Ties the calls of one task together. */
  traceId?: string;
  promptVersion?: string;
  /** Fields of the request, like `temperature`; they win over those of the catalog. */
  params?: JsonObject;
  responseSchema?: ChatRequest["responseSchema"];
  /** Asks for a stream. After its first words no other model is asked. */
  onDelta?(text: string): void;
  /**
   * How long the call may stand in line for a cooling or full model, milliseconds in all; 0: not at
   * all. Left out: a minute.
   */
  wait?: number;
  /** false: in no line for a cooling model, as when the caller comes again by itself. */
  waitsForCooling?: boolean;
  /** The most for all of it, standing in line and answering; left out: only each attempt is limited. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /** Names of models that are not to be asked. */
  exclude?: readonly string[];
  /** Takes the call's rows in place of the journal: for who writes them in an own transaction. */
  onAttempt?(row: AttemptRow): void;
}

/** Of one model call; of a whole loop the journal tells. */
export interface Usage {
  inputTokens: number | null;
  outputTokens: number | null;
  /** USD, decimal; null: unknown. */
  cost: string | null;
}

/** What was said, by whomever. */
export interface Said {
  text: string;
  toolCalls: ProposedCall[];
  /** It broke off (length, lost stream): its calls must not run. */
  cut: boolean;
  reasoning?: Reasoning;
  /** So many of the oldest messages were left out. */
  leftOut?: number;
  usage: Usage;
  journal: ModelJournal;
}

/** What a model of the pool said. `callId`: that of its row in the journal, for ratings. */
export interface BrokerSaid extends Said {
  llmName: string;
  callId: string;
}

/** Whatever answers a conversation: a broker, a scope of it, one model. */
export interface ChatClient<S extends Said = Said> {
  chat(messages: ChatMessage[], options?: ChatOptions): Promise<S>;
}

/** Without an operation of its own. */
export const COMMON_OPERATION = "default";
export const DEFAULT_WAIT_MS = 60_000;
