import type { ClickEvent, SubmissionEvent } from "../domain/inbound.ts";
import type { StaffMember } from "../store/staff.ts";

/** A pressed button with the person looked up in the same transaction. */
export interface Press {
  tenantId: string;
  /** null: nobody that we know. */
  staff: StaffMember | null;
  click: ClickEvent;
}

/** A form that was sent, after its fields were checked. `staff`: null: nobody that we know. */
export interface Submitted {
  tenantId: string;
  staff: StaffMember | null;
  submission: SubmissionEvent;
  /** The message in which a secret was typed stands in the chat still. */
  isStillShown: boolean;
}
