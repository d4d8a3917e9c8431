import { createHash } from "node:crypto";
import { messageOf, UserError } from "../../domain/errors.ts";
import { newId } from "../../domain/ids.ts";
import { canonicalJson, type Json } from "../../domain/json.ts";
import type { CoachSuggestion, Shadow, ShadowEnd } from "../../domain/quality.ts";
import type { StyleContent, StyleDraft } from "../../domain/style.ts";
import {
  type CoachProposalRow,
  changeCoachProposal,
  lockCoachProposal,
} from "../../store/coach.ts";
import { type Tx, withTenant } from "../../store/db.ts";
import { contentOf, listSkills } from "../../store/styles.ts";
import type { CoachDeps, ShadowEvals } from "./deps.ts";
import { standingOf } from "./propose.ts";
import { suggestionProblems, withSuggestion } from "./suggestion.ts";

/** What is compared: the style as it is now, and with the suggestion on it. */
export interface Compared {
  version: number;
  before: StyleContent | null;
  after: StyleContent;
  /** As a further version would hold it. */
  draft: StyleDraft;
  digest: string;
}

/** Throws UserError when the suggestion does not fit on the style any more. */
export async function compare(
  tx: Tx,
  { tenantId, styleId, suggestionJson: suggestion }: CoachProposalRow,
): Promise<Compared> {
  const standing = await standingOf(tx, tenantId, styleId);
  const skills = await listSkills(tx, tenantId);
  const skillIds = new Set(skills.map(({ id }) => id));
  refuseUnfit(suggestion, { draft: standing.draft, skillIds });
  const draft = withSuggestion(standing.draft, suggestion);
  const before =
    standing.version === 0 ? null : contentOf({ ...standing.draft, skills: standing.said }, skills);
  const after = contentOf(draft, skills);
  return { version: standing.version, before, after, draft, digest: digestOf({ before, after }) };
}

function refuseUnfit(
  suggestion: CoachSuggestion,
  on: { draft: StyleDraft; skillIds: ReadonlySet<string> },
): void {
  const [problem] = suggestionProblems(suggestion, on);
  if (problem)
    throw new UserError(
      "conflict",
      `The style has changed since, and the suggestion does not fit on it any more (${problem}); dismiss it and ask for a new one`,
    );
}

function digestOf(compared: Pick<Compared, "before" | "after">): string {
  const text = canonicalJson(compared as unknown as Json); // plain data
  return createHash("sha256").update(text).digest("hex");
}

/**
 * Marks that evals run from now on, in the process `boot`; what is to be run. Of a row that the
 * transaction holds.
 */
export async function beginShadow(
  tx: Tx,
  row: CoachProposalRow,
  { now, boot }: { now: number; boot: string },
): Promise<{ row: CoachProposalRow; compared: Compared; token: string }> {
  if (row.shadowJson?.state === "running")
    throw new UserError(
      "conflict",
      "The shadow evals of this proposal are running; wait until they are done",
    );
  const compared = await compare(tx, row);
  const { version, digest } = compared;
  const token = newId();
  const shadowJson: Shadow = { token, version, digest, state: "running", at: now, boot };
  return { row: await changeCoachProposal(tx, row, { shadowJson }), compared, token };
}

/** Runs them and keeps how they ended, unless they were begun anew meanwhile. Never throws. */
export async function runShadow(
  deps: CoachDeps & { shadowEvals: ShadowEvals },
  begun: { row: CoachProposalRow; compared: Compared; token: string },
): Promise<void> {
  const { row, compared, token } = begun;
  const { tenantId, id } = row;
  const { before, after } = compared;
  try {
    const ended = await endOf(deps, { tenantId, before, after });
    await withTenant(deps.db, tenantId, async (tx) => {
      const now = await lockCoachProposal(tx, tenantId, id);
      const { shadowJson } = now ?? {};
      if (shadowJson?.token !== token) return;
      const { version, digest } = shadowJson;
      await changeCoachProposal(tx, row, { shadowJson: { token, version, digest, ...ended } });
    });
  } catch (error) {
    deps.log.error({ proposal: id, error: messageOf(error) }, "shadow evals were not kept");
  }
}

async function endOf(
  deps: CoachDeps & { shadowEvals: ShadowEvals },
  input: Parameters<ShadowEvals>[0],
): Promise<ShadowEnd> {
  try {
    return { state: "done", ...(await deps.shadowEvals(input)) };
  } catch (error) {
    deps.log.error({ tenant: input.tenantId, error: messageOf(error) }, "shadow evals failed");
    const said = error instanceof UserError ? error.message : "they broke off; see the log";
    return { state: "failed", at: deps.clock.now(), error: said.slice(0, 500) };
  }
}
