import { and, asc, desc, eq, ne } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import type { StyleContent, StyleDraft, StyleSkill, VersionSkill } from "../domain/style.ts";
import type { Tx } from "./db.ts";
import { agentSkills, agentStyles, promptVersions } from "./schema/quality.ts";
import { storable } from "./storable.ts";

export type StyleRow = typeof agentStyles.$inferSelect;
export type StyleVersionRow = typeof promptVersions.$inferSelect;

/** By id. */
export function listStyles(tx: Tx, tenantId: string): Promise<StyleRow[]> {
  return tx
    .select()
    .from(agentStyles)
    .where(eq(agentStyles.tenantId, tenantId))
    .orderBy(asc(agentStyles.styleId));
}

/** Of all styles, the newest of each first. */
export function listStyleVersions(tx: Tx, tenantId: string): Promise<StyleVersionRow[]> {
  return tx
    .select()
    .from(promptVersions)
    .where(eq(promptVersions.tenantId, tenantId))
    .orderBy(asc(promptVersions.styleId), desc(promptVersions.version));
}

/** Held until the transaction ends: its versions change under this lock alone. null: there is none. */
export async function lockStyle(
  tx: Tx,
  tenantId: string,
  styleId: string,
): Promise<StyleRow | null> {
  const [row] = await tx
    .select()
    .from(agentStyles)
    .where(and(eq(agentStyles.tenantId, tenantId), eq(agentStyles.styleId, styleId)))
    .for("update");
  return row ?? null;
}

/** Adds it, or changes its name and whether replies are written in it; then no other one is active. */
export async function putStyleRow(
  tx: Tx,
  put: Pick<StyleRow, "tenantId" | "styleId" | "name" | "isActive"> & { now: number },
): Promise<void> {
  const { tenantId, styleId, name, isActive, now } = put;
  if (isActive)
    await tx
      .update(agentStyles)
      .set({ isActive: false })
      .where(
        and(
          eq(agentStyles.tenantId, tenantId),
          eq(agentStyles.isActive, true),
          ne(agentStyles.styleId, styleId),
        ),
      );
  await tx
    .insert(agentStyles)
    .values(storable({ tenantId, styleId, name, isActive, createdAt: now }))
    .onConflictDoUpdate({
      target: [agentStyles.tenantId, agentStyles.styleId],
      set: storable({ name, isActive }),
    });
}

/** The version that speaks when the style is active; null: nothing is written yet. */
export async function activeVersion(
  tx: Tx,
  tenantId: string,
  styleId: string,
): Promise<StyleVersionRow | null> {
  const [row] = await tx
    .select()
    .from(promptVersions)
    .where(
      and(
        eq(promptVersions.tenantId, tenantId),
        eq(promptVersions.styleId, styleId),
        eq(promptVersions.isActive, true),
      ),
    );
  return row ?? null;
}

/**
 * A further version, which is the active one from now on; answers its number. It holds the texts of
 * its skills as they stand.
 */
export async function addVersion(
  tx: Tx,
  added: {
    tenantId: string;
    styleId: string;
    draft: StyleDraft;
    rationale: string;
    coachProposalId: string | null;
    by: string;
    now: number;
  },
): Promise<number> {
  const { tenantId, styleId, draft, rationale, coachProposalId, by, now } = added;
  const [newest] = await tx
    .select({ version: promptVersions.version })
    .from(promptVersions)
    .where(and(eq(promptVersions.tenantId, tenantId), eq(promptVersions.styleId, styleId)))
    .orderBy(desc(promptVersions.version))
    .limit(1);
  const version = (newest?.version ?? 0) + 1;
  const { skills } = contentOf(draft, await listSkills(tx, tenantId));
  await silenceVersions(tx, tenantId, styleId);
  await tx.insert(promptVersions).values(
    storable({
      ...{ id: newId(), tenantId, styleId, version, isActive: true },
      ...{ guidance: draft.guidance, examplesJson: draft.examples, skillsJson: skills },
      ...{ rationale, coachProposalId, createdBy: by, createdAt: now },
    }),
  );
  return version;
}

/** False: there is no such version. */
export async function activateVersion(
  tx: Tx,
  which: { tenantId: string; styleId: string; version: number },
): Promise<boolean> {
  const { tenantId, styleId, version } = which;
  const isWanted = and(
    eq(promptVersions.tenantId, tenantId),
    eq(promptVersions.styleId, styleId),
    eq(promptVersions.version, version),
  );
  const [row] = await tx.select({ id: promptVersions.id }).from(promptVersions).where(isWanted);
  if (!row) return false;
  await silenceVersions(tx, tenantId, styleId);
  await tx.update(promptVersions).set({ isActive: true }).where(isWanted);
  return true;
}

/** One at a time may be active, at every moment. */
async function silenceVersions(tx: Tx, tenantId: string, styleId: string): Promise<void> {
  await tx
    .update(promptVersions)
    .set({ isActive: false })
    .where(
      and(
        eq(promptVersions.tenantId, tenantId),
        eq(promptVersions.styleId, styleId),
        eq(promptVersions.isActive, true),
      ),
    );
}

/**
 * Writes the texts of skills into versions of an earlier build, which name them alone: what they
 * said is told by nothing else once a text changes.
 */
export async function keepSkillTexts(tx: Tx, tenantId: string): Promise<void> {
  const skills = await listSkills(tx, tenantId);
  for (const row of await listStyleVersions(tx, tenantId)) {
    if (row.skillsJson.every((skill) => typeof skill !== "string")) continue;
    const { skills: skillsJson } = contentOfVersion(row, skills);
    await tx
      .update(promptVersions)
      .set({ skillsJson })
      .where(and(eq(promptVersions.tenantId, tenantId), eq(promptVersions.id, row.id)));
  }
}

/** Held until the transaction ends, so that no text changes meanwhile. Before any style is. */
export async function holdSkills(tx: Tx, tenantId: string): Promise<void> {
  await tx
    .select({ id: agentSkills.skillId })
    .from(agentSkills)
    .where(eq(agentSkills.tenantId, tenantId))
    .orderBy(asc(agentSkills.skillId))
    .for("share");
}

/** By id. */
export function listSkills(tx: Tx, tenantId: string): Promise<StyleSkill[]> {
  return tx
    .select({ id: agentSkills.skillId, text: agentSkills.text })
    .from(agentSkills)
    .where(eq(agentSkills.tenantId, tenantId))
    .orderBy(asc(agentSkills.skillId));
}

export async function putSkill(
  tx: Tx,
  put: StyleSkill & { tenantId: string; now: number },
): Promise<void> {
  const { tenantId, id: skillId, text, now } = put;
  await tx
    .insert(agentSkills)
    .values(storable({ tenantId, skillId, text, createdAt: now }))
    .onConflictDoUpdate({
      target: [agentSkills.tenantId, agentSkills.skillId],
      set: storable({ text }),
    });
}

export function draftOf(row: StyleVersionRow): StyleDraft {
  const { guidance, examplesJson: examples, skillsJson } = row;
  return { guidance, examples, skills: skillsJson.map(skillId) };
}

/**
 * With the texts of its skills, in its own order: those that it holds itself, else as they stand
 * among `skills`.
 */
export function contentOf(
  draft: Omit<StyleDraft, "skills"> & { skills: readonly VersionSkill[] },
  skills: readonly StyleSkill[],
): StyleContent {
  const texts = new Map(skills.map((skill) => [skill.id, skill]));
  return {
    guidance: draft.guidance,
    examples: draft.examples,
    skills: draft.skills.flatMap((skill) =>
      typeof skill === "string" ? (texts.get(skill) ?? []) : [skill],
    ),
  };
}

/** As the version was said. */
export function contentOfVersion(
  { guidance, examplesJson: examples, skillsJson: skills }: StyleVersionRow,
  standing: readonly StyleSkill[],
): StyleContent {
  return contentOf({ guidance, examples, skills }, standing);
}

export function skillId(skill: VersionSkill): string {
  return typeof skill === "string" ? skill : skill.id;
}
