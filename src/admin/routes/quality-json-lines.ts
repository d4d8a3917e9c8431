import { writeAudit } from "../../store/audit.ts";
import type { AuditEvent } from "../../store/audit-events.ts";
import { withTenant } from "../../store/db.ts";
import { type AdminContext, type AdminDeps, actorOf } from "../context.ts";

/** Who took a file of what clients wrote, and when: before its first line is sent. */
export function auditExport(
  c: AdminContext,
  { db, clock }: AdminDeps,
  eventType: Extract<AuditEvent, `${string}.exported`>,
): Promise<void> {
  const tenantId = c.get("tenantId");
  const userId = actorOf(c.get("principal"));
  const line = { tenantId, userId, eventType, createdAt: clock.now() };
  return withTenant(db, tenantId, (tx) =>
    writeAudit(tx, [{ ...line, summary: `${c.req.path.replace("/api/admin", "")} by ${userId}` }]),
  );
}

/** A file of one JSON value a line, sent page by page: an export may be larger than the memory. */
export async function jsonLines(
  fileName: string,
  pages: AsyncGenerator<readonly object[]>,
): Promise<Response> {
  const encoder = new TextEncoder();
  let page = await pages.next(); // what fails at once is answered as an error
  const body = new ReadableStream({
    async pull(controller) {
      if (page.done) {
        controller.close();
        return;
      }
      const text = page.value.map((row) => `${JSON.stringify(row)}\n`).join("");
      page = await pages.next();
      controller.enqueue(encoder.encode(text));
    },
    async cancel() {
      await pages.return(undefined);
    },
  });
  return new Response(body, {
    headers: {
      "content-type": "application/x-ndjson",
      "content-disposition": `attachment; filename="${fileName}"`,
      "cache-control": "no-store",
    },
  });
}
