import type { Language } from "./language.ts";

/** What the sandbox may see and ask of the product that runs beside it in one process. */
export interface ProductView {
  /** Work that is active, or due within 5 s of product time; empty when the product is idle. */
  pending(): Promise<{ waiting: string[]; nextDueAt: number | null }>;
  /** Everything the backend decided for one conversation, for the page; null when it has none. */
  trace(conversationId: string): Promise<unknown>;
  /** The conversations with leads, those with the latest activity first. */
  conversations(): Promise<PlayedConversation[]>;
  /** From now on the staff reads its cards and answers in it. */
  speak(language: Language): Promise<void>;
  onChange(listener: () => void): () => void;
  /** Called after the clock moved: resolves when all that became due has been enqueued. */
  clockMoved(): Promise<void>;
  /** Deletes the product's rows and seeds them again. */
  reset(): Promise<void>;
}

/** A conversation, and the chat of the messenger that it is held in. */
export interface PlayedConversation {
  id: string;
  messenger: string;
  chatId: string;
}
