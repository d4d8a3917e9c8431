/** What the sandbox may see and ask of the product that runs beside it in one process. */
export interface ProductView {
  /** Work that is active, or due within 5 s of product time; empty when the product is idle. */
  pending(): Promise<{ waiting: string[]; nextDueAt: number | null }>;
  /** Everything the backend decided for one conversation, for the page. */
  trace(conversationId: string): Promise<unknown>;
  onChange(listener: () => void): () => void;
  /** Called after the clock moved: resolves when all that became due has been enqueued. */
  clockMoved(): Promise<void>;
  /** Deletes the product's rows and seeds them again. */
  reset(): Promise<void>;
}
