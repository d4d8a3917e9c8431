import type { Language } from "../domain/language.ts";
import { isEverAllowed } from "../policy/policy-warnings.ts";
import type { Tx } from "../store/db.ts";
import { listPolicyRows } from "../store/policies.ts";
import { activeToolNames } from "../store/tool-registry.ts";
import { addMessage } from "../store/transcript.ts";
import { HANDOFF_TOOL } from "../tools/handoff-to-operator.ts";
import type { ProposedCall } from "../tools/propose.ts";
import { raiseHandoff } from "../tools/raise-handoff.ts";
import { asksForPerson } from "./asks-person.ts";
import type { EngineDeps } from "./deps.ts";
import { clientSays, type Turn, unansweredTexts, viewTurn } from "./turn.ts";

/**
 * A client who asks for a person gets one, also where the tenant's switch or rules leave the model
 * no tool for it. With the tool the model asks by itself, and says why.
 */
export async function callPersonIfAsked(tx: Tx, deps: EngineDeps, turn: Turn): Promise<void> {
  if (turn.conversation.mode !== "bot" || turn.contact.blocked) return;
  if (!unansweredTexts(turn.view.transcript).some(asksForPerson)) return;
  if (await isToolUsable(tx, turn.tenantId)) return;
  await callPerson(tx, deps, turn);
  turn.view = await viewTurn(tx, deps, turn);
}

/** The model asked for a person and the gate refused: the desk asks in its place. */
export async function callPersonIfDenied(
  tx: Tx,
  deps: EngineDeps,
  turn: Turn,
  calls: readonly ProposedCall[],
): Promise<void> {
  const isDenied = calls.some(
    ({ toolName, state }) =>
      toolName === HANDOFF_TOOL && state.kind === "settled" && state.reply.status === "denied",
  );
  if (isDenied && !turn.view.handoffOpen) await callPerson(tx, deps, turn);
}

async function isToolUsable(tx: Tx, tenantId: string): Promise<boolean> {
  const active = await activeToolNames(tx, tenantId);
  return (
    active.has(HANDOFF_TOOL) && isEverAllowed(HANDOFF_TOOL, await listPolicyRows(tx, tenantId))
  );
}

async function callPerson(tx: Tx, deps: EngineDeps, turn: Turn): Promise<void> {
  const { tenantId, conversation, view, run } = turn;
  const now = deps.clock.now();
  const said = clientSays(view.transcript);
  await raiseHandoff(tx, deps.jobs, {
    ...{ tenantId, conversationId: conversation.id, contactId: conversation.contactId, now },
    reason: "operator_request",
    order: view.order,
    summary: SUMMARY,
    ...(said === null ? {} : { said }),
  });
  await addMessage(tx, {
    ...{ tenantId, conversationId: conversation.id, author: "system", kind: "event", now },
    runId: run.id,
    text: "An operator was asked to step in; tell the client so, and promise nothing else.",
  });
}

const SUMMARY: Record<Language, string> = {
  en: "the client asks for a person, and the bot has no tool to call one",
  ru: "клиент просит человека, а у бота нет инструмента, чтобы его позвать",
};
