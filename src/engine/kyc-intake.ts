import type { Media } from "../domain/inbound.ts";
import { kycOf } from "../domain/kyc.ts";
import { pendingOfTool } from "../store/approvals.ts";
import type { Tx } from "../store/db.ts";
import { markKycPending } from "../store/kyc.ts";
import { addMessage } from "../store/transcript.ts";
import { propose } from "../tools/propose.ts";
import type { EngineDeps } from "./deps.ts";
import { proposingOf, type Turn, unanswered, viewTurn } from "./turn.ts";

const DOCUMENT_KINDS: readonly Media["kind"][] = ["photo", "document", "video", "video_note"];

/**
 * A document, photo or round video sent while the identity check is missing or was declined opens
 * a review card. Files that come while it waits are added: a card with all of them takes its place.
 * People decide; the model only learns that they were asked.
 */
export async function openKycReview(tx: Tx, deps: EngineDeps, turn: Turn): Promise<void> {
  if (turn.run.kind !== "message") return;
  const { status } = kycOf(turn.contact.attributes);
  if (status === "verified" || status === "bad_attributes") return;
  const sent = unanswered(turn.view.transcript)
    .filter((message) => message.media.some(isDocument))
    .map((message) => message.id);
  if (sent.length === 0) return;
  const before = await documentsOnCard(tx, turn);
  const documents = [...new Set([...before, ...sent])];
  if (documents.length === before.length) return;
  if (status === "pending" && before.length === 0) return; // a person is at it elsewhere
  const { contactId } = turn.conversation;
  const proposing = proposingOf(deps, turn, {
    source: "system",
    messageId: null,
    modelCallId: null,
  });
  const args = JSON.stringify({ contactId, status: "verified", documents });
  const [call] = await propose(tx, deps.proposing, proposing, [
    { name: "set_kyc_status", arguments: args },
  ]);
  if (call?.state.kind !== "settled" || call.state.status !== "waiting_approval") return;
  await markKycPending(tx, { tenantId: turn.tenantId, contactId });
  await addMessage(tx, {
    tenantId: turn.tenantId,
    conversationId: turn.conversation.id,
    author: "system",
    kind: "event",
    text: `${call.state.reply.approval} (set_kyc_status) is waiting_approval: the client's documents arrived and an operator checks them; tell the lead so; do not say that the check is passed.`,
    runId: turn.run.id,
    now: deps.clock.now(),
  });
  turn.view = await viewTurn(tx, deps, turn);
}

/** A GIF proves nothing, and what an earlier version of the message brought is no further file. */
function isDocument({ kind, isAnimation, mimeType, earlier }: Media): boolean {
  const isGif = isAnimation === true || mimeType === "image/gif";
  return DOCUMENT_KINDS.includes(kind) && !isGif && !earlier;
}

async function documentsOnCard(tx: Tx, turn: Turn): Promise<string[]> {
  const waiting = await pendingOfTool(tx, {
    tenantId: turn.tenantId,
    conversationId: turn.conversation.id,
    toolName: "set_kyc_status",
  });
  const documents = waiting?.proposedActionJson.documents;
  return Array.isArray(documents) ? documents.filter((one) => typeof one === "string") : [];
}
