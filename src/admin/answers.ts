import { z } from "zod";

/** A stored row with the names of its columns in snake_case and times in ISO 8601. */
export const shownRow = z.looseObject({ id: z.string() });

/** Fields of no fixed list. */
export const shownFields = z.looseObject({});

/** A whole list. */
export const rowList = z.looseObject({ items: z.array(shownFields) });

/** One page of a list; `next_cursor` asks for the next, null: it was the last. */
export const rowPage = z.strictObject({
  items: z.array(shownFields),
  next_cursor: z.string().nullable(),
});

/** A change of authority that people have to approve: nothing is changed yet. */
export const askedAnswer = z.looseObject({
  approval: z.string().describe("A-17"),
  approves_itself_at: z
    .string()
    .nullable()
    .optional()
    .describe("null: not before its card stands in a chat of the operators"),
  message: z.string(),
});

/** Nothing comes back. */
export const noBody = z.undefined();
