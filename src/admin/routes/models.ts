import { Hono } from "hono";
import { z } from "zod";
import { StartError, UserError } from "../../domain/errors.ts";
import { SyncRefusedError } from "../../domain/model-desk.ts";
import { withTenant } from "../../store/db.ts";
import { modelCalls } from "../../store/model-calls.ts";
import { change } from "../change.ts";
import type { AdminDeps, AdminEnv } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { limitField } from "../page.ts";
import { present, presentAll } from "../present.ts";
import { shownTime, timeField } from "./quality-fields.ts";

const operation = z.string().min(1).max(64);
const name = z.string().min(1).max(100);
const names = z.array(name);
const READ = {
  method: "get",
  path: "/",
  summary: "The models that answer, how they stand and what people think of them",
  query: z.strictObject({ operation: operation.optional() }),
  answer: z.strictObject({
    file: z.string().nullable().describe("null: the one model of OPENAI_BASE_URL"),
    operation,
    providers_usable: z.int(),
    providers_total: z.int(),
    degraded: z.boolean().describe("Fewer than two providers can be asked"),
    missing_keys: z.array(z.strictObject({ ref: z.string(), help: z.string() })),
    models: z.array(
      z.strictObject({
        ...{ llm_name: name, model: z.string(), enabled: z.boolean(), has_key: z.boolean() },
        ...{ cooldown_until: shownTime.nullable(), cause: z.string().nullable() },
        ...{ in_flight: z.int(), rating: z.number(), verdicts: z.number() },
      }),
    ),
  }),
} as const;
const CALLS = {
  method: "get",
  path: "/calls",
  summary: "Attempts at models, newest first, failed ones too",
  query: z.strictObject({
    since: timeField.optional(),
    operation: operation.optional(),
    trace_id: z.string().min(1).max(64).optional(),
    call_id: z.string().min(1).max(64).optional(),
    status: z.enum(["ok", "failed", "superseded"]).optional(),
    limit: limitField(1000, 100),
  }),
  answer: z.strictObject({ items: z.array(z.looseObject({ call_id: z.string() })) }),
} as const;
const RELOAD = {
  method: "post",
  path: "/reload",
  summary: "Takes MODELS_FILE as it is now, and lets cooling models be asked again",
  body: z.strictObject({ remove: names.max(100).default([]) }),
  mayBeEmpty: true,
  answer: z.strictObject({ added: names, changed: names, removed: names }),
} as const;

/** The pool is the installation's, keys and calls are the tenant's. */
export function modelRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  endpoint(routes, READ, async (c, { query }) => {
    const of = query.operation ?? "reply";
    const { models, missingKeys, ...pool } = await deps.models.snapshot(c.get("tenantId"), of);
    return c.json({
      ...{ file: deps.models.file(), operation: of, ...present(pool) },
      missing_keys: missingKeys,
      models: models.map(({ cooldownUntil, ...model }) => ({
        ...present(model),
        cooldown_until: cooldownUntil === null ? null : new Date(cooldownUntil).toISOString(),
      })),
    });
  });
  endpoint(routes, CALLS, async (c, { query }) => {
    const { trace_id: traceId, call_id: callId, ...wanted } = query;
    const tenantId = c.get("tenantId");
    const items = await withTenant(deps.db, tenantId, (tx) =>
      modelCalls(tx, { tenantId, traceId, callId, ...wanted }),
    );
    const shown = items.map(({ at, ...call }) => ({ ...call, createdAt: at }));
    return c.json({ items: presentAll(shown) });
  });
  endpoint(routes, RELOAD, async (c, { body }) => {
    const { ownTenant } = deps.models;
    if (c.get("tenantId") !== ownTenant)
      throw new UserError(
        "forbidden",
        `The models are the whole installation's; only an admin of the tenant ${ownTenant} may reload them`,
      );
    await change(c, deps, async () => {}); // rights first: the file takes effect outside of any transaction
    const taken = await deps.models.readFile(body.remove).catch(refused);
    await change(c, deps, async (_tx, { audit }) => {
      const said = Object.entries(taken).flatMap(([what, which]) =>
        which.length > 0 ? [`${what} ${which.join(", ")}`] : [],
      );
      audit("models.reloaded", said.join("; ") || "nothing changed");
    });
    return c.json(taken);
  });
  return routes;
}

function refused(error: unknown): never {
  if (error instanceof SyncRefusedError) throw new UserError("conflict", error.message, "remove");
  if (error instanceof StartError) throw new UserError("unprocessable", error.message);
  throw error;
}
