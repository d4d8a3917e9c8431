import type { Json, JsonObject } from "../../../domain/json.ts";
import type { Tx } from "../../../store/db.ts";
import { leadMediaSince } from "../../../store/lead-messages.ts";
import { changeOrder, type Order, orderName } from "../../../store/orders.ts";
import type { WriteResult } from "../../contract.ts";
import { raiseHandoff } from "../../raise-handoff.ts";
import { isoTime } from "../../results.ts";
import type { ExchangeDeps } from "./exchange-deps.ts";
import { moveStage } from "./move-stage.ts";
import { paymentNote } from "./payment-notes.ts";
import { keepProof, proofText, type Settling, unpaid } from "./payment-outcomes.ts";

/** Only the backend proposes it, with a receipt; a model is never offered it. */
export const CONFIRM_TOOL = "confirm_fiat_payment";

const REASON = "fiat_receipt";
const RECEIPT_KINDS: ReadonlySet<string> = new Set(["photo", "document", "video"]);
/** Files of one review; the newest of more. */
export const MOST_RECEIPTS = 20;

/**
 * A transfer of money that no chain shows: people look at the account. Files and statements that
 * come while they do are added to what stands, so that one card has all of it.
 */
export async function takeReceipt(
  tx: Tx,
  deps: ExchangeDeps,
  settling: Settling,
  order: Order,
): Promise<WriteResult> {
  const { call, proof } = settling;
  const stated = { ...statedBefore(order), ...proof.receipt };
  const kept = await keepProof(tx, { call, proof: { ...proof, receipt: stated } }, order, {
    reason: REASON,
  });
  await moveStage(tx, call, "proof_waiting");
  const sent = await leadMediaSince(tx, call, receiptsSince(order));
  const files = sent.filter(({ media }) => media.some((one) => RECEIPT_KINDS.has(one.kind)));
  const args: JsonObject = {
    orderId: orderName(kept),
    reportedAt: isoTime(kept.proofReceivedAt ?? call.now),
    receipts: files.slice(-MOST_RECEIPTS).map(({ id }) => id),
    stated,
  };
  return {
    result: unpaid(kept, { reason: REASON, needsOperator: true }),
    proposes: [
      { tool: CONFIRM_TOOL, args, otherwise: (inner) => tellPeople(inner, deps, settling, kept) },
    ],
  };
}

/**
 * A person declined what was handed in: nothing holds the order, and the next receipt is a review
 * of its own. The time in which people looked is not taken from the lead: the order is reminded of
 * once more and closes after the usual grace.
 */
export async function dropReceipt(tx: Tx, order: Order, now: number): Promise<void> {
  if (order.status !== "awaiting_payment" || order.proofJson?.reason !== REASON) return;
  await changeOrder(
    tx,
    { tenantId: order.tenantId, id: order.id, now },
    {
      proofReceivedAt: null,
      proofJson: { rejectedAt: isoTime(now) },
      expiresAt: Math.max(order.expiresAt, now),
    },
  );
}

/** When the lead was told where to pay; null: never, as far as the order knows. */
export function requisitesSentAt(order: Pick<Order, "requisitesJson">): number | null {
  return timeIn(order.requisitesJson?.issuedAt);
}

/** Files from before the payment details are no receipts, and those declined were looked at. */
function receiptsSince(order: Order): number {
  const rejectedAt = timeIn(order.proofJson?.rejectedAt) ?? 0;
  return Math.max(requisitesSentAt(order) ?? order.createdAt, rejectedAt);
}

function timeIn(value: Json | undefined): number | null {
  const at = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

/** What was told with receipts that still wait. */
function statedBefore({ proofReceivedAt, proofJson }: Order): Record<string, string> {
  const receipt = proofReceivedAt === null ? null : proofJson?.receipt;
  if (typeof receipt !== "object" || receipt === null || Array.isArray(receipt)) return {};
  const texts = Object.entries(receipt).filter((entry): entry is [string, string] => {
    return typeof entry[1] === "string";
  });
  return Object.fromEntries(texts);
}

/** No card could be made: a plain request, so that the lead is not promised what nobody sees. */
async function tellPeople(
  tx: Tx,
  deps: ExchangeDeps,
  { call, proof }: Settling,
  order: Order,
): Promise<void> {
  const { tenantId, conversationId, contactId, now } = call;
  await raiseHandoff(tx, deps.jobs, {
    ...{ tenantId, conversationId, contactId, now, order },
    reason: "payment_review",
    summary: { en: paymentNote(REASON), ru: paymentNote(REASON, "ru") },
    ...proofText(proof),
  });
}
