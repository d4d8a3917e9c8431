import { Hono } from "hono";
import { z } from "zod";
import { STYLE_LIMITS, type StyleSkill } from "../../domain/style.ts";
import { rollBack, saveSkill, saveStyle } from "../../quality/styles/save-style.ts";
import { type Tx, withTenant } from "../../store/db.ts";
import {
  contentOfVersion,
  listSkills,
  listStyles,
  listStyleVersions,
  type StyleRow,
  type StyleVersionRow,
  skillId,
} from "../../store/styles.ts";
import { change } from "../change.ts";
import type { AdminContext, AdminDeps, AdminEnv } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { notFound } from "../error-response.ts";
import { present } from "../present.ts";
import { parseInput } from "../request-input.ts";
import { nameField, styleExample } from "./quality-style-fields.ts";

/** Of a style, the newest. */
const SHOWN_VERSIONS = 20;

const skillSchema = z.strictObject({ id: z.string(), text: z.string() });
const versionSchema = z.strictObject({
  version: z.int(),
  is_active: z.boolean(),
  rationale: z.string().describe("Why a coach suggested it; empty: a person wrote it"),
  coach_proposal_id: z.string().nullable(),
  created_by: z.string(),
  created_at: z.string(),
  guidance: z.string(),
  examples: z.array(styleExample),
  skills: z.array(z.string()).describe("Ids"),
  skill_texts: z
    .array(skillSchema)
    .describe(
      "As this version says them; what a run was answered under is its version's whole text",
    ),
});
const styleSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  is_active: z.boolean().describe("Replies are written in it"),
  created_at: z.string(),
  active: versionSchema.nullable(),
  versions: z.array(versionSchema).describe("The newest first"),
});

const LIST = {
  method: "get",
  path: "/",
  summary: "Styles, each with its active version and its history",
  answer: z.strictObject({ items: z.array(styleSchema), next_cursor: z.null() }),
} as const;
const PUT = {
  method: "put",
  path: "/:id",
  summary: "Writes a style; other words make a further version of it, which speaks at once",
  body: z.strictObject({
    name: z.string().trim().min(1).max(80),
    guidance: z.string().max(STYLE_LIMITS.guidance),
    examples: z.array(styleExample).max(STYLE_LIMITS.examples).default([]),
    skills: z.array(nameField).max(STYLE_LIMITS.skills).default([]).describe("Ids"),
    is_active: z
      .boolean()
      .optional()
      .describe("Replies are written in it, and in no other; left out: as it stands"),
  }),
  answer: styleSchema,
} as const;
const ROLL_BACK = {
  method: "post",
  path: "/:id/versions/:n/activate",
  summary: "Puts another version of a style in force",
  answer: styleSchema,
} as const;

/** How replies read: tone and wording. Tools, rules and approvals are no part of a style. */
export function styleRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  endpoint(routes, LIST, async (c) => {
    const tenantId = c.get("tenantId");
    const items = await withTenant(deps.db, tenantId, (tx) => shownStyles(tx, tenantId));
    return c.json({ items, next_cursor: null });
  });
  endpoint(routes, PUT, async (c, { body }) => {
    const styleId = idOf(c);
    const { name, guidance, examples, skills, is_active } = body;
    const draft = { guidance, examples, skills };
    const item = await change(c, deps, async (tx, { tenantId, by, now, audit }) => {
      const save = { tenantId, styleId, name, draft, isActive: is_active, by, now };
      const saved = await saveStyle(tx, save);
      const what = saved.version === null ? "no new version" : `version ${saved.version}`;
      const use = saved.isActive ? "in use" : "not in use";
      audit("style.changed", `style ${styleId}: ${what}, ${use}`);
      return shownStyle(tx, tenantId, styleId);
    });
    return c.json(item);
  });
  endpoint(routes, ROLL_BACK, async (c) => {
    const styleId = idOf(c);
    const version = parseInput(Number(c.req.param("n")), z.int().min(1).max(1_000_000));
    const item = await change(c, deps, async (tx, { tenantId, audit }) => {
      await rollBack(tx, { tenantId, styleId, version });
      audit("style.rolled_back", `style ${styleId}: version ${version} in force`);
      return shownStyle(tx, tenantId, styleId);
    });
    return c.json(item);
  });
  return routes;
}

/** Texts that styles may have attached. */
export function skillRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  const list = {
    method: "get",
    path: "/",
    summary: "Texts that styles may have attached",
    answer: z.strictObject({ items: z.array(skillSchema), next_cursor: z.null() }),
  } as const;
  endpoint(routes, list, async (c) => {
    const tenantId = c.get("tenantId");
    const items = await withTenant(deps.db, tenantId, (tx) => listSkills(tx, tenantId));
    return c.json({ items, next_cursor: null });
  });
  const put = {
    method: "put",
    path: "/:id",
    summary:
      "Writes a text; styles that have it attached say it from the next message on, in a further version",
    body: z.strictObject({ text: z.string().trim().min(1).max(STYLE_LIMITS.skillText) }),
    answer: skillSchema,
  } as const;
  endpoint(routes, put, async (c, { body }) => {
    const id = idOf(c);
    await change(c, deps, async (tx, { tenantId, by, now, audit }) => {
      const made = await saveSkill(tx, { tenantId, id, text: body.text, by, now });
      audit("skill.changed", `skill ${id} written`);
      for (const { styleId, version } of made)
        audit("style.changed", `style ${styleId}: version ${version} by the skill ${id}`);
    });
    return c.json({ id, text: body.text });
  });
  return routes;
}

/** Throws UserError for a name that a style or a skill cannot have. */
function idOf(c: AdminContext): string {
  return parseInput({ id: c.req.param("id") }, z.object({ id: nameField })).id;
}

async function shownStyle(tx: Tx, tenantId: string, styleId: string) {
  const style = (await shownStyles(tx, tenantId)).find(({ id }) => id === styleId);
  if (!style) throw notFound(`style ${styleId}`);
  return style;
}

async function shownStyles(tx: Tx, tenantId: string) {
  const styles = await listStyles(tx, tenantId);
  const versions = await listStyleVersions(tx, tenantId);
  const skills = await listSkills(tx, tenantId);
  return styles.map((style) => {
    const own = versions.filter(({ styleId }) => styleId === style.styleId);
    return shown(style, own, skills);
  });
}

function shown(
  { styleId, name, isActive, createdAt }: StyleRow,
  versions: StyleVersionRow[],
  skills: readonly StyleSkill[],
) {
  const active = versions.find((version) => version.isActive);
  return {
    id: styleId,
    ...present({ name, isActive, createdAt }),
    active: active ? shownVersion(active, skills) : null,
    versions: versions.slice(0, SHOWN_VERSIONS).map((row) => shownVersion(row, skills)),
  };
}

function shownVersion(row: StyleVersionRow, skills: readonly StyleSkill[]) {
  const { version, isActive, rationale, coachProposalId, createdBy, createdAt } = row;
  return {
    ...present({ version, isActive, rationale, coachProposalId, createdBy, createdAt }),
    guidance: row.guidance,
    examples: row.examplesJson,
    skills: row.skillsJson.map(skillId),
    skill_texts: contentOfVersion(row, skills).skills,
  };
}
