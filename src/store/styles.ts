import { and, asc, desc, eq, ne } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import type { StyleContent, StyleDraft, StyleSkill } from "../domain/style.ts";
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

/** A further version, which is the active one from now on; answers its number. */
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
  await silenceVersions(tx, tenantId, styleId);
  await tx.insert(promptVersions).values(
    storable({
      ...{ id: newId(), tenantId, styleId, version, isActive: true },
      ...{ guidance: draft.guidance, examplesJson: draft.examples, skillsJson: draft.skills },
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
  return { guidance: row.guidance, examples: row.examplesJson, skills: row.skillsJson };
}

/** With the texts of its skills, in the draft's order. */
export function contentOf(draft: StyleDraft, skills: readonly StyleSkill[]): StyleContent {
  const texts = new Map(skills.map((skill) => [skill.id, skill]));
  return {
    guidance: draft.guidance,
    examples: draft.examples,
    skills: draft.skills.flatMap((id) => texts.get(id) ?? []),
  };
}
