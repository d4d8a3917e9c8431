import type { Tx } from "../store/db.ts";
import { allChunks, knowledgeStamp } from "../store/kb-chunks.ts";
import { buildIndex, type ChunkIndex, searchChunks } from "./rank.ts";

/** `score` compares hits of one question, never those of two. */
export interface KnowledgeHit {
  documentId: string;
  revision: number;
  title: string;
  text: string;
  score: number;
}

/** Answers from memory; the passages are read again only when the base has changed. */
export interface Knowledge {
  /** The best passages, best first; none when nothing in the base speaks of the question. */
  search(tx: Tx, query: { tenantId: string; text: string; topK: number }): Promise<KnowledgeHit[]>;
}

interface Passage {
  id: string;
  text: string;
  heading: string[];
  documentId: string;
  revision: number;
  title: string;
}

/** Tenants' indexes in memory, made anew when the base has changed. */
export function createKnowledge(): Knowledge {
  const indexes = new Map<string, { stamp: string; index: ChunkIndex<Passage> }>();
  return {
    async search(tx, query) {
      const stamp = await knowledgeStamp(tx, query.tenantId);
      let known = indexes.get(query.tenantId);
      if (known?.stamp !== stamp) {
        const chunks = await allChunks(tx, query.tenantId);
        known = { stamp, index: buildIndex(chunks.map(asPassage)) };
        indexes.set(query.tenantId, known);
      }
      return searchChunks(known.index, query.text, query.topK).map(({ chunk, score }) => ({
        documentId: chunk.documentId,
        revision: chunk.revision,
        title: chunk.title,
        text: chunk.text,
        score,
      }));
    },
  };
}

function asPassage(chunk: Awaited<ReturnType<typeof allChunks>>[number]): Passage {
  return {
    id: chunk.id,
    text: chunk.body,
    heading: [chunk.title, chunk.headingPath],
    documentId: chunk.documentId,
    revision: chunk.revision,
    title: chunk.title,
  };
}
