import { UserError } from "../../domain/errors.ts";
import { canonicalJson, type Json } from "../../domain/json.ts";
import type { StyleContent, StyleDraft, StyleSkill } from "../../domain/style.ts";
import type { Tx } from "../../store/db.ts";
import {
  activateVersion,
  activeVersion,
  addVersion,
  contentOf,
  contentOfVersion,
  draftOf,
  holdSkills,
  keepSkillTexts,
  listSkills,
  listStyles,
  lockStyle,
  putSkill,
  putStyleRow,
} from "../../store/styles.ts";
import { shapeProblem, skillProblem, styleProblems } from "./check-style.ts";

const MOST_STYLES = 50;
const MOST_SKILLS = 200;

/** What of it is new. `version`: null: the same words as before. */
export interface SavedStyle {
  version: number | null;
  isActive: boolean;
}

/**
 * Writes a style; other words than those of its active version make a further one. Throws UserError
 * for what may not stand in it.
 */
export async function saveStyle(
  tx: Tx,
  save: {
    tenantId: string;
    styleId: string;
    name: string;
    draft: StyleDraft;
    /** Left out: as it stands. */
    isActive?: boolean | undefined;
    by: string;
    now: number;
  },
): Promise<SavedStyle> {
  const { tenantId, styleId, name, draft, by, now } = save;
  const misnamed = shapeProblem(name);
  if (misnamed) throw new UserError("unprocessable", `name: ${misnamed}`, "name");
  await holdSkills(tx, tenantId);
  const skills = await listSkills(tx, tenantId);
  refuseUnfit(draft, skills);
  const before = await lockStyle(tx, tenantId, styleId);
  if (!before && (await listStyles(tx, tenantId)).length >= MOST_STYLES)
    throw new UserError(
      "unprocessable",
      `There are ${MOST_STYLES} styles, which is the most; change one of them`,
    );
  const isActive = save.isActive ?? before?.isActive ?? false;
  await putStyleRow(tx, { tenantId, styleId, name, isActive, now });
  const standing = await activeVersion(tx, tenantId, styleId);
  if (standing && isSame(contentOfVersion(standing, skills), contentOf(draft, skills)))
    return { version: null, isActive };
  const version = await addVersion(tx, {
    ...{ tenantId, styleId, draft, by, now },
    ...{ rationale: "", coachProposalId: null },
  });
  return { version, isActive };
}

/** Puts an earlier version, or a later one, in force. Throws UserError for one that there is not. */
export async function rollBack(
  tx: Tx,
  to: { tenantId: string; styleId: string; version: number },
): Promise<void> {
  const { tenantId, styleId, version } = to;
  const style = await lockStyle(tx, tenantId, styleId);
  if (style && (await activateVersion(tx, to))) return;
  throw new UserError(
    "not_found",
    `There is no version ${version} of a style ${styleId}; read the list for what there is`,
  );
}

/**
 * Styles that have it attached say it from the next message on, each in a further version, which
 * holds the new text: a version's words never change. Answers those styles. Throws UserError.
 */
export async function saveSkill(
  tx: Tx,
  save: { tenantId: string; id: string; text: string; by: string; now: number },
): Promise<{ styleId: string; version: number }[]> {
  const problem = skillProblem(save.text);
  if (problem) throw new UserError("unprocessable", `text: ${problem}`, "text");
  const skills = await listSkills(tx, save.tenantId);
  if (skills.length >= MOST_SKILLS && !skills.some(({ id }) => id === save.id))
    throw new UserError(
      "unprocessable",
      `There are ${MOST_SKILLS} skills, which is the most; change one of them`,
    );
  await keepSkillTexts(tx, save.tenantId);
  await putSkill(tx, save); // holds the skill; styles are held after it, everywhere
  return sayAnew(tx, save);
}

async function sayAnew(
  tx: Tx,
  {
    tenantId,
    id,
    text,
    by,
    now,
  }: { tenantId: string; id: string; text: string; by: string; now: number },
): Promise<{ styleId: string; version: number }[]> {
  const made: { styleId: string; version: number }[] = [];
  for (const { styleId } of await listStyles(tx, tenantId)) {
    await lockStyle(tx, tenantId, styleId);
    const standing = await activeVersion(tx, tenantId, styleId);
    const said = standing && contentOfVersion(standing, []).skills.find((one) => one.id === id);
    if (!standing || !said || said.text === text) continue;
    const draft = draftOf(standing);
    const rationale = `The skill ${id} was written anew`;
    const added = { tenantId, styleId, draft, rationale, coachProposalId: null, by, now };
    made.push({ styleId, version: await addVersion(tx, added) });
  }
  return made;
}

function refuseUnfit(draft: StyleDraft, skills: readonly StyleSkill[]): void {
  const [problem] = styleProblems(draft, new Set(skills.map(({ id }) => id)));
  if (problem)
    throw new UserError("unprocessable", `${problem.path}: ${problem.message}`, problem.path);
}

function isSame(left: StyleContent, right: StyleContent): boolean {
  const text = (content: StyleContent) => canonicalJson(content as unknown as Json); // plain data
  return text(left) === text(right);
}
