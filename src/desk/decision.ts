import type { DecisionVia } from "../domain/approval.ts";
import type { JsonObject } from "../domain/json.ts";
import type { StaffMember } from "../store/staff.ts";
import type { Place } from "./pressed-place.ts";

/**
 * One person's answer to one request. Who it is and what they saw is told by the way it came in.
 */
export interface Decision {
  tenantId: string;
  approvalId: string;
  /** null: nobody that we know. */
  staff: StaffMember | null;
  decision: "approve" | "reject";
  /** Of a rejection; null or left out: none yet, it may be given later. */
  reason?: string | null;
  /** Fields of the action that are changed before it is approved: one act with the approval. */
  edit?: JsonObject | null;
  via: DecisionVia;
  /** Digest of what the person saw, or its head; left out: not told, and then nothing was changed. */
  seen?: string | null;
  /** Where a button was pressed. */
  place?: Place | undefined;
  /** More decisions follow in this transaction: the list of requests is brought up to date after them. */
  isOneOfMany?: boolean;
}

/** By somebody who may decide. */
export type StaffDecision = Decision & { staff: StaffMember };

/**
 * A refusal is a value and leaves the request as it was. `counted`: the vote stands, and more
 * people are needed.
 */
export interface Decided {
  accepted: boolean;
  code:
    | "approved"
    | "counted"
    | "rejected"
    | "forbidden"
    | "not_found"
    | "already_decided"
    | "voted_before"
    | "under_way"
    | "payouts_stopped"
    /** The gate would refuse to carry it out now: nothing is used up by the press. */
    | "gate_refuses"
    /** The client objected: somebody must lift that before anybody approves it. */
    | "frozen"
    /** The action was changed after the person saw it. */
    | "changed_since"
    /** It was changed, and nobody says which state the person has seen. */
    | "digest_required"
    /** What was asked for cannot be changed so. */
    | "edit_refused"
    | "daily_cap";
  /** For the person, in the staff's language. */
  message: string;
}

/** `message` is for the person alone, in the staff's language. */
export function refused(code: Decided["code"], message: string): Decided {
  return { accepted: false, code, message };
}
