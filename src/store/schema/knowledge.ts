import { index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { id, instant, tenantId } from "./columns.ts";

export const kbDocuments = pgTable(
  "kb_documents",
  {
    id: id(),
    tenantId: tenantId(),
    /** What an editor calls it: a path or a name; importing it again makes a new revision. */
    source: text("source").notNull(),
    title: text("title").notNull(),
    body: text("body").notNull(),
    revision: integer("revision").notNull(),
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
  },
  (t) => [uniqueIndex("kb_documents_source").on(t.tenantId, t.source)],
);

export const kbChunks = pgTable(
  "kb_chunks",
  {
    id: id(),
    tenantId: tenantId(),
    documentId: text("document_id").notNull(),
    revision: integer("revision").notNull(),
    position: integer("position").notNull(),
    headingPath: text("heading_path").notNull(),
    body: text("body").notNull(),
  },
  (t) => [index("kb_chunks_document").on(t.tenantId, t.documentId, t.position)],
);
