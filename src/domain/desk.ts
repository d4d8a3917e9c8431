import type { ClickEvent, SubmissionEvent } from "./inbound.ts";
import type { CardButton } from "./messenger.ts";

/** The private answer to a click, command or form: a toast, or an ephemeral message. */
export interface DeskAnswer {
  /** Fit for everybody in the chat: where a messenger has no private answer, they read it. */
  text: string;
  alert?: boolean;
  /** Said in place of `text` where only the person reads it. Never stored, never said in a chat. */
  privately?: string;
  /** Stand below the answer; each says who may press it. */
  buttons?: CardButton[];
  /** Takes the place of the message in which the button was pressed, with its buttons. */
  replaces?: boolean;
}

/** A form to open before the click is written: a modal, or a forced reply. */
export interface FormRequest {
  form: string;
  subject: string;
  title: string;
  submitLabel: string;
  fields: {
    name: string;
    label: string;
    multiline: boolean;
    optional: boolean;
    maxLength: number;
    /** What stands in it at first, where the messenger has forms; a text. */
    initial?: string;
  }[];
}

/**
 * A click, command, form or reaction that is written down already; the desk reads the event from
 * there.
 */
export interface InboxRef {
  tenantId: string;
  inboxId: string;
}

/** What the messenger's edge may ask of the desk. Doing it twice is a no-op with the same answer. */
export interface Desk {
  /** Reads rights only. null: the click needs no form, or the person may not open it. */
  formFor(tenantId: string, click: ClickEvent): Promise<FormRequest | null>;
  /** Errors of a form's fields by name, before it is acknowledged; empty when it is fine. */
  checkForm(submission: SubmissionEvent): Record<string, string>;
  /**
   * Judges the stored event and does it, in transactions of its own. null: nobody is to be told
   * anything.
   */
  handle(ref: InboxRef): Promise<DeskAnswer | null>;
}
