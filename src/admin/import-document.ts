import { basename, extname } from "node:path";
import { UserError } from "../domain/errors.ts";
import { chunkDocument } from "../knowledge/chunk.ts";
import type { Tx } from "../store/db.ts";
import { type SavedDocument, saveKbDocument } from "../store/kb-documents.ts";

/** What an owner puts into the knowledge base, whole. */
export interface NewDocument {
  tenantId: string;
  /** The same source again is a new revision. */
  source: string;
  /** Else the first heading, else the name of the source. */
  title?: string | undefined;
  /** Markdown or plain text. */
  body: string;
  now: number;
}

const HEADING_SEPARATOR = " > ";

/** Cuts a document into passages and stores both. Throws UserError when it holds no text. */
export function importDocument(tx: Tx, document: NewDocument): Promise<SavedDocument> {
  const { tenantId, source, body, now } = document;
  const chunks = chunkDocument(body).map(({ heading, text }) => ({
    headingPath: heading.join(HEADING_SEPARATOR),
    body: text,
  }));
  if (chunks.length === 0)
    throw new UserError("invalid", `${source}: the document holds no text below headings`, "body");
  const title = document.title ?? titleOf(body) ?? basename(source, extname(source));
  return saveKbDocument(tx, { tenantId, source, title, body, chunks, now });
}

function titleOf(body: string): string | undefined {
  return /^#{1,6}[^\S\n]+(\S.*?)\s*#*$/m.exec(body)?.[1];
}
