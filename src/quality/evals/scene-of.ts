import type { ToolReply } from "../../domain/tool.ts";
import type { Scene, SceneLine, SceneOrder, ScenePerson } from "../../store/scene.ts";
import type { CaseLine, CaseOrder, CaseOther, EvalCase } from "./case-format.ts";

const MINUTE_MS = 60_000;

/** The rows that a case begins with. */
export function sceneOf(
  { client, others, before, language }: EvalCase,
  { tenantId, channelId, now }: Pick<Scene, "tenantId" | "channelId" | "now">,
): Scene {
  return {
    ...{ tenantId, channelId, language, now, stage: client.stage },
    client: personOf(client, now),
    others: others.map((other) => personOf(other, now)),
    before: before.map(lineOf),
  };
}

function personOf(person: CaseOther, now: number): ScenePerson {
  const { name, kyc, email, email_verified: emailVerified, attributes, order } = person;
  return {
    ...{ name, kyc, email, emailVerified, attributes },
    order: order ? orderOf(order, now) : null,
  };
}

function orderOf(order: CaseOrder, now: number): SceneOrder {
  const isPaid =
    order.status === "paid" || order.status === "payout" || order.status === "completed";
  return {
    number: order.number ?? null,
    status: order.status,
    ...{ asset: order.asset, network: order.network, quoteAsset: order.quote_asset },
    ...{ amountMode: "source_amount", amountFrom: order.amount_from, amountTo: order.amount_to },
    ...{ rate: order.rate, paymentMethod: order.payment_method },
    ...{ payoutMethod: order.payout_method, payoutLocation: order.payout_location },
    ...{ payoutDestinationJson: order.payout_destination, requisitesJson: order.requisites },
    proofReceivedAt: order.proof_received ? now : null,
    quoteLockedAt: order.requisites === null ? null : now,
    ...(isPaid ? { paidAt: now, amountReceived: order.amount_from } : {}),
    ...(order.status === "completed" ? { completedAt: now, amountPaidOut: order.amount_to } : {}),
    expiresAt: now + order.expires_in_min * MINUTE_MS,
  };
}

function lineOf(line: CaseLine): SceneLine {
  if ("client" in line) return { author: "lead", kind: "text", text: line.client };
  if ("bot" in line) return { author: "bot", kind: "text", text: line.bot };
  if ("operator" in line) return { author: "staff", kind: "text", text: line.operator };
  if ("event" in line) return { author: "system", kind: "event", text: line.event };
  const { call, result } = line;
  return { author: "bot", kind: "calls", tool: call.tool, args: call.args, reply: replyOf(result) };
}

/** What the model was shown; a result that says nothing of its end counts as done. */
function replyOf({ ok = true, status = "completed", ...more }: Record<string, unknown>): ToolReply {
  return { ...more, ok: ok === true, status: String(status) };
}
