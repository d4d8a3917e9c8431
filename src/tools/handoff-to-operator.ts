import { z } from "zod";
import { approvalName } from "../domain/approval.ts";
import type { Jobs } from "../domain/jobs.ts";
import type { Language } from "../domain/language.ts";
import { pendingOfConversation } from "../store/approvals.ts";
import type { Tx } from "../store/db.ts";
import { lastOrder } from "../store/orders.ts";
import { lockConversation } from "../store/runs.ts";
import type { RagTool, ToolCall } from "./contract.ts";
import { HANDOFF_REASONS, type NamedReason } from "./handoff-card.ts";
import { raiseHandoff } from "./raise-handoff.ts";
import { argumentsOf, success } from "./results.ts";

const parameters = z.strictObject({
  reason: z
    .string()
    .trim()
    .min(2)
    .max(100)
    .describe(`one of ${HANDOFF_REASONS.join(", ")}`),
  summary: z.string().trim().min(2).max(600).describe("what the client wants, in one sentence"),
});
type Args = z.infer<typeof parameters>;

export const HANDOFF_TOOL = "handoff_to_operator";

/**
 * Bound to no stage and no setting of the tenant, so that a lead can reach a person from anywhere.
 */
export function handoffToOperator(deps: { jobs: Jobs<Tx> }): RagTool<Args> {
  return {
    name: HANDOFF_TOOL,
    title: "Hand over to a person",
    description: {
      does: "Asks a person of the business to step in.",
      when: "when the client asks for a person, haggles over the rate, wants somebody else to pay, or needs what no tool does.",
      whenNot: "while a payout or a check already waits for a person.",
      needs: "reason and a one-sentence summary.",
      limits: "promises nothing; asked twice for the same it stays one request.",
      returns: "handoffId.",
    },
    risk: "draft_only",
    sideEffectType: "internal_rows",
    parameters,
    output: z.object({
      ok: z.literal(true),
      handoffId: z.string(),
      reason: z.string(),
      alreadyOpen: z.boolean(),
      approval: z.string().optional(),
    }),
    offered: true,
    staged: false,
    prose: ["reason", "summary"],
    isAvailable: () => true,
    async run(call) {
      const args = argumentsOf(parameters, call);
      return {
        kind: "write",
        apply: async (tx) => ({ result: await handOver(tx, deps.jobs, call, args) }),
      };
    },
  };
}

async function handOver(tx: Tx, jobs: Jobs<Tx>, call: ToolCall, args: Args) {
  const { tenantId, conversationId, contactId, now } = call;
  await lockConversation(tx, tenantId, conversationId);
  const reason = reasonOf(args.reason);
  const toolNames = ASKED_BY_CARD[reason];
  const standing = await pendingOfConversation(tx, { tenantId, conversationId, toolNames });
  if (standing)
    return success(
      { type: "handoff", id: standing.id, summary: "a person was asked already" },
      {
        handoffId: standing.id,
        reason,
        alreadyOpen: true,
        approval: approvalName(standing.number),
      },
    );
  const last = await lastOrder(tx, call);
  const isOver = last?.status === "completed" || last?.status === "cancelled";
  const handoff = await raiseHandoff(tx, jobs, {
    ...{ tenantId, conversationId, contactId, now, reason },
    order: isOver ? null : last,
    summary: SUMMARIES[reason],
    said: { by: "bot", text: args.summary },
  });
  const summary = handoff.isNew ? "a person was asked" : "a person was asked already";
  return success(
    { type: "handoff", id: handoff.id, summary },
    { handoffId: handoff.id, reason, alreadyOpen: !handoff.isNew },
  );
}

/** One request is one card: an approval that waits is the handoff of its own matter. */
const ASKED_BY_CARD: Record<NamedReason, readonly string[]> = {
  kyc_review: ["set_kyc_status"],
  payment_review: ["confirm_fiat_payment"],
  office_payout: ["issue_exchange_payout"],
  payout_review: ["issue_exchange_payout"],
  operator_request: [],
};

/** A reason in other words is a plain request for a person. */
function reasonOf(text: string): NamedReason {
  const name = text.toLowerCase().replace(/[\s-]+/g, "_");
  return HANDOFF_REASONS.find((reason) => reason === name) ?? "operator_request";
}

const SUMMARIES: Record<NamedReason, Record<Language, string>> = {
  kyc_review: { en: "identity documents have to be looked at", ru: "нужно посмотреть документы" },
  payment_review: { en: "a payment has to be looked at", ru: "нужно посмотреть платёж" },
  office_payout: { en: "a payout has to be made by hand", ru: "нужно выдать вручную" },
  payout_review: { en: "a payout has to be looked at", ru: "нужно посмотреть выплату" },
  operator_request: { en: "the bot passes the conversation on", ru: "бот передаёт разговор" },
};
