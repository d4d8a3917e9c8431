import { Hono } from "hono";
import { z } from "zod";
import { makeReplay } from "../../quality/replay/replays.ts";
import { conversationExists } from "../../store/conversations.ts";
import { withTenant } from "../../store/db.ts";
import { replayById } from "../../store/replay-reads.ts";
import { policyRow } from "../../tools/change-authority/policy.ts";
import { change } from "../change.ts";
import { type AdminDeps, type AdminEnv, actorOf } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { notFound } from "../error-response.ts";
import { refuseUnusable } from "./policies.ts";

const judged = z.strictObject({
  toolName: z.string(),
  args: z.unknown(),
  policyResult: z.enum(["allow", "approval", "deny"]).nullable(),
  reason: z.string().nullable(),
});
const turn = z.strictObject({
  seq: z.int(),
  asked: z.string(),
  recorded: z.strictObject({ text: z.string(), calls: z.array(judged) }),
  replayed: z.strictObject({
    text: z.string(),
    calls: z.array(judged),
    error: z.string().nullable(),
  }),
  same: z.boolean(),
});
const replaySchema = z.strictObject({
  id: z.string(),
  conversation_id: z.string(),
  model_id: z.string().describe("Empty: no model was asked"),
  rules: z.enum(["in_force", "given"]).describe("Those that stood at the replay, or a list"),
  turns: z.array(turn),
  different: z.int().describe("Answers that came out otherwise"),
});

const wishSchema = z.strictObject({
  conversation_id: z.string().min(1).max(64),
  model: z
    .string()
    .max(200)
    .nullable()
    .optional()
    .describe('A model\'s name; "" the one in use; null or left out: no model is asked'),
  policies: z.array(policyRow).max(1000).optional(),
});

/** A recorded conversation under another model or other rules, side by side. Nothing is run. */
export function replayRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  const spec = {
    method: "post",
    path: "/",
    summary: "Replays a conversation",
    status: 201,
  } as const;
  endpoint(routes, { ...spec, body: wishSchema, answer: replaySchema }, async (c, { body }) => {
    const tenantId = c.get("tenantId");
    const conversationId = body.conversation_id;
    if (body.policies) refuseUnusable(deps, body.policies);
    await change(c, deps, async (tx, { audit }) => {
      if (!(await conversationExists(tx, tenantId, conversationId)))
        throw notFound(`conversation ${conversationId}`);
      audit("conversation.replayed", `a replay of conversation ${conversationId} was begun`);
    });
    const { model } = body;
    const made = await makeReplay(
      deps.replay,
      {
        ...{ tenantId, conversationId, policies: body.policies ?? null },
        model: model === undefined || model === null ? null : { name: model || null },
        by: actorOf(c.get("principal")),
      },
      c.req.raw.signal,
    );
    const { id, modelId, turns } = made;
    const policiesJson = body.policies ?? null;
    return c.json(shown({ id, conversationId, modelId, policiesJson, turnsJson: turns }), 201);
  });
  endpoint(
    routes,
    { method: "get", path: "/:id", summary: "A replay that was made", answer: replaySchema },
    async (c) => {
      const tenantId = c.get("tenantId");
      const id = c.req.param("id") ?? "";
      const row = await withTenant(deps.db, tenantId, (tx) => replayById(tx, tenantId, id));
      if (!row) throw notFound(`replay ${id}`);
      return c.json(shown(row));
    },
  );
  return routes;
}

type Row = NonNullable<Awaited<ReturnType<typeof replayById>>>;

function shown(
  row: Pick<Row, "id" | "conversationId" | "modelId" | "policiesJson" | "turnsJson">,
): z.input<typeof replaySchema> {
  return {
    id: row.id,
    conversation_id: row.conversationId,
    model_id: row.modelId,
    rules: row.policiesJson === null ? "in_force" : "given",
    turns: row.turnsJson,
    different: row.turnsJson.filter(({ same }) => !same).length,
  };
}
