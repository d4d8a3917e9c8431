import { Hono } from "hono";
import { z } from "zod";
import type { JsonObject } from "../../domain/json.ts";
import { type GivenCase, makeCase, moveCase } from "../../quality/cases.ts";
import { caseRecords } from "../../quality/cases-record.ts";
import { EXPECTED_RESULTS } from "../../quality/expected.ts";
import { knownTools } from "../../quality/known-tools.ts";
import { regressionRecordSchema } from "../../quality/regressions/record.ts";
import { type Tx, withTenant } from "../../store/db.ts";
import { type CaseRow, type CaseStatus, listCases } from "../../store/quality-cases.ts";
import { change } from "../change.ts";
import type { AdminContext, AdminDeps, AdminEnv } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { notFound } from "../error-response.ts";
import { limitField, numberCursor, pageFields, pageOf, readCursor } from "../page.ts";
import { CALL_DIGITS, idOrNumber, noteField, toolField } from "./quality-fields.ts";
import { auditExport, jsonLines } from "./quality-json-lines.ts";

/** A case holds a whole conversation. */
const PAGE_LINES = 50;
const MOST_LINES = 5000;
const LONGEST_ARGS = 20_000;

const status = z.enum(["active", "archived", "all"]);
const sentence = (longest: number) => z.string().trim().min(1).max(longest);
const args = z
  .record(z.string(), z.json())
  .refine((value) => JSON.stringify(value).length <= LONGEST_ARGS, "too long")
  .transform((value) => value as JsonObject); // plain JSON by the line above

const CASE = {
  method: "post",
  path: "/:id/case",
  summary: "A regression case of one of the proposal's calls; the proposal is applied with it",
  body: z.strictObject({
    title: sentence(200).optional(),
    behavior: sentence(1000).optional(),
    tool_call_id: z.union([z.string().min(1).max(64), z.int().positive()]).optional(),
    tool_name: toolField.optional(),
    expected_tool: toolField.nullable().optional().describe("null: no tool may be called"),
    expected_args: args.optional(),
    expected_policy_result: z.enum(EXPECTED_RESULTS).optional(),
    forbidden_tools: z.array(toolField).max(50).optional(),
    action_items: z.array(sentence(500)).max(20).optional(),
    note: noteField,
  }),
  answer: regressionRecordSchema,
  status: 201,
} as const;
const LIST = {
  method: "get",
  path: "/",
  summary: "Regression cases, newest first; all of them, unless a status is named",
  query: z.strictObject({
    ...pageFields,
    status: status.default("all"),
    tool: z.string().optional(),
  }),
  answer: z.strictObject({
    items: z.array(regressionRecordSchema),
    next_cursor: z.string().nullable(),
  }),
} as const;
const EXPORT = {
  method: "get",
  path: "/export.jsonl",
  summary:
    "Regression cases, one a line, newest first; the active ones, unless a status is named. An admin's",
  query: z.strictObject({
    status: status.default("active"),
    limit: limitField(MOST_LINES, 500),
  }),
  answer: regressionRecordSchema,
  contentType: "application/x-ndjson",
} as const;
const ARCHIVE = {
  method: "post",
  path: "/:id/archive",
  summary: "It is no longer run; named by id, number or REG-7",
  answer: regressionRecordSchema,
} as const;
const RESTORE = {
  ...ARCHIVE,
  path: "/:id/restore",
  summary: "It is run again; named by id, number or REG-7",
} as const;

/** Below `/quality/proposals`. */
export function caseMakingRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  endpoint(routes, CASE, async (c, { body }) => {
    const which = idOrNumber(c.req.param("id") ?? "");
    const record = await change(c, deps, async (tx, { tenantId, by, now }) => {
      const deciding = { tenantId, by, now, which, secrets: deps.secrets };
      return shownCase(tx, deps, await makeCase(tx, deciding, givenCase(deps, body)));
    });
    return c.json(record, 201);
  });
  return routes;
}

/** Below `/quality/tool-call-regression-cases`. */
export function caseRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  endpoint(routes, LIST, async (c, { query }) => {
    const tenantId = c.get("tenantId");
    const { limit, tool: toolName } = query;
    const after = readCursor(query.cursor, numberCursor);
    const of = { tenantId, limit: limit + 1, after, toolName, status: statusOf(query.status) };
    const shown = await withTenant(deps.db, tenantId, async (tx) => {
      const page = pageOf(await listCases(tx, of), limit, ({ number }) => number);
      const items = await caseRecords(tx, deps.secrets, { tenantId, rows: page.items });
      return { ...page, items };
    });
    return c.json(shown);
  });
  endpoint(routes, EXPORT, async (c, { query }) => {
    const of = { tenantId: c.get("tenantId"), most: query.limit, status: statusOf(query.status) };
    await auditExport(c, deps, "regression_cases.exported");
    return jsonLines("tool-call-regression-cases.jsonl", pagesOf(deps, of));
  });
  endpoint(routes, ARCHIVE, async (c) => c.json(await move(c, deps, "archived")));
  endpoint(routes, RESTORE, async (c) => c.json(await move(c, deps, "active")));
  return routes;
}

function givenCase({ registry }: AdminDeps, body: z.infer<typeof CASE.body>): GivenCase {
  const { title, behavior, tool_call_id: call, note } = body;
  return {
    ...{ title, behavior, note, toolName: body.tool_name, tool: body.expected_tool },
    toolCallId: typeof call === "string" ? idOrNumber(call, CALL_DIGITS) : call,
    args: body.expected_args,
    policyResult: body.expected_policy_result,
    forbiddenTools: body.forbidden_tools,
    actionItems: body.action_items,
    tools: knownTools(registry),
  };
}

function statusOf(asked: z.infer<typeof status>): CaseStatus | undefined {
  return asked === "all" ? undefined : asked;
}

type CaseQuery = Parameters<typeof listCases>[1];

async function* pagesOf(
  deps: AdminDeps,
  of: { tenantId: string; most: number; status: CaseStatus | undefined },
) {
  const { tenantId } = of;
  let left = of.most;
  let after: number | null = null;
  do {
    const limit = Math.min(left, PAGE_LINES);
    const query: CaseQuery = { tenantId, status: of.status, after, limit };
    const { rows, records } = await withTenant(deps.db, tenantId, async (tx) => {
      const rows = await listCases(tx, query);
      return { rows, records: await caseRecords(tx, deps.secrets, { tenantId, rows }) };
    });
    yield records;
    left -= rows.length;
    after = rows.length === limit ? (rows.at(-1)?.number ?? null) : null;
  } while (after !== null && left > 0);
}

async function move(c: AdminContext, deps: AdminDeps, wanted: CaseStatus) {
  const named = c.req.param("id") ?? "";
  const which = idOrNumber(named.replace(/^REG-(?=\d+$)/i, ""));
  return change(c, deps, async (tx, { tenantId, by, now }) => {
    const moved = await moveCase(tx, { tenantId, by, now, which, status: wanted });
    if (!moved) throw notFound(`regression case ${named}`);
    return shownCase(tx, deps, moved);
  });
}

async function shownCase(tx: Tx, { secrets }: AdminDeps, row: CaseRow) {
  const [record] = await caseRecords(tx, secrets, { tenantId: row.tenantId, rows: [row] });
  if (!record) throw new Error("a case has no record");
  return record;
}
