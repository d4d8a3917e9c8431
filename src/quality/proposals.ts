import { UserError } from "../domain/errors.ts";
import type { ArtifactRef, ProposalResolution } from "../domain/quality.ts";
import type { Tx } from "../store/db.ts";
import { codesOfConversations } from "../store/payout-codes.ts";
import {
  decideProposal,
  type Evidence,
  evidenceOf,
  lockProposal,
  openProposals,
  type ProposalRow,
} from "../store/quality-proposals.ts";
import type { Secrets } from "../store/secrets.ts";
import { staffById } from "../store/staff.ts";
import { withoutSecrets } from "../tools/secret-shapes.ts";
import { keptText } from "./kept-words.ts";

/** Who decides, and when. */
export interface Deciding {
  tenantId: string;
  /** Staff id, or `setup`. */
  by: string;
  now: number;
  secrets: Secrets;
  /** The proposal's id or number. */
  which: string | number;
}

/** A proposal that waits, held until the transaction ends, with its labels, newest first. */
export interface Waiting {
  proposal: ProposalRow;
  evidence: [Evidence, ...Evidence[]];
}

/** Throws UserError when there is none, somebody has decided on it, or no label stands for it. */
export async function waitingProposal(tx: Tx, deciding: Deciding): Promise<Waiting> {
  const { tenantId, which, now } = deciding;
  await openProposals(tx, { tenantId, now });
  const proposal = await lockProposal(tx, tenantId, which);
  if (!proposal)
    throw new UserError(
      "not_found",
      `There is no proposal ${which}; read the list for what there is`,
    );
  if (proposal.status !== "pending") throw await decidedAlready(tx, proposal);
  const of = { tenantId, proposalIds: [proposal.id], most: Number.MAX_SAFE_INTEGER };
  const [newest, ...older] = await evidenceOf(tx, of);
  if (newest) return { proposal, evidence: [newest, ...older] };
  throw new UserError(
    "conflict",
    `All labels of proposal ${proposal.number} were taken back; a new label brings it back`,
  );
}

/** What became of a proposal. */
export type Ending =
  | { status: "dismissed"; note: string | null }
  | { status: "applied"; note: string | null; ref: ArtifactRef };

/** Its labels are answered by this; one that is given later opens another. */
export async function endProposal(
  tx: Tx,
  deciding: Deciding,
  { proposal, evidence }: Waiting,
  ending: Ending,
): Promise<void> {
  const { tenantId, by, now: at } = deciding;
  const { status } = ending;
  const codes = await codesOf(tx, deciding, evidence);
  const note = ending.note && keptText(ending.note, codes);
  const resolution: ProposalResolution = {
    ...(ending.status === "applied" ? { ref: keptRef(ending.ref) } : {}),
    ...(note ? { note } : {}),
    ...{ by, at },
    labels: Object.fromEntries(evidence.map((one) => [one.feedbackId, one.createdAt])),
  };
  const { id } = proposal;
  if (!(await decideProposal(tx, { tenantId, id, status, resolution })))
    throw new Error("a proposal that is held was decided by somebody else");
}

/** An address keeps its numbers. */
function keptRef({ kind, value }: ArtifactRef): ArtifactRef {
  return { kind, value: withoutSecrets(value) };
}

/** Pickup codes of the conversations that the labels are about. */
export async function codesOf(
  tx: Tx,
  { tenantId, secrets }: Pick<Deciding, "tenantId" | "secrets">,
  evidence: readonly Pick<Evidence, "conversationId">[],
): Promise<string[]> {
  const conversationIds = evidence.map(({ conversationId }) => conversationId);
  const codes = await codesOfConversations(tx, secrets, { tenantId, conversationIds });
  return [...codes.values()].flat();
}

async function decidedAlready(tx: Tx, proposal: ProposalRow): Promise<UserError> {
  const { number, status, tenantId, resolutionJson: ended } = proposal;
  const person = ended && (await staffById(tx, tenantId, ended.by));
  const by = person ? `${person.name} (${person.id})` : (ended?.by ?? "somebody");
  const when = new Date(ended?.at ?? proposal.updatedAt).toISOString();
  const ref = ended?.ref ? ` with ${ended.ref.kind} ${ended.ref.value}` : "";
  return new UserError(
    "conflict",
    `Proposal ${number} was ${status}${ref} by ${by} at ${when}; a newer label opens another one`,
  );
}
