import { and, asc, eq } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import type { StyleContent } from "../domain/style.ts";
import type { Tx } from "./db.ts";
import { listKbDocuments } from "./kb-documents.ts";
import { kbDocuments } from "./schema/knowledge.ts";
import { agentSkills, agentStyles, promptVersions } from "./schema/quality.ts";
import { toolRegistry } from "./schema/tools.ts";
import { storable } from "./storable.ts";
import { contentOf } from "./styles.ts";

/** Tool → whether the tenant has it switched on. */
export async function toolSwitches(tx: Tx, tenantId: string): Promise<Record<string, boolean>> {
  const rows = await tx
    .select({ name: toolRegistry.toolName, isActive: toolRegistry.isActive })
    .from(toolRegistry)
    .where(eq(toolRegistry.tenantId, tenantId))
    .orderBy(asc(toolRegistry.toolName));
  return Object.fromEntries(rows.map(({ name, isActive }) => [name, isActive]));
}

/** All documents, whole, by source. */
export function documentTexts(tx: Tx, tenantId: string) {
  return tx
    .select({ source: kbDocuments.source, body: kbDocuments.body })
    .from(kbDocuments)
    .where(eq(kbDocuments.tenantId, tenantId))
    .orderBy(asc(kbDocuments.source));
}

/** Ids of all documents. */
export async function documentIds(tx: Tx, tenantId: string): Promise<string[]> {
  const documents = await listKbDocuments(tx, { tenantId, limit: 100_000, after: null });
  return documents.map(({ id }) => id);
}

/** The style that replies are written in, with the texts of its skills; null: there is none. */
export async function activeStyle(tx: Tx, tenantId: string): Promise<StyleContent | null> {
  const [version] = await tx
    .select({
      guidance: promptVersions.guidance,
      examples: promptVersions.examplesJson,
      skills: promptVersions.skillsJson,
    })
    .from(promptVersions)
    .innerJoin(
      agentStyles,
      and(
        eq(agentStyles.tenantId, promptVersions.tenantId),
        eq(agentStyles.styleId, promptVersions.styleId),
      ),
    )
    .where(
      and(
        eq(promptVersions.tenantId, tenantId),
        eq(promptVersions.isActive, true),
        eq(agentStyles.isActive, true),
      ),
    );
  if (!version) return null;
  const texts = await tx
    .select({ id: agentSkills.skillId, text: agentSkills.text })
    .from(agentSkills)
    .where(eq(agentSkills.tenantId, tenantId));
  return contentOf(version, texts);
}

/** The only style of a tenant from now on. */
export async function putStyle(
  tx: Tx,
  put: { tenantId: string; style: StyleContent; now: number },
): Promise<void> {
  const { tenantId, style, now } = put;
  const styleId = "default";
  await tx.delete(promptVersions).where(eq(promptVersions.tenantId, tenantId));
  await tx.delete(agentStyles).where(eq(agentStyles.tenantId, tenantId));
  await tx.delete(agentSkills).where(eq(agentSkills.tenantId, tenantId));
  await tx
    .insert(agentStyles)
    .values({ tenantId, styleId, name: "As given", isActive: true, createdAt: now });
  for (const { id: skillId, text } of style.skills)
    await tx.insert(agentSkills).values(storable({ tenantId, skillId, text, createdAt: now }));
  await tx.insert(promptVersions).values(
    storable({
      ...{ id: newId(), tenantId, styleId, version: 1, guidance: style.guidance, isActive: true },
      ...{ examplesJson: style.examples, skillsJson: style.skills },
      ...{ rationale: "for the evals", createdBy: "setup", createdAt: now },
    }),
  );
}
