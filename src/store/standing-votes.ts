import { and, eq } from "drizzle-orm";
import type { Verified } from "../domain/verified.ts";
import { APPROVALS, type ApprovalRow, VOTES, type Vote } from "./approvals.ts";
import { partyOf } from "./conversations.ts";
import type { Tx } from "./db.ts";
import { ownersOf } from "./makers.ts";
import { verified } from "./row-mac.ts";
import { approvalVotes } from "./schema/approvals.ts";
import { staff } from "./schema/tenancy.ts";
import { type StaffMember, type StaffRole, staffById } from "./staff.ts";
import { type Joins, joinsOf } from "./staff-accounts.ts";

/**
 * `role`: it takes an admin now. `own`: the request is the person's own, or about the person.
 * `one_person`: another vote is of the same person.
 */
export type FallenWhy = "suspended" | "role" | "own" | "one_person";

/** Somebody approved exactly this, and it counts no more. */
export interface FallenVote {
  name: string;
  why: FallenWhy;
}

/** `personId`: whoever the voter is by now. */
export interface StandingVote {
  vote: Verified<Vote>;
  personId: string;
  name: string;
}

export interface Standing {
  /** One of each person, the first first. */
  votes: StandingVote[];
  fallen: FallenVote[];
}

/**
 * Which approving votes count at this moment, for the action as it is in the row: of people who are
 * active, who have the role that the request asks for, and `role` of the rules where those ask for
 * more, and who are neither its maker nor whom it is about. The one place that decides on it, for
 * counting and for the dispatch.
 */
export async function standingOf(
  tx: Tx,
  approval: ApprovalRow,
  role: StaffRole = approval.approverRole,
): Promise<Standing> {
  const given = await givenVotes(tx, approval);
  const standing: Standing = { votes: [], fallen: [] };
  if (given.length === 0) return standing;
  const { tenantId, conversationId, requestedBy } = approval;
  const { contactId } = await partyOf(tx, tenantId, conversationId);
  const owners = await ownersOf(tx, { tenantId, makers: [requestedBy, contactId] });
  // whoever was joined into another is suspended
  const isAnyGone = given.some(({ person }) => person?.status !== "active");
  const joins = isAnyGone ? await joinsOf(tx, tenantId) : NOBODY_JOINED;
  const needsAdmin = role === "admin" || approval.approverRole === "admin";
  for (const one of given) {
    const { vote } = one;
    const personId = joins.into(vote.staffId);
    const person = personId === vote.staffId ? one.person : await staffById(tx, tenantId, personId);
    const isOwn =
      !isByDelay(approval, vote) && [personId, vote.staffId].some((id) => owners.has(id));
    const why =
      voidedWhy(vote, personId) ??
      personWhy(person, { isOwn, needsAdmin }) ??
      (standing.votes.some((other) => other.personId === personId) ? "one_person" : null);
    const name = person?.name ?? one.name;
    if (why === null) standing.votes.push({ vote, personId, name });
    else standing.fallen.push({ name, why });
  }
  return standing;
}

/** How many people's votes stand: as a card shows it, and as an approval counts. */
export async function countStandingVotes(tx: Tx, approval: ApprovalRow): Promise<number> {
  return (await standingOf(tx, approval)).votes.length;
}

/** What people granted and what of it counts now. `forged`: the product did not write the request. */
export async function grantOf(tx: Tx, approval: ApprovalRow, role: StaffRole) {
  const row = verified(tx, APPROVALS, approval);
  if (!row) return "forged";
  const { votes, fallen } = await standingOf(tx, row, role);
  return { row, votes: votes.map(({ vote }) => vote), fallen };
}

const NOBODY_JOINED: Pick<Joins, "into"> = { into: (staffId) => staffId };

interface Given {
  vote: Verified<Vote>;
  /** null: something else than the product wrote that row. */
  person: StaffMember | null;
  name: string;
}

/** On the action as it is; of the voided ones those that were taken away after the decision. */
async function givenVotes(tx: Tx, approval: ApprovalRow): Promise<Given[]> {
  const { tenantId, id, actionDigest, decidedAt } = approval;
  const rows = await tx
    .select({ vote: approvalVotes, person: staff })
    .from(approvalVotes)
    .innerJoin(
      staff,
      and(eq(staff.tenantId, approvalVotes.tenantId), eq(staff.id, approvalVotes.staffId)),
    )
    .where(
      and(
        eq(approvalVotes.tenantId, tenantId),
        eq(approvalVotes.approvalId, id),
        eq(approvalVotes.decision, "approve"),
        eq(approvalVotes.actionDigest, actionDigest),
      ),
    )
    .orderBy(approvalVotes.createdAt, approvalVotes.id);
  return rows.flatMap(({ vote: row, person }) => {
    const vote = verified(tx, VOTES, row);
    const isOver = row.voidedAt !== null && (decidedAt === null || row.voidedAt < decidedAt);
    if (!vote || isOver) return [];
    return [{ vote, person: verified(tx, "staff", person), name: person.name }];
  });
}

/** A change of authority that nobody ended in time: the vote is its maker's own. */
function isByDelay({ decidedVia, requestedBy }: ApprovalRow, { via, staffId }: Vote): boolean {
  return via === "delay" && decidedVia === "delay" && staffId === requestedBy;
}

/** A suspension takes back what is not carried out, also for the time after it. */
function voidedWhy({ voidedAt, staffId }: Vote, personId: string): FallenWhy | null {
  if (voidedAt === null) return null;
  return personId === staffId ? "suspended" : "one_person";
}

function personWhy(
  person: StaffMember | null,
  { isOwn, needsAdmin }: { isOwn: boolean; needsAdmin: boolean },
): FallenWhy | null {
  if (person?.status !== "active") return "suspended";
  if (isOwn) return "own";
  return needsAdmin && person.role !== "admin" ? "role" : null;
}
