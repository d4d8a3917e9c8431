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

export type SearchKnowledge = (
  tx: Tx,
  query: { tenantId: string; query: string; topK: number },
) => Promise<KnowledgeHit[]>;

const DEFAULT_TOP_K = 5;
const MAX_TOP_K = 10;

const parameters = z.strictObject({
  query: z.string().trim().min(3).max(500),
  top_k: z.int().min(1).max(MAX_TOP_K).optional(),
  filters: z
    .strictObject({ document_id: z.string().max(100).optional() })
    .optional()
    .describe("only passages of this document"),
});

export function searchKnowledgeBase(deps: {
  searchKnowledge: SearchKnowledge;
}): RagTool<z.infer<typeof parameters>> {
  return {
    name: "search_knowledge_base",
    title: "Knowledge base",
    description:
      "Searches the business's own documents. Use it for questions about services, rules and how things work, before answering; not for prices of an exchange, wallets or the client's own order. Needs query, 3 to 500 characters, in the client's words; top_k up to 10. Reads only. Returns matches with evidence_id to rest the answer on; no match means that the documents do not say it. No approval.",
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
    }),
    offered: true,
    staged: false,
    isAvailable: () => true,
    async run(call) {
      const { query, top_k: topK = DEFAULT_TOP_K, filters } = argumentsOf(parameters, call);
      const wanted = filters?.document_id;
      const { tenantId } = call;
      const found = await call.read((tx) =>
        deps.searchKnowledge(tx, { tenantId, query, topK: wanted ? MAX_TOP_K : topK }),
      );
      const hits = found.filter((hit) => !wanted || hit.documentId === wanted).slice(0, topK);
      const summary = `${hits.length} passages`;
      const data = { matches: hits.map(match), retrieved_at: isoTime(call.now) };
      return { kind: "result", result: success({ type: "evidence", summary }, data) };
    },
  };
}

function match(hit: KnowledgeHit, index: number) {
  const { documentId, revision, title, excerpt, truncated } = hit;
  return {
    evidence_id: `E${index + 1}`,
    document_id: documentId,
    ...{ revision, title, excerpt, truncated },
  };
}
