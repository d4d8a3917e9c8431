import { z } from "zod";
import type { InboundEvent, SubmissionEvent } from "../domain/inbound.ts";
import { type KeyChange, type Secrets, sealAnew } from "../store/secrets.ts";

/** The form in which an operator types a payout code. */
export const PAYOUT_CODE_FORM = "payout_code";

const SECRET_FORMS: ReadonlySet<string> = new Set([PAYOUT_CODE_FORM]);

/**
 * What is typed into it stands sealed in the stored event, and its message is deleted where we may.
 */
export function isSecretForm(form: string): boolean {
  return SECRET_FORMS.has(form);
}

/**
 * What is typed into such a form must stand in no row in the clear: it is sealed before the event
 * is stored. Every other event is left as it is.
 */
export function sealSecretForm<Event extends InboundEvent>(
  secrets: Secrets,
  tenantId: string,
  event: Event,
): Event {
  if (event.kind !== "submission" || !isSecretForm(event.form)) return event;
  const sealed = secrets.seal(JSON.stringify(event.values), place(tenantId, event));
  return { ...event, values: { [SEALED]: sealed.toString("base64") } };
}

/** The values as they were typed. */
export function openSecretForm(
  secrets: Secrets,
  tenantId: string,
  submission: SubmissionEvent,
): Record<string, string> {
  const sealed = Buffer.from(submission.values[SEALED] ?? "", "base64");
  return valuesSchema.parse(JSON.parse(secrets.open(sealed, place(tenantId, submission))));
}

/** The event under another key; null: what it holds does not open with the old one. */
export function sealFormAnew(
  tenantId: string,
  event: SubmissionEvent,
  change: KeyChange,
): SubmissionEvent | null {
  const old = Buffer.from(event.values[SEALED] ?? "", "base64");
  const sealed = sealAnew(old, place(tenantId, event), change)?.toString("base64");
  return sealed ? { ...event, values: { ...event.values, [SEALED]: sealed } } : null;
}

const SEALED = "sealed";
const valuesSchema = z.record(z.string(), z.string());

function place(tenantId: string, { channelId, eventKey }: SubmissionEvent): string {
  return JSON.stringify(["submission", tenantId, channelId, eventKey]);
}
