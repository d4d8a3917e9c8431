import { UserError } from "../../domain/errors.ts";
import type { Shadow } from "../../domain/quality.ts";
import { type CoachProposalRow, changeCoachProposal } from "../../store/coach.ts";
import type { Tx } from "../../store/db.ts";
import { addVersion, holdSkills, listStyles, lockStyle, putStyleRow } from "../../store/styles.ts";
import { type Compared, compare } from "./shadow.ts";

const MOST_NAMED = 10;

/**
 * Puts the suggestion in force as a further version of its style. Of a row that the transaction
 * holds. Throws UserError unless the evals ran on just this change and nothing broke.
 */
export async function acceptProposal(
  tx: Tx,
  row: CoachProposalRow,
  { by, now }: { by: string; now: number },
): Promise<{ row: CoachProposalRow; version: number }> {
  refuseDecided(row);
  const { tenantId, styleId } = row;
  await holdSkills(tx, tenantId);
  const style = await lockStyle(tx, tenantId, styleId);
  const shadow = row.shadowJson;
  if (shadow?.state !== "done") throw conflict(notDone(shadow));
  const compared = await compare(tx, row);
  refuseChanged(shadow, compared);
  refuseBroken(shadow);
  if (!style) {
    const isActive = !(await listStyles(tx, tenantId)).some((other) => other.isActive);
    await putStyleRow(tx, { tenantId, styleId, name: styleId, isActive, now });
  }
  const version = await addVersion(tx, {
    ...{ tenantId, styleId, draft: compared.draft, by, now },
    ...{ rationale: row.suggestionJson.rationale, coachProposalId: row.id },
  });
  const status = "accepted" as const;
  const decided = await changeCoachProposal(tx, row, { status, decidedBy: by, decidedAt: now });
  return { row: decided, version };
}

/** Nothing changes by it. Throws UserError for one that is decided. */
export function dismissProposal(
  tx: Tx,
  row: CoachProposalRow,
  { by, now }: { by: string; now: number },
): Promise<CoachProposalRow> {
  refuseDecided(row);
  return changeCoachProposal(tx, row, { status: "dismissed", decidedBy: by, decidedAt: now });
}

/** Throws UserError for one that is decided. */
export function refuseDecided({ number, status, decidedBy, decidedAt }: CoachProposalRow): void {
  if (status === "pending") return;
  const at = decidedAt === null ? "" : `, ${new Date(decidedAt).toISOString()}`;
  throw conflict(`Proposal ${number} was ${status} already (${decidedBy}${at}); ask for a new one`);
}

function notDone(shadow: Shadow | null): string {
  if (shadow?.state === "running")
    return "The shadow evals of this proposal are running; wait until they are done";
  return shadow?.state === "failed"
    ? `The shadow evals failed (${shadow.error}); run the shadow evals again first`
    : "Run the shadow evals first: POST …/shadow";
}

function refuseChanged(shadow: Shadow, { version, digest }: Compared): void {
  if (shadow.version === version && shadow.digest === digest) return;
  const how =
    shadow.version === version
      ? "a skill's text is another one"
      : `version ${shadow.version} then, ${version} now`;
  throw conflict(
    `The style has changed since (${how}): look at what it would become, and run the shadow evals again`,
  );
}

function refuseBroken({ total, broken }: Extract<Shadow, { state: "done" }>): void {
  if (total === 0)
    throw conflict("The shadow evals ran no case; add eval cases, and run them again");
  if (broken.length === 0) return;
  const more = broken.length - MOST_NAMED;
  const names = broken.slice(0, MOST_NAMED).join(", ");
  throw conflict(
    `Cases that passed before fail with this suggestion: ${names}${more > 0 ? ` and ${more} more` : ""}; dismiss it, or mend them and run the shadow evals again`,
  );
}

function conflict(message: string): UserError {
  return new UserError("conflict", message);
}
