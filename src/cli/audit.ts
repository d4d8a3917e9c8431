import { parseArgs } from "node:util";
import { presentPath } from "../admin/present-path.ts";
import { StartError } from "../domain/errors.ts";
import { findCalls } from "../store/audit-find.ts";
import { type CallPath, callPath } from "../store/audit-path.ts";
import { cardHead } from "../store/audit-verify.ts";
import { withTenant } from "../store/db.ts";
import { newestSchema, schemaOf } from "../store/migrations.ts";
import { pathText } from "./audit-text.ts";
import { verifyTrails } from "./audit-verify.ts";
import type { CommandParts } from "./command-parts.ts";

/** Shown for what cannot be read. */
export const AUDIT_USAGE =
  "npm run audit -- verify [--tenant T] [--head HEAD] | show ID [--tenant T] [--json]";

/** `tenantId`: null: all tenants. `head`: one that was noted outside the database; null: none. */
export type AuditRequest =
  | { verb: "verify"; tenantId: string | null; head: string | null }
  | { verb: "show"; tenantId: string; which: string; json: boolean };

/** null: bad usage. parseArgs throws for an unknown option. */
export function readAuditArgs(args: string[]): AuditRequest | null {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      tenant: { type: "string" },
      head: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const [verb, which, ...more] = positionals;
  const { tenant, json } = values;
  if (verb === "verify" && which === undefined && !json) {
    const head = values.head === undefined ? null : cardHead(values.head);
    if (values.head !== undefined && head === null) return null;
    return { verb, tenantId: tenant ?? null, head };
  }
  if (verb !== "show" || which === undefined || more.length > 0 || values.head !== undefined)
    return null;
  return { verb, tenantId: tenant ?? "default", which, json };
}

/** Looks only. Resolves to the exit code. */
export async function audit(parts: CommandParts, args: string[]): Promise<number> {
  const request = readAuditArgs(args);
  if (!request) throw new StartError(`usage: ${AUDIT_USAGE}`);
  if ((await schemaOf(parts.db)) !== newestSchema())
    throw new StartError(
      "The database has no sealed trail: it is new, or no start of this version has used it yet",
    );
  return request.verb === "verify" ? verifyTrails(parts, request) : show(parts, request);
}

async function show(
  { db, write }: CommandParts,
  request: Extract<AuditRequest, { verb: "show" }>,
): Promise<number> {
  const { tenantId, which, json } = request;
  const paths = await withTenant(db, tenantId, async (tx) => {
    const found: CallPath[] = [];
    for (const candidateId of await findCalls(tx, tenantId, which)) {
      const path = await callPath(tx, { tenantId, candidateId });
      if (path) found.push(path);
    }
    return found;
  });
  if (paths.length === 0)
    throw new StartError(
      `${which}: no call of tenant ${tenantId} has this name or id; use A-17, EX-20418, T-3, or the id of a candidate, approval, execution, message or run`,
    );
  if (json) write(JSON.stringify({ calls: paths.map(presentPath) }));
  else for (const line of paths.flatMap((path) => [...pathText(path), ""])) write(line);
  return 0;
}
