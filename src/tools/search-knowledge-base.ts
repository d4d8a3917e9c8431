import { z } from "zod";
import type { Tx } from "../store/db.ts";
import type { RagTool } from "./contract.ts";
import { argumentsOf, isoTime, success } from "./results.ts";

/** One passage that answers, best first. */
export interface KnowledgeHit {
  documentId: string;
  revision: number;
  title: string;
  excerpt: string;
  /** The passage is longer than the excerpt. */
  truncated: boolean;
}

/** The port to the knowledge base: best passages first, at most `topK`. */
export type SearchKnowledge = (
  tx: Tx,
  query: { tenantId: string; query: string; topK: number },
) => Promise<KnowledgeHit[]>;

/** Which search of its conversation an execution is, from 1. */
export type PlaceOfSearch = (
  tx: Tx,
  of: { tenantId: string; conversationId: string; toolName: string; executionId: string },
) => Promise<number>;

const MAX_TOP_K = 10;

const NAME = "search_knowledge_base";

const parameters = z.strictObject({
  query: z.string().trim().min(3).max(500),
  top_k: z.int().min(1).max(MAX_TOP_K),
  filters: z
    .strictObject({ document_id: z.string().max(100).optional() })
    .optional()
    .describe("only passages of this document"),
});

/** Passages are documents of the business, not orders: the prompt marks them as evidence. */
export function searchKnowledgeBase(deps: {
  searchKnowledge: SearchKnowledge;
  placeOf: PlaceOfSearch;
}): RagTool<z.infer<typeof parameters>> {
  return {
    name: NAME,
    title: "Knowledge base",
    description: {
      does: "Searches the business's own documents.",
      when: "for questions about services, rules and how things work, before answering.",
      whenNot: "for prices of an exchange, wallets or the client's own order.",
      needs: "query, in the client's words, and top_k, how many passages at most.",
      limits: "query 3 to 500 characters; top_k from 1 to 10.",
      returns:
        "matches with evidence_id to rest the answer on, and next when there is more; no match is no proof that something is not so.",
    },
    risk: "read_only",
    sideEffectType: "none",
    parameters,
    output: z.object({
      ok: z.literal(true),
      matches: z.array(
        z.object({
          evidence_id: z.string(),
          document_id: z.string(),
          revision: z.number(),
          title: z.string(),
          excerpt: z.string(),
          truncated: z.boolean(),
        }),
      ),
      retrieved_at: z.string(),
      next: z.string().optional(),
    }),
    offered: true,
    staged: false,
    shown: ["title", "excerpt"],
    isAvailable: () => true,
    async run(call) {
      const { query, top_k: topK, filters } = argumentsOf(parameters, call);
      const wanted = filters?.document_id;
      const { tenantId, conversationId, executionId } = call;
      const { found, place } = await call.read(async (tx) => ({
        // one more than asked for tells whether there is more
        found: await deps.searchKnowledge(tx, {
          ...{ tenantId, query, topK: wanted ? MAX_TOP_K : topK + 1 },
        }),
        place: await deps.placeOf(tx, { tenantId, conversationId, toolName: NAME, executionId }),
      }));
      const fitting = found.filter((hit) => !wanted || hit.documentId === wanted);
      const hits = fitting.slice(0, topK);
      const summary = hits.length === 0 ? "nothing found" : `${hits.length} passages`;
      const next = nextOf(topK, fitting.length - hits.length);
      const matches = hits.map((hit, index) => match(hit, place * MAX_TOP_K + index + 1));
      const data = { matches, retrieved_at: isoTime(call.now), next };
      return { kind: "result", result: success({ type: "evidence", summary }, data) };
    },
  };
}

/** How to see what was left out. */
function nextOf(topK: number, left: number): string | undefined {
  if (left <= 0) return undefined;
  return topK < MAX_TOP_K
    ? "more passages fit; ask again with a larger top_k"
    : "more passages fit; ask a narrower question, or one document by filters.document_id";
}

/**
 * Numbered on from search to search, so that no id of a conversation names two passages; the first
 * ten numbers are those of the prompt's own.
 */
function match(hit: KnowledgeHit, number: number) {
  const { documentId, revision, title, excerpt, truncated } = hit;
  return {
    evidence_id: `E${number}`,
    document_id: documentId,
    ...{ revision, title, excerpt, truncated },
  };
}
