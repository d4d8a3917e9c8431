import { UserError } from "../../domain/errors.ts";
import type { CoachSuggestion } from "../../domain/quality.ts";
import type { StyleDraft, StyleSkill, VersionSkill } from "../../domain/style.ts";
import { type Defect, defectsOf } from "../../store/coach.ts";
import { type Tx, withTenant } from "../../store/db.ts";
import { insertAttempts } from "../../store/model-calls.ts";
import { activeVersion, draftOf, listSkills, listStyles } from "../../store/styles.ts";
import { askCoach, type Coaching } from "./ask-coach.ts";
import { fittingDefects } from "./coach-prompt.ts";
import type { CoachDeps } from "./deps.ts";
import { withSuggestion } from "./suggestion.ts";

/** Labels that are looked at, the newest. */
const MOST_LABELS = 50;
/** What replies count to that were written without a style; it need not be there. */
const NO_STYLE = "default";

/** A suggestion that passed all checks, and what it rests on. Nothing is stored of it yet. */
export interface MadeSuggestion {
  suggestion: CoachSuggestion;
  modelId: string;
  baseVersion: number;
  feedbackIds: string[];
}

/**
 * Has a model read what people marked in replies of one style. No transaction is open while it
 * does; each call is journaled. Throws UserError when there is nothing to read or to suggest.
 */
export async function makeSuggestion(
  deps: CoachDeps,
  of: { tenantId: string; styleId: string },
  signal: AbortSignal,
): Promise<MadeSuggestion> {
  const { tenantId, styleId } = of;
  const { standing, skills, defects } = await withTenant(deps.db, tenantId, (tx) =>
    readAll(tx, of),
  );
  if (defects.length === 0)
    throw new UserError(
      "unprocessable",
      `Nobody has marked a reply in the style ${styleId} with wrong_tool, missing_tool or bad_args; label some replies first`,
      "styleId",
    );
  const named = deps.replay.modelNamed({ tenantId, name: null });
  const coaching = await askCoach(named, { draft: standing.draft, skills, defects }, signal);
  await withTenant(deps.db, tenantId, (tx) =>
    insertAttempts(
      tx,
      tenantId,
      coaching.outcomes.flatMap(({ attempts }) => attempts),
    ),
  );
  const suggestion = usable(coaching, standing.draft);
  return {
    ...{ suggestion, modelId: named.modelId, baseVersion: standing.version },
    feedbackIds: defects.map(({ feedbackId }) => feedbackId),
  };
}

interface ReadStyle {
  standing: Standing;
  skills: StyleSkill[];
  defects: Defect[];
}

/** `version` 0: nothing is written yet. */
export interface Standing {
  version: number;
  draft: StyleDraft;
  /** As it says its skills. */
  said: readonly VersionSkill[];
}

async function readAll(
  tx: Tx,
  { tenantId, styleId }: { tenantId: string; styleId: string },
): Promise<ReadStyle> {
  const styles = await listStyles(tx, tenantId);
  if (styleId !== NO_STYLE && !styles.some((style) => style.styleId === styleId))
    throw new UserError(
      "not_found",
      `There is no style ${styleId}; read /quality/styles for what there is`,
      "styleId",
    );
  const skills = await listSkills(tx, tenantId);
  const defects = fittingDefects(await defectsOf(tx, { tenantId, styleId, limit: MOST_LABELS }));
  return { standing: await standingOf(tx, tenantId, styleId), skills, defects };
}

/** The words that the style has now. */
export async function standingOf(tx: Tx, tenantId: string, styleId: string): Promise<Standing> {
  const row = await activeVersion(tx, tenantId, styleId);
  return row
    ? { version: row.version, draft: draftOf(row), said: row.skillsJson }
    : { version: 0, draft: { guidance: "", examples: [], skills: [] }, said: [] };
}

function usable({ suggestion, problems }: Coaching, draft: StyleDraft): CoachSuggestion {
  if (suggestion === null)
    throw new UserError(
      "bad_gateway",
      `The model gave no usable suggestion (${problems.join("; ").slice(0, 500)}); nothing is stored. Ask again, or write the style yourself`,
    );
  if (JSON.stringify(withSuggestion(draft, suggestion)) === JSON.stringify(draft))
    throw new UserError(
      "unprocessable",
      "The model suggests no change of the style; what people marked may need a change of tools or rules: see the improvement proposals",
    );
  return suggestion;
}
