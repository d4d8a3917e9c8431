import { z } from "zod";
import type { JsonObject } from "../../domain/json.ts";
import { RISK_CLASSES } from "../../domain/tool.ts";
import type { GateFacts } from "../../policy/evaluate.ts";

/** Rows of the gate as they have been written since facts are kept. */
const factsSchema: z.ZodType<GateFacts> = z.object({
  tool: z.object({
    name: z.string(),
    risk: z.enum(RISK_CLASSES),
    isActive: z.boolean(),
    stageAllowed: z.boolean(),
  }),
  known: z.looseObject({ actor_role: z.string(), source: z.string() }) as unknown as z.ZodType<
    GateFacts["known"]
  >, // plain JSON, as it comes out of a row
  sameAccount: z.boolean(),
  callsInRun: z.int(),
  payloadBytes: z.int(),
  attemptsLeft: z.int(),
  costLimitReached: z.boolean(),
  readOnlyRun: z.boolean(),
  hasBusinessKey: z.boolean(),
  approvers: z.object({ operator: z.int(), admin: z.int() }),
  rejectedBefore: z.boolean(),
  toolWithdrawn: z.boolean(),
  outcomeUnknown: z.boolean(),
  payoutsStopped: z.boolean(),
});

/** The facts that a gate decided on; null: of another version, and nobody can tell what it saw. */
export function readFacts(json: JsonObject | null | undefined): GateFacts | null {
  const parsed = factsSchema.safeParse(json);
  return parsed.success ? parsed.data : null;
}
