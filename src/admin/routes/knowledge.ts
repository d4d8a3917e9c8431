import { Hono } from "hono";
import { z } from "zod";
import { withTenant } from "../../store/db.ts";
import { listKbDocuments, removeKbDocument } from "../../store/kb-documents.ts";
import { noBody, rowList, rowPage } from "../answers.ts";
import { change } from "../change.ts";
import type { AdminDeps, AdminEnv } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { notFound } from "../error-response.ts";
import { importDocument } from "../import-document.ts";
import { pageFields, pageOf, readCursor } from "../page.ts";
import { presentAll } from "../present.ts";

const listSchema = z.strictObject(pageFields);
const documentSchema = z.strictObject({
  /** The same source again is a new revision of the same document. */
  source: z.string().trim().min(1).max(300),
  title: z.string().trim().min(1).max(300).optional(),
  body: z.string().min(1).max(1_000_000),
});
const savedAnswer = z.looseObject({ source: z.string(), id: z.string(), revision: z.int() });
const searchSchema = z.strictObject({
  q: z.string().trim().min(1).max(500),
  limit: z
    .string()
    .regex(/^([1-9]|1\d|20)$/, "a number from 1 to 20")
    .transform(Number)
    .default(5),
});

const GET_DOCUMENTS = {
  method: "get",
  path: "/documents",
  summary: "Documents of the knowledge base",
  query: listSchema,
  answer: rowPage,
} as const;
const POST_DOCUMENTS = {
  method: "post",
  path: "/documents",
  summary: "Writes a document; the same source again is a new revision",
  body: documentSchema,
  answer: savedAnswer,
  otherwise: { 201: savedAnswer },
} as const;
const DELETE_DOCUMENTS_ID = {
  method: "delete",
  path: "/documents/:id",
  summary: "Takes a document away",
  answer: noBody,
  status: 204,
} as const;
const GET_SEARCH = {
  method: "get",
  path: "/search",
  summary: "What a question would find",
  query: searchSchema,
  answer: rowList,
} as const;

/** Writes documents, and lets people try what a question would find. */
export function knowledgeRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  endpoint(routes, GET_DOCUMENTS, async (c, { query: { limit, cursor } }) => {
    const tenantId = c.get("tenantId");
    const after = readCursor(cursor, z.string());
    const rows = await withTenant(deps.db, tenantId, (tx) =>
      listKbDocuments(tx, { tenantId, limit: limit + 1, after }),
    );
    const page = pageOf(rows, limit, (row) => row.source);
    return c.json({ ...page, items: presentAll(page.items) });
  });
  endpoint(routes, POST_DOCUMENTS, async (c, { body }) => {
    const saved = await change(c, deps, async (tx, { tenantId, now, audit }) => {
      const document = await importDocument(tx, { tenantId, ...body, now });
      const { id, revision } = document;
      if (document.changed)
        audit("kb_document.imported", `Revision ${revision} of ${body.source}`, { id });
      return document;
    });
    deps.knowledgeChanged(c.get("tenantId"));
    return c.json({ source: body.source, ...saved }, saved.revision === 1 ? 201 : 200);
  });
  endpoint(routes, DELETE_DOCUMENTS_ID, async (c) => {
    const id = c.req.param("id") ?? "";
    await change(c, deps, async (tx, { tenantId, audit }) => {
      if (!(await removeKbDocument(tx, tenantId, id))) throw notFound(`document ${id}`);
      audit("kb_document.removed", "A document was removed", { id });
    });
    deps.knowledgeChanged(c.get("tenantId"));
    return c.body(null, 204);
  });
  endpoint(routes, GET_SEARCH, async (c, { query: { q, limit } }) => {
    const items = await deps.searchKnowledge({ tenantId: c.get("tenantId"), text: q, limit });
    return c.json({ items });
  });
  return routes;
}
