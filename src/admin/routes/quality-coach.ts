import { Hono } from "hono";
import { z } from "zod";
import { UserError } from "../../domain/errors.ts";
import type { Shadow } from "../../domain/quality.ts";
import {
  acceptProposal,
  dismissProposal,
  refuseDecided,
} from "../../quality/coach/decide-proposal.ts";
import type { ShadowEvals } from "../../quality/coach/deps.ts";
import { makeSuggestion } from "../../quality/coach/propose.ts";
import { beginShadow, compare, runShadow } from "../../quality/coach/shadow.ts";
import { keptText } from "../../quality/kept-words.ts";
import {
  type CoachProposalRow,
  insertCoachProposal,
  listCoachProposals,
  lockCoachProposal,
} from "../../store/coach.ts";
import { type Tx, withTenant } from "../../store/db.ts";
import { type Change, change } from "../change.ts";
import type { AdminContext, AdminDeps, AdminEnv } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { notFound } from "../error-response.ts";
import { numberCursor, pageFields, pageOf, readCursor } from "../page.ts";
import { present } from "../present.ts";
import { idOrNumber, noteField } from "./quality-fields.ts";
import { nameField, styleContent, styleExample } from "./quality-style-fields.ts";

const shadowFields = { token: z.string(), version: z.int(), digest: z.string(), at: z.number() };
const shadowSchema = z.discriminatedUnion("state", [
  z.strictObject({ ...shadowFields, state: z.literal("running") }),
  z.strictObject({ ...shadowFields, state: z.literal("failed"), error: z.string() }),
  z.strictObject({
    ...{ ...shadowFields, state: z.literal("done"), modelId: z.string() },
    ...{ total: z.int(), passedBefore: z.int(), passedAfter: z.int() },
    broken: z.array(z.string()).describe("Cases that passed before and fail after"),
    mended: z.array(z.string()),
  }),
]);
const proposalSchema = z.strictObject({
  id: z.string(),
  number: z.int(),
  style_id: z.string(),
  status: z.enum(["pending", "accepted", "dismissed"]),
  model_id: z.string(),
  base_version: z.int().describe("The version of the style that was read; 0: there was none"),
  feedback_ids: z.array(z.string()).describe("Labels that it rests on"),
  suggestion_json: z.strictObject({
    guidance: z.string().nullable(),
    addExamples: z.array(styleExample),
    attachSkills: z.array(z.string()),
    detachSkills: z.array(z.string()),
    rationale: z.string(),
  }),
  shadow_json: shadowSchema.nullable().describe("The evals; null: they were not run yet"),
  decided_by: z.string().nullable(),
  created_by: z.string(),
  created_at: z.string(),
  decided_at: z.string().nullable(),
  becomes: styleContent
    .nullable()
    .describe(
      "The style with the suggestion on it, as it stands now; null: it is decided, or does not fit",
    ),
});

const status = z.enum(["pending", "accepted", "dismissed"]);
const LIST = {
  method: "get",
  path: "/",
  summary: "What a coach suggested for styles, newest first",
  query: z.strictObject({ ...pageFields, status: status.optional() }),
  answer: z.strictObject({ items: z.array(proposalSchema), next_cursor: z.string().nullable() }),
} as const;
const CREATE = {
  method: "post",
  path: "/",
  summary: "Has a model read what people marked in replies of a style, and suggest other words",
  body: z.strictObject({ styleId: nameField }),
  answer: proposalSchema,
  status: 201,
} as const;
const SHADOW = {
  method: "post",
  path: "/:id/shadow",
  summary:
    "Runs the evals under the style as it is and as it would be; the answer comes before they end",
  answer: proposalSchema,
  status: 202,
} as const;
const ACCEPT = {
  method: "post",
  path: "/:id/accept",
  summary:
    "Makes a version of the suggestion, which speaks at once; wants shadow evals that broke nothing",
  answer: proposalSchema.extend({ version: z.int() }),
} as const;
const DISMISS = {
  method: "post",
  path: "/:id/dismiss",
  summary: "Changes nothing of the style",
  body: z.strictObject({ note: noteField }),
  answer: proposalSchema,
} as const;

/** Suggestions of a model, for people to decide on. None changes tools, schemas or policies. */
export function coachRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  endpoint(routes, LIST, async (c, { query }) => {
    const tenantId = c.get("tenantId");
    const { limit } = query;
    const after = readCursor(query.cursor, numberCursor);
    const found = { tenantId, limit: limit + 1, after, status: query.status };
    const page = await withTenant(deps.db, tenantId, async (tx) => {
      const rows = pageOf(await listCoachProposals(tx, found), limit, ({ number }) => number);
      const items = [];
      for (const row of rows.items) items.push(await shown(tx, row));
      return { ...rows, items };
    });
    return c.json(page);
  });
  endpoint(routes, CREATE, async (c, { body }) => {
    const { styleId } = body;
    const of = { tenantId: c.get("tenantId"), styleId };
    const made = await makeSuggestion(deps, of, c.req.raw.signal);
    const item = await change(c, deps, async (tx, { tenantId, by, now, audit }) => {
      const by_at = { createdBy: by, createdAt: now };
      const row = await insertCoachProposal(tx, { tenantId, styleId, ...made, ...by_at });
      audit("coach_proposal.created", `${named(row)} made from ${made.feedbackIds.length} labels`);
      return shown(tx, row);
    });
    return c.json(item, 201);
  });
  shadowRoute(routes, deps);
  endpoint(routes, ACCEPT, async (c) => {
    const item = await changeOne(c, deps, async (tx, row, { by, now, audit }) => {
      const accepted = await acceptProposal(tx, row, { by, now });
      const { version } = accepted;
      audit("coach_proposal.accepted", `${named(row)} accepted as version ${version}`);
      return { ...(await shown(tx, accepted.row)), version };
    });
    return c.json(item);
  });
  endpoint(routes, DISMISS, async (c, { body }) => {
    const item = await changeOne(c, deps, async (tx, row, { by, now, audit }) => {
      const dismissed = await dismissProposal(tx, row, { by, now });
      const refs: Record<string, string> = body.note === null ? {} : { note: keptText(body.note) };
      audit("coach_proposal.dismissed", `${named(row)} dismissed`, refs);
      return shown(tx, dismissed);
    });
    return c.json(item);
  });
  return routes;
}

function shadowRoute(routes: Hono<AdminEnv>, deps: AdminDeps): void {
  endpoint(routes, SHADOW, async (c) => {
    const shadowEvals = evalsOf(deps);
    const { begun, item } = await changeOne(c, deps, async (tx, row, { now, audit }) => {
      refuseDecided(row);
      const begun = await beginShadow(tx, row, { now, boot: deps.bootId });
      audit("coach_proposal.shadowed", `evals of ${named(row)} begun`);
      return { begun, item: await shown(tx, begun.row) };
    });
    void runShadow({ ...deps, shadowEvals }, begun); // never throws; the row tells how it ended
    return c.json(item, 202);
  });
}

function evalsOf({ shadowEvals }: AdminDeps): ShadowEvals {
  if (shadowEvals) return shadowEvals;
  throw new UserError(
    "unprocessable",
    "This process cannot run evals; use one that was started from the whole repository",
  );
}

/** The path names it by id or number; held until the change is done. */
function changeOne<T>(
  c: AdminContext,
  deps: AdminDeps,
  work: (tx: Tx, row: CoachProposalRow, change: Change) => Promise<T>,
): Promise<T> {
  const which = c.req.param("id") ?? "";
  return change(c, deps, async (tx, made) => {
    const row = await lockCoachProposal(tx, made.tenantId, idOrNumber(which));
    if (!row) throw notFound(`coach proposal ${which}`);
    return work(tx, row, made);
  });
}

function named({ number, styleId }: CoachProposalRow): string {
  return `coach proposal ${number} for the style ${styleId}`;
}

async function shown(tx: Tx, row: CoachProposalRow) {
  const { tenantId: _tenant, ...columns } = row;
  return {
    ...present({ ...columns, shadowJson: shownShadow(row.shadowJson) }),
    becomes: row.status === "pending" ? await becoming(tx, row) : null,
  };
}

function shownShadow(shadow: Shadow | null): Shadow | null {
  if (shadow?.state !== "running") return shadow;
  const { boot: _boot, ...rest } = shadow;
  return rest;
}

async function becoming(tx: Tx, row: CoachProposalRow) {
  try {
    return (await compare(tx, row)).after;
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}
