import { z } from "zod";

const toolResultSchema = z.object({
  tool: z.string(),
  status: z.string(),
  data: z.unknown(),
});

/** All that a reply may rest on. Anything not in here is not known to the backend. */
export const guardFactsSchema = z.object({
  tool_results: z.array(toolResultSchema).default([]),
  evidence: z.array(z.object({ id: z.string(), text: z.string() })).default([]),
  order: z.record(z.string(), z.unknown()).nullable().default(null),
  lead_texts: z.array(z.string()).default([]),
  completed: z.array(z.string()).default([]),
  pending: z.array(z.string()).default([]),
  handoff: z.boolean().default(false),
});

/** All that a reply may rest on; what is not here cannot be said. */
export type GuardFacts = z.infer<typeof guardFactsSchema>;
/** With its status: a call that failed backs no claim. */
export type GuardToolResult = GuardFacts["tool_results"][number];

/** One piece of a draft that nothing backs. */
export interface Finding {
  /** What was said: wallet, rate, percent, claim, ... */
  kind: string;
  /** The exact piece of the reply. */
  text: string;
  rule: string;
  /** One line for the model's repair call. */
  hint: string;
}
