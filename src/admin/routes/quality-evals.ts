import { Hono } from "hono";
import { z } from "zod";
import { UserError } from "../../domain/errors.ts";
import { caseRecords } from "../../quality/cases-record.ts";
import { type EvalCase, sentCaseSchema } from "../../quality/evals/case-format.ts";
import { caseOfRow, rowOfCase, writtenOf } from "../../quality/evals/case-rows.ts";
import { ruleFaults } from "../../quality/evals/case-rules.ts";
import { compareOutcomes } from "../../quality/evals/compare.ts";
import { caseFromRegression } from "../../quality/evals/from-regression.ts";
import { knownTools } from "../../quality/known-tools.ts";
import { shown as shownValue } from "../../quality/regressions/fault.ts";
import { type BegunEvalRun, insertBegunRun, runsUnderWay } from "../../store/begun-eval-runs.ts";
import { withTenant } from "../../store/db.ts";
import { type EvalCaseRow, listEvalCases, saveEvalCases } from "../../store/eval-cases.ts";
import { evalBatch, listEvalBatches, listEvalRuns } from "../../store/eval-runs.ts";
import { findCase } from "../../store/quality-cases.ts";
import { change } from "../change.ts";
import type { AdminContext, AdminDeps, AdminEnv } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { notFound } from "../error-response.ts";
import { instantCursor, pageFields, pageOf, readCursor } from "../page.ts";
import { present } from "../present.ts";
import { idOrNumber, shownTime } from "./quality-fields.ts";

const caseShown = z.looseObject({ id: z.string(), case_name: z.string(), source: z.string() });
const list = <T extends z.ZodType>(item: T) => ({
  items: z.array(item),
  next_cursor: z.string().nullable(),
});
const runShown = z.strictObject({
  id: z.string(),
  batch_id: z.string(),
  eval_case_id: z.string(),
  case_name: z.string().nullable().describe("null: the row is about the whole run"),
  agent_version: z.string(),
  model_id: z.string(),
  actual_tool: z.string().nullable(),
  actual_arguments_json: z.json().nullable(),
  policy_result: z.string().nullable(),
  passed: z.boolean(),
  failure_reason: z.string().nullable(),
  created_at: shownTime,
});
const runningShown = z.strictObject({
  batch_id: z.string(),
  model: z.string().nullable(),
  started_at: shownTime,
});
const batch = z.string().min(1).max(64);

const CASES = {
  method: "get",
  path: "/cases",
  summary: "Scenarios of the evals, by name, written as PUT takes them",
  query: z.strictObject(pageFields),
  answer: z.strictObject(list(caseShown)),
} as const;
const PUT_CASES = {
  method: "put",
  path: "/cases",
  summary: "Adds scenarios, and replaces those of the same name; all of them, or none",
  body: z.strictObject({ cases: z.array(sentCaseSchema).min(1).max(500) }),
  answer: z.strictObject({ items: z.array(caseShown) }),
} as const;
const FROM_REGRESSION = {
  method: "post",
  path: "/cases/from-regression",
  summary: "A scenario of a regression case; made again, it is replaced",
  body: z.strictObject({ id: z.union([z.string().min(1).max(64), z.int32().positive()]) }),
  answer: caseShown,
  status: 201,
} as const;
const RUNS = {
  method: "get",
  path: "/runs",
  summary: "Results, newest first, and the newest run that is under way, in whichever process",
  query: z.strictObject({ ...pageFields, batch: batch.optional() }),
  answer: z.strictObject({ ...list(runShown), running: runningShown.nullable() }),
} as const;
const BATCHES = {
  method: "get",
  path: "/batches",
  summary: "Runs that have ended, newest first, each with its totals",
  query: z.strictObject(pageFields),
  answer: z.strictObject(
    list(
      z.strictObject({
        batch_id: z.string(),
        model_id: z.string(),
        agent_version: z.string(),
        total: z.int(),
        passed: z.int(),
        failed: z.int(),
        error: z.string().nullable().describe("Why the run came to nothing; null: it did not"),
        created_at: shownTime,
      }),
    ),
  ),
} as const;
const START = {
  method: "post",
  path: "/runs",
  summary: "Runs the active scenarios in a process of its own; its results become rows",
  body: z.strictObject({
    model: z
      .string()
      .regex(/^[\w.:/@-]{1,100}$/, "a model's name")
      .optional()
      .describe("at the configured endpoint; left out: the model that the bot asks"),
  }),
  answer: z.strictObject({ batch_id: z.string(), status: z.literal("running") }),
  status: 202,
} as const;
const COMPARE = {
  method: "get",
  path: "/compare",
  summary: "What one run passed and another did not",
  query: z.strictObject({ before: batch, after: batch }),
  answer: z.strictObject({
    fixed: z.array(z.string()),
    broken: z.array(
      z.strictObject({ case_name: z.string(), failure_reason: z.string().nullable() }),
    ),
    same: z.strictObject({ passed: z.int(), failed: z.int() }),
    added: z.array(z.string()),
    removed: z.array(z.string()),
  }),
} as const;

/** Scenarios and results of a tenant: what a model does with them is judged before it is released. */
export function evalRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  endpoint(routes, CASES, async (c, { query }) => {
    const tenantId = c.get("tenantId");
    const { limit, cursor } = query;
    const after = readCursor(cursor, z.string());
    const rows = await withTenant(deps.db, tenantId, (tx) =>
      listEvalCases(tx, { tenantId, limit: limit + 1, after }),
    );
    const page = pageOf(rows, limit, (row) => row.caseName);
    return c.json({ ...page, items: page.items.map(shown) });
  });
  endpoint(routes, PUT_CASES, async (c, { body }) => {
    refuseFaults(deps, body.cases);
    const cases = body.cases.map((one): EvalCase => ({ ...one, source: "api" }));
    const items = await save(c, deps, cases);
    return c.json({ items });
  });
  endpoint(routes, FROM_REGRESSION, async (c, { body }) => {
    const made = await madeOf(c, deps, body.id);
    const [item] = await save(c, deps, [made]);
    return c.json(item, 201);
  });
  endpoint(routes, RUNS, async (c, { query }) => c.json(await runsPage(c, deps, query)));
  endpoint(routes, BATCHES, async (c, { query }) => c.json(await batchesPage(c, deps, query)));
  endpoint(routes, START, async (c, { body }) => c.json(await start(c, deps, body.model), 202));
  endpoint(routes, COMPARE, async (c, { query }) => {
    const before = await outcomesOf(c, deps, query.before);
    return c.json(compareOutcomes(before, await outcomesOf(c, deps, query.after)));
  });
  return routes;
}

function shown(row: EvalCaseRow) {
  return { id: row.id, ...writtenOf(caseOfRow(row)) };
}

/** A slip of the pen would make a case that can never fail, or never pass. Throws UserError. */
function refuseFaults({ registry }: AdminDeps, cases: readonly Omit<EvalCase, "source">[]): void {
  const tools = knownTools(registry);
  for (const [index, one] of cases.entries())
    for (const { path, expected, actual } of ruleFaults(writtenOf(one), tools)) {
      const at = ["cases", index, ...path].map(String).join(".");
      throw new UserError(
        "unprocessable",
        `${at}: wants ${expected}, got ${shownValue(actual)}`,
        at,
      );
    }
}

function save(c: AdminContext, deps: AdminDeps, cases: readonly EvalCase[]) {
  return change(c, deps, async (tx, { tenantId, audit }) => {
    const names = new Set(cases.map(({ case_name }) => case_name));
    if (names.size < cases.length)
      throw new UserError("unprocessable", "cases: a case_name stands twice", "cases");
    const rows = await saveEvalCases(tx, tenantId, cases.map(rowOfCase));
    audit("eval_cases.saved", `${rows.length} scenarios of the evals were saved`);
    return rows.map(shown);
  });
}

async function madeOf(c: AdminContext, deps: AdminDeps, id: string | number): Promise<EvalCase> {
  const tenantId = c.get("tenantId");
  const which = typeof id === "number" ? id : idOrNumber(id.replace(/^REG-/i, ""));
  const [record] = await withTenant(deps.db, tenantId, async (tx) => {
    const row = await findCase(tx, tenantId, which);
    return caseRecords(tx, deps.secrets, { tenantId, rows: row ? [row] : [] });
  });
  if (!record) throw notFound(`regression case ${id}`);
  return caseFromRegression(record, knownTools(deps.registry));
}

async function runsPage(c: AdminContext, { db }: AdminDeps, query: z.infer<typeof RUNS.query>) {
  const tenantId = c.get("tenantId");
  const { limit, cursor, batch: batchId } = query;
  const after = readCursor(cursor, instantCursor);
  const { rows, running } = await withTenant(db, tenantId, async (tx) => ({
    rows: await listEvalRuns(tx, { tenantId, batchId, limit: limit + 1, after }),
    running: (await runsUnderWay(tx, tenantId))[0],
  }));
  const page = pageOf(rows, limit, (row) => ({ at: row.createdAt, id: row.id }));
  return { ...page, items: page.items.map(present), running: running ? underWay(running) : null };
}

function underWay({ batchId, modelId, startedAt }: BegunEvalRun) {
  return {
    ...{ batch_id: batchId, model: modelId || null },
    started_at: new Date(startedAt).toISOString(),
  };
}

async function batchesPage(
  c: AdminContext,
  { db }: AdminDeps,
  query: z.infer<typeof BATCHES.query>,
) {
  const tenantId = c.get("tenantId");
  const { limit, cursor } = query;
  const after = readCursor(cursor, instantCursor);
  const rows = await withTenant(db, tenantId, (tx) =>
    listEvalBatches(tx, { tenantId, limit: limit + 1, after }),
  );
  const page = pageOf(rows, limit, (row) => ({ at: row.createdAt ?? 0, id: row.batchId }));
  const items = page.items.map((row) => ({ ...present(row), failed: row.total - row.passed }));
  return { ...page, items };
}

async function start(c: AdminContext, deps: AdminDeps, model: string | undefined) {
  const { evals } = deps;
  if (!evals) throw new UserError("unprocessable", "This process cannot run evals");
  const busy = () =>
    new UserError("conflict", "A run of the evals is under way; start again when it has ended");
  const wanted = { tenantId: c.get("tenantId"), model: model ?? null };
  const run = await evals.start(wanted, (begun) =>
    change(c, deps, async (tx, { audit }) => {
      await insertBegunRun(tx, begun);
      const on = model ?? "the model in use";
      audit("evals.started", `The evals were started on ${on}`, { batch: begun.batchId });
    }),
  );
  if (!run) throw busy();
  return { batch_id: run.batchId, status: "running" as const };
}

async function outcomesOf(c: AdminContext, { db }: AdminDeps, batchId: string) {
  const tenantId = c.get("tenantId");
  const rows = await withTenant(db, tenantId, (tx) => evalBatch(tx, tenantId, batchId));
  if (rows.length === 0) throw notFound(`run ${batchId}`);
  return rows.flatMap(({ caseName, passed, failureReason }) =>
    caseName === null ? [] : [{ case_name: caseName, passed, failure_reason: failureReason }],
  );
}
