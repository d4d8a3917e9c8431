import type { ApprovalRow } from "../store/approvals.ts";
import type { Tx } from "../store/db.ts";
import { addMessage } from "../store/transcript.ts";
import type { CallScope, FollowUp } from "../tools/contract.ts";
import { propose } from "../tools/propose.ts";
import type { EngineDeps } from "./deps.ts";
import { newLease } from "./turn.ts";

/** A request that people approved, and whose conversation it is about. */
export interface Approved {
  approval: ApprovalRow;
  scope: CallScope;
}

/**
 * What follows from an action that was carried out, put to people by the system. Only for tools
 * that people approve: there is no run here in which anything else could be run.
 */
export async function proposeNext(
  tx: Tx,
  deps: EngineDeps,
  { approval, scope }: Approved,
  follow: readonly FollowUp[],
): Promise<void> {
  const now = deps.clock.now();
  const proposing = {
    ...{ ...scope, now, source: "system" as const, maker: approval.requestedBy },
    ...{ readOnlyRun: false, messageId: null, cycle: 0, modelCallId: null },
    ...{ lease: newLease(deps), realNow: deps.realNow(), clientSays: approval.clientSays },
  };
  const calls = follow.map(({ tool, args }) => ({ name: tool, arguments: JSON.stringify(args) }));
  const proposed = await propose(tx, deps.proposing, proposing, calls);
  for (const [index, { state, toolName }] of proposed.entries()) {
    if (state.kind !== "settled" || state.status !== "waiting_approval") {
      await follow[index]?.otherwise?.(tx);
      continue;
    }
    await addMessage(tx, {
      ...{ tenantId: scope.tenantId, conversationId: scope.conversationId, runId: null, now },
      ...{ author: "system", kind: "event" },
      text: `${state.reply.approval} (${toolName}) is waiting_approval: the system asked for it after another approval, and an operator checks it; tell the lead so; do not call it again.`,
    });
  }
}
