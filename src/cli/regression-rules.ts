import { readFile } from "node:fs/promises";
import { z } from "zod";
import { loadConfig } from "../config.ts";
import { messageOf, StartError } from "../domain/errors.ts";
import type { PolicyRow } from "../domain/policy-row.ts";
import type { ReplyStyle } from "../domain/style.ts";
import { fetchJson } from "../quality/regressions/fetch-export.ts";
import type { Rules } from "../quality/replay/judge-call.ts";
import { openPostgres } from "../store/database.ts";
import { withTenant } from "../store/db.ts";
import { voiceOf } from "../store/engine-reads.ts";
import { listPolicyRows } from "../store/policies.ts";
import { activeToolNames } from "../store/tool-registry.ts";
import { unlockDatabase } from "../store/unlock.ts";
import { policyRow } from "../tools/change-authority/policy.ts";
import { defaultPolicies } from "../tools/default-policies.ts";
import type { CaseSource, ReplayOptions } from "./tool-regression-options.ts";

/** Rules of a tenant; which of its tools are switched on, null: all; the style of its replies. */
interface TenantRules extends Pick<Rules, "policies" | "activeTools"> {
  style: ReplyStyle | null;
}

const rowsSchema = z.array(policyRow);
const policiesSchema = z.union([rowsSchema, z.object({ policies: rowsSchema })]);
const stylesSchema = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      is_active: z.boolean(),
      active: z
        .object({
          version: z.int(),
          guidance: z.string(),
          examples: z.array(z.object({ client: z.string(), answer: z.string() })),
          skills: z.array(z.string()),
          skill_texts: z.array(z.object({ id: z.string(), text: z.string() })).optional(),
        })
        .nullable(),
    }),
  ),
});
const skillsSchema = z.object({ items: z.array(z.object({ id: z.string(), text: z.string() })) });
const toolsSchema = z.object({
  items: z.array(z.object({ name: z.string(), is_active: z.boolean() })),
});

/** The rules that a replay meets. Throws StartError, one line with the next step. */
export async function readRules(options: ReplayOptions, source: CaseSource): Promise<TenantRules> {
  if (options.policies !== null) return rulesOfFile(options.policies);
  if (options.database !== null) return rulesOfDatabase(options.database);
  if (source.kind === "api") return rulesOfBot(source);
  return { policies: defaultPolicies(), activeTools: null, style: null };
}

async function rulesOfFile(file: string): Promise<TenantRules> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(file, "utf8"));
  } catch (cause) {
    const line = `--policies: ${file} cannot be read as JSON: ${messageOf(cause)}`;
    throw new StartError(line, { cause });
  }
  return { policies: rowsOf(value, `--policies: ${file}`), activeTools: null, style: null };
}

async function rulesOfBot(source: Extract<CaseSource, { kind: "api" }>): Promise<TenantRules> {
  const policies = rowsOf(await fetchJson(source, "policies"), "GET /policies");
  const tools = toolsSchema.safeParse(await fetchJson(source, "tools"));
  if (!tools.success)
    throw new StartError("GET /tools: is no list of tools; check that the bot has this version");
  const active = tools.data.items.filter((tool) => tool.is_active);
  const activeTools = new Set(active.map(({ name }) => name));
  return { policies, activeTools, style: await styleOfBot(source) };
}

/** null: the bot has none in use, or is of a version without styles. */
async function styleOfBot(
  source: Extract<CaseSource, { kind: "api" }>,
): Promise<ReplyStyle | null> {
  const styles = stylesSchema.safeParse(await fetchJson(source, "quality/styles"));
  const style = styles.data?.items.find(({ is_active }) => is_active);
  if (!style?.active) return null;
  const { version, guidance, examples, skills: ids, skill_texts: said } = style.active;
  if (said) return { id: style.id, version, guidance, examples, skills: said };
  const texts = skillsSchema.safeParse(await fetchJson(source, "quality/skills"));
  const skills = ids.flatMap((id) => texts.data?.items.filter((one) => one.id === id) ?? []);
  return { id: style.id, version, guidance, examples, skills };
}

async function rulesOfDatabase({
  url,
  tenant,
}: {
  url: string;
  tenant: string;
}): Promise<TenantRules> {
  const { dataDir, masterKey } = loadConfig();
  const database = await openPostgres(url);
  try {
    await unlockDatabase(database.db, { fromEnv: masterKey, dataDir });
    return await withTenant(database.db, tenant, async (tx) => ({
      policies: await listPolicyRows(tx, tenant),
      activeTools: await activeToolNames(tx, tenant),
      style: (await voiceOf(tx, tenant)).style,
    }));
  } finally {
    await database.close();
  }
}

function rowsOf(value: unknown, where: string): PolicyRow[] {
  const parsed = policiesSchema.safeParse(value);
  if (parsed.success) return Array.isArray(parsed.data) ? parsed.data : parsed.data.policies;
  const rows = Array.isArray(value) ? value : (value as { policies?: unknown } | null)?.policies;
  const issue = rowsSchema.safeParse(rows).error?.issues[0];
  const path = issue?.path.join(".") || "the file";
  throw new StartError(`${where}: ${path}: ${issue?.message ?? "wants a list of policy rows"}`);
}
