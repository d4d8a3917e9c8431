import { z } from "zod";
import type { RagTool } from "../contract.ts";
import { refusal } from "../results.ts";

const parameters = z.strictObject({
  customer_id: z.string().max(64).optional(),
  reason: z.string().max(500).optional(),
});

/**
 * Known by name so that a proposal of it is written down and refused by its class, whatever the
 * policy says. Nothing here deletes anything.
 */
export function deleteCustomer(): RagTool<z.infer<typeof parameters>> {
  const refused = refusal({
    type: "contact",
    reason: "never_deleted",
    needsOperator: true,
    summary: "the bot deletes nobody's data",
    code: "POLICY_DENIED",
  });
  return {
    name: "delete_customer",
    title: "Deletion of a client",
    description: {
      does: "Would delete a client's data.",
      when: "never: it is always refused.",
      whenNot: "at any time; hand a client who wants this over to a person.",
      needs: "nothing.",
      limits: "always refused, whoever asks.",
      returns: "a refusal.",
    },
    risk: "delete",
    sideEffectType: "internal_rows",
    parameters,
    output: z.object({ ok: z.literal(true) }),
    offered: false,
    staged: false,
    isAvailable: () => true,
    prepare: async () => ({ kind: "refused", result: refused }),
    run: async () => ({ kind: "result", result: refused }),
  };
}
