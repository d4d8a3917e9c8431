import { z } from "zod";
import { STYLE_LIMITS } from "../../domain/style.ts";

/** As the journal writes a style's name, with a version behind it. */
export const nameField = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,39}$/, "small letters, digits, - and _, at most 40, like formal");

export const styleExample = z.strictObject({
  client: z.string().trim().min(1).max(STYLE_LIMITS.exampleText),
  answer: z.string().trim().min(1).max(STYLE_LIMITS.exampleText),
});

/** A style with the texts of its skills. */
export const styleContent = z.strictObject({
  guidance: z.string(),
  examples: z.array(styleExample),
  skills: z.array(z.strictObject({ id: z.string(), text: z.string() })),
});
