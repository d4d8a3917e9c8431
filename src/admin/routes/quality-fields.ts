import { z } from "zod";
import { storable } from "../../store/storable.ts";
import { LATEST_MS } from "../page.ts";

const A_TIME = "a time such as 2026-03-01T00:00:00Z, in the years 1970 to 9999";

/** Of queries and bodies; milliseconds once it is read. */
export const timeField = z.iso
  .datetime({ offset: true, error: A_TIME })
  .transform((text) => Date.parse(text))
  .refine((ms) => ms >= 0 && ms <= LATEST_MS, A_TIME);

/** A reviewer's words; null: none. */
export const noteField = z
  .string()
  .max(1000, "up to 1000 characters")
  .optional()
  .transform((text) => text?.trim() || null);

/** A name as models know tools by; there need not be such a tool yet. */
export const toolField = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "a tool's name: letters, digits, _ and - (up to 64)");

export const shownTime = z.iso.datetime();

/** A path names a row by its id or by the number that people say. */
export function idOrNumber(text: string, digits = 9): string | number {
  return new RegExp(`^\\d{1,${digits}}$`).test(text) ? Number(text) : storable(text);
}

/** Of `agent_tool_calls.number`, which has 64 bits. */
export const CALL_DIGITS = 15;
