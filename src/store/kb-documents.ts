import { and, count, eq, gt } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import type { Tx } from "./db.ts";
import { kbChunks, kbDocuments } from "./schema/knowledge.ts";
import { storable } from "./storable.ts";

export interface KbDocumentText {
  tenantId: string;
  /** What an editor calls it; the same source again is a new revision. */
  source: string;
  title: string;
  body: string;
  chunks: readonly KbChunkText[];
  now: number;
}

export interface KbChunkText {
  headingPath: string;
  body: string;
}

/** What saving has made, or found. */
export interface SavedDocument {
  id: string;
  revision: number;
  /** False: the same title and body were there already. */
  changed: boolean;
  chunks: number;
}

/** Document and passages change together, so that search never sees half a revision. */
export async function saveKbDocument(tx: Tx, input: KbDocumentText): Promise<SavedDocument> {
  const document = storable(input);
  const { tenantId, source, title, body, now } = document;
  const [known] = await tx
    .select()
    .from(kbDocuments)
    .where(and(eq(kbDocuments.tenantId, tenantId), eq(kbDocuments.source, source)))
    .for("update");
  if (known && known.title === title && known.body === body) {
    const chunks = await countChunks(tx, tenantId, known.id);
    return { id: known.id, revision: known.revision, changed: false, chunks };
  }
  const id = known?.id ?? newId();
  const revision = (known?.revision ?? 0) + 1;
  if (known)
    await tx
      .update(kbDocuments)
      .set({ title, body, revision, updatedAt: now })
      .where(eq(kbDocuments.id, id));
  else
    await tx
      .insert(kbDocuments)
      .values({ id, tenantId, source, title, body, revision, createdAt: now, updatedAt: now });
  await replaceChunks(tx, { tenantId, documentId: id, revision }, document.chunks);
  return { id, revision, changed: true, chunks: document.chunks.length };
}

/** Without bodies, by source; `after` is the last source of the page before. */
export function listKbDocuments(
  tx: Tx,
  query: { tenantId: string; limit: number; after: string | null },
) {
  return tx
    .select({
      id: kbDocuments.id,
      source: kbDocuments.source,
      title: kbDocuments.title,
      revision: kbDocuments.revision,
      createdAt: kbDocuments.createdAt,
      updatedAt: kbDocuments.updatedAt,
    })
    .from(kbDocuments)
    .where(
      and(
        eq(kbDocuments.tenantId, query.tenantId),
        query.after === null ? undefined : gt(kbDocuments.source, query.after),
      ),
    )
    .orderBy(kbDocuments.source)
    .limit(query.limit);
}

/** Takes the passages along; false when there was no such document. */
export async function removeKbDocument(
  tx: Tx,
  tenantId: string,
  documentId: string,
): Promise<boolean> {
  await tx.delete(kbChunks).where(ofDocument(tenantId, documentId));
  const removed = await tx
    .delete(kbDocuments)
    .where(and(eq(kbDocuments.tenantId, tenantId), eq(kbDocuments.id, documentId)))
    .returning({ id: kbDocuments.id });
  return removed.length > 0;
}

async function replaceChunks(
  tx: Tx,
  of: { tenantId: string; documentId: string; revision: number },
  chunks: readonly KbChunkText[],
): Promise<void> {
  await tx.delete(kbChunks).where(ofDocument(of.tenantId, of.documentId));
  if (chunks.length === 0) return;
  await tx
    .insert(kbChunks)
    .values(chunks.map((chunk, position) => ({ id: newId(), ...of, position, ...chunk })));
}

async function countChunks(tx: Tx, tenantId: string, documentId: string): Promise<number> {
  const [row] = await tx
    .select({ many: count() })
    .from(kbChunks)
    .where(ofDocument(tenantId, documentId));
  return row?.many ?? 0;
}

function ofDocument(tenantId: string, documentId: string) {
  return and(eq(kbChunks.tenantId, tenantId), eq(kbChunks.documentId, documentId));
}
