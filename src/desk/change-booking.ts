import { BOOKING_SECRET, parseBookingUrl } from "../domain/booking-url.ts";
import type { Language } from "../domain/language.ts";
import { writeAudit } from "../store/audit.ts";
import type { AuditEvent } from "../store/audit-events.ts";
import type { Tx } from "../store/db.ts";
import type { Secrets } from "../store/secrets.ts";

/** Who changes something that needs no approval, and when (product time, milliseconds). */
export interface DeskChange {
  tenantId: string;
  /** Staff id, or `setup`. */
  by: string;
  now: number;
}

/** The link for calls; null: there is none, and the tool is not offered. */
export function bookingLink(tx: Tx, secrets: Secrets, tenantId: string): Promise<string | null> {
  return secrets.get(tx, tenantId, BOOKING_SECRET);
}

/**
 * Stored encrypted; the caller drops what is cached of the tenant's tools. Throws UserError, in the
 * given language, for a link that cannot be used. Answers the link as it is stored.
 */
export async function setBookingLink(
  tx: Tx,
  secrets: Secrets,
  change: DeskChange & { url: string; language?: Language },
): Promise<string> {
  const { tenantId, by, now } = change;
  const url = parseBookingUrl(change.url, change.language);
  await secrets.set(tx, { tenantId, name: BOOKING_SECRET, value: url, by, now });
  const summary = `The booking link was set to one of ${new URL(url).hostname}`;
  await note(tx, change, { eventType: "booking.set", summary });
  return url;
}

/** False when there was none. */
export async function removeBookingLink(
  tx: Tx,
  secrets: Secrets,
  change: DeskChange,
): Promise<boolean> {
  const removed = await secrets.remove(tx, change.tenantId, BOOKING_SECRET);
  if (removed)
    await note(tx, change, {
      eventType: "booking.removed",
      summary: "The booking link was removed",
    });
  return removed;
}

function note(
  tx: Tx,
  { tenantId, by, now }: DeskChange,
  said: { eventType: AuditEvent; summary: string },
): Promise<void> {
  return writeAudit(tx, [{ tenantId, userId: by, createdAt: now, ...said }]);
}
