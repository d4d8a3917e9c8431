import { Hono } from "hono";
import { z } from "zod";
import { UserError } from "../../domain/errors.ts";
import type { JsonObject } from "../../domain/json.ts";
import { findApproval, listApprovals } from "../../store/admin-reads.ts";
import { withTenant } from "../../store/db.ts";
import { rowPage, shownFields, shownRow } from "../answers.ts";
import type { AdminDeps, AdminEnv } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { notFound } from "../error-response.ts";
import { numberCursor, pageFields, pageOf, readCursor } from "../page.ts";
import { present, presentAll } from "../present.ts";

const STATUSES = [
  "pending",
  "frozen",
  "approved",
  "rejected",
  "expired",
  "superseded",
  "cancelled",
] as const;

/** `status=` asks for all. */
const statusSchema = z.literal("").or(z.enum(STATUSES)).optional();
const listSchema = z.strictObject({ ...pageFields, status: statusSchema });

const approvalAnswer = shownRow.extend({ votes: z.array(shownFields) });
const decidedAnswer = z.strictObject({ message: z.string(), approval: approvalAnswer });
const decisionSchema = z.strictObject({
  decision: z.enum(["approve", "reject"]),
  reason: z.string().max(1000).optional(),
  edit: (z.record(z.string(), z.json()) as z.ZodType<JsonObject>).optional(), // plain JSON by its schema
  digest: z
    .string()
    .regex(/^[0-9a-f]{8}([0-9a-f]{56})?$/, "action_digest, or its first 8 hex digits")
    .optional(),
});

/** An approval is named by its id or by the number people say: A-17. */
export function approvalRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  endpoint(
    routes,
    {
      method: "get",
      path: "/",
      summary: "Approvals, the newest first",
      query: listSchema,
      answer: rowPage,
    },
    async (c, { query: { limit, cursor, status } }) => {
      const tenantId = c.get("tenantId");
      const after = readCursor(cursor, numberCursor);
      const rows = await withTenant(deps.db, tenantId, (tx) =>
        listApprovals(tx, { tenantId, limit: limit + 1, after, status: status || undefined }),
      );
      const page = pageOf(rows, limit, (row) => row.number);
      return c.json({ ...page, items: presentAll(page.items) });
    },
  );
  endpoint(
    routes,
    {
      method: "get",
      path: "/:id",
      summary: "One approval with its votes, by id or as people say it: A-17",
      answer: approvalAnswer,
    },
    async (c) => c.json(await shownApproval(deps, c.get("tenantId"), c.req.param("id") ?? "")),
  );
  endpoint(
    routes,
    {
      method: "post",
      path: "/:id/decision",
      summary: "A decision, by the personal token of an operator or admin",
      body: decisionSchema,
      answer: decidedAnswer,
    },
    async (c, { body }) => {
      const principal = c.get("principal");
      if (principal.kind !== "personal")
        throw new UserError("personal_token_required", "Decisions need a personal token");
      const tenantId = c.get("tenantId");
      if (body.edit && body.decision === "reject")
        throw new UserError("unprocessable", "Only an approval may change the action", "edit");
      const { id } = await existing(deps, tenantId, c.req.param("id") ?? "");
      const { staffId } = principal;
      const answer = await deps.decide({ tenantId, approvalId: id, staffId, ...body, via: "api" });
      if (!answer.accepted) throw refusal(answer);
      return c.json({ message: answer.message, approval: await shownApproval(deps, tenantId, id) });
    },
  );
  return routes;
}

async function shownApproval(deps: AdminDeps, tenantId: string, which: string) {
  const { approval, votes } = await found(deps, tenantId, which);
  return { ...present(approval), votes: presentAll(votes) };
}

async function existing(deps: AdminDeps, tenantId: string, which: string) {
  return (await found(deps, tenantId, which)).approval;
}

async function found(deps: AdminDeps, tenantId: string, which: string) {
  const spoken = /^A-(\d{1,9})$/i.exec(which)?.[1];
  const row = await withTenant(deps.db, tenantId, (tx) =>
    findApproval(tx, tenantId, spoken ? Number(spoken) : which),
  );
  if (!row) throw notFound(`approval ${which}`);
  return row;
}

/** A decision that came too late is a conflict, one of the wrong person forbidden. */
function refusal({ code, message }: { code: string; message: string }): UserError {
  if (code === "edit_refused") return new UserError("unprocessable", message, "edit");
  if (code === "digest_required") return new UserError("unprocessable", message, "digest");
  return new UserError(code === "forbidden" ? "forbidden" : "conflict", message);
}
