import type { ToolDefinition } from "../domain/chat-model.ts";
import type { Knowledge } from "../knowledge/knowledge.ts";
import type { Tx } from "../store/db.ts";
import type { ToolResolver } from "./tool-resolver.ts";

/** A passage as the model sees and cites it: E1, E2 … */
export interface Evidence {
  id: string;
  documentId: string;
  revision: number;
  title: string;
  text: string;
}

/** How a reply is made: what the model is given besides the conversation. */
export interface ReplyStrategy {
  name: "rag" | "llm";
  resolveTools(query: { tenantId: string; conversationId: string }): Promise<ToolDefinition[]>;
  gatherEvidence(tx: Tx, query: { tenantId: string; leadTexts: string[] }): Promise<Evidence[]>;
}

/** At most ten: what tools find is numbered from E11 on. */
const PASSAGES = 4;

/** Knowledge and tools. */
export function ragReplyStrategy(deps: {
  resolver: ToolResolver;
  knowledge: Knowledge;
}): ReplyStrategy {
  return {
    name: "rag",
    resolveTools: (query) => deps.resolver.resolveTools(query),
    async gatherEvidence(tx, { tenantId, leadTexts }) {
      const text = leadTexts.join("\n").trim();
      if (text === "") return [];
      const hits = await deps.knowledge.search(tx, { tenantId, text, topK: PASSAGES });
      return hits.map((hit, index) => ({
        id: `E${index + 1}`,
        documentId: hit.documentId,
        revision: hit.revision,
        title: hit.title,
        text: hit.text,
      }));
    },
  };
}

/** Tools only. */
export function llmReplyStrategy(deps: { resolver: ToolResolver }): ReplyStrategy {
  return {
    name: "llm",
    resolveTools: (query) => deps.resolver.resolveTools(query),
    gatherEvidence: () => Promise.resolve([]),
  };
}

/** By the name that an owner chooses it by. */
export const REPLY_STRATEGIES = { rag: ragReplyStrategy, llm: llmReplyStrategy };
