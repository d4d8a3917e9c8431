import { asc, eq, sql } from "drizzle-orm";
import type { Tx } from "./db.ts";
import { kbChunks, kbDocuments } from "./schema/knowledge.ts";

export interface StoredChunk {
  id: string;
  documentId: string;
  revision: number;
  title: string;
  headingPath: string;
  body: string;
}

/** Changes whenever a document of the tenant changes: tells whether an index is still true. */
export async function knowledgeStamp(tx: Tx, tenantId: string): Promise<string> {
  const rows = await tx
    .select({
      stamp: sql<string>`count(*)::text || ':' || coalesce(sum(revision), 0)::text || ':' || coalesce(max(updated_at)::text, '')`,
    })
    .from(kbDocuments)
    .where(eq(kbDocuments.tenantId, tenantId));
  return rows[0]?.stamp ?? "";
}

/** By document and place; an index is made of all of them at once. */
export async function allChunks(tx: Tx, tenantId: string): Promise<StoredChunk[]> {
  return tx
    .select({
      id: kbChunks.id,
      documentId: kbChunks.documentId,
      revision: kbChunks.revision,
      title: kbDocuments.title,
      headingPath: kbChunks.headingPath,
      body: kbChunks.body,
    })
    .from(kbChunks)
    .innerJoin(kbDocuments, eq(kbDocuments.id, kbChunks.documentId))
    .where(eq(kbChunks.tenantId, tenantId))
    .orderBy(asc(kbDocuments.source), asc(kbChunks.position));
}
