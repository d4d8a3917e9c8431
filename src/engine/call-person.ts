import type { Language } from "../domain/language.ts";
import { isEverAllowed } from "../policy/policy-warnings.ts";
import type { Tx } from "../store/db.ts";
import { listPolicyRows } from "../store/policies.ts";
import { candidatesByIds } from "../store/proposals.ts";
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
  await callPerson(tx, deps, turn, "asked");
  turn.view = await viewTurn(tx, deps, turn);
}

/**
 * What the model proposed was denied: a person is called where it asked for one, where something is
 * out of the bot's reach, and where it named what another client has.
 */
export async function callPersonIfDenied(
  tx: Tx,
  deps: EngineDeps,
  turn: Turn,
  calls: readonly ProposedCall[],
): Promise<void> {
  const denied = calls.filter(
    ({ state }) => state.kind === "settled" && state.reply.status === "denied",
  );
  if (denied.length === 0) return;
  const ids = denied.map(({ candidateId }) => candidateId);
  const stored = await candidatesByIds(tx, turn.tenantId, ids);
  const isIn = (code: string) => stored.some((one) => one.code === code);
  if (denied.some(({ toolName }) => toolName === HANDOFF_TOOL))
    await callOnce(tx, deps, turn, "asked");
  else if (isIn("PERMISSION_DENIED")) await callOnce(tx, deps, turn, "no_access");
  else if (isIn("resource_access")) await callOnce(tx, deps, turn, "foreign");
}

/** The same for what calls came to that were made. */
export async function callPersonIfRefused(
  tx: Tx,
  deps: EngineDeps,
  turn: Turn,
  codes: readonly (string | undefined)[],
): Promise<void> {
  if (codes.includes("PERMISSION_DENIED")) await callOnce(tx, deps, turn, "no_access");
  else if (codes.includes("resource_access")) await callOnce(tx, deps, turn, "foreign");
}

async function callOnce(tx: Tx, deps: EngineDeps, turn: Turn, why: Why): Promise<void> {
  if (turn.view.handoffOpen) return;
  await callPerson(tx, deps, turn, why);
  turn.view = { ...turn.view, handoffOpen: true };
}

async function isToolUsable(tx: Tx, tenantId: string): Promise<boolean> {
  const active = await activeToolNames(tx, tenantId);
  return (
    active.has(HANDOFF_TOOL) && isEverAllowed(HANDOFF_TOOL, await listPolicyRows(tx, tenantId))
  );
}

/** `foreign` is told to people alone: a lead must not learn from it what others have. */
type Why = "asked" | "no_access" | "foreign";

async function callPerson(tx: Tx, deps: EngineDeps, turn: Turn, why: Why): Promise<void> {
  const { tenantId, conversation, view, run } = turn;
  const now = deps.clock.now();
  const said = clientSays(view.transcript);
  await raiseHandoff(tx, deps.jobs, {
    ...{ tenantId, conversationId: conversation.id, contactId: conversation.contactId, now },
    reason: "operator_request",
    order: view.order,
    summary: SUMMARIES[why],
    ...(said === null ? {} : { said: { by: "client" as const, text: said } }),
  });
  if (why === "foreign") return;
  await addMessage(tx, {
    ...{ tenantId, conversationId: conversation.id, author: "system", kind: "event", now },
    runId: run.id,
    text: "An operator was asked to step in; tell the client so, and promise nothing else.",
  });
}

const SUMMARIES: Record<Why, Record<Language, string>> = {
  asked: {
    en: "the client asks for a person, and the bot has no tool to call one",
    ru: "клиент просит человека, а у бота нет инструмента, чтобы его позвать",
  },
  no_access: {
    en: "the bot has no access to what the client's wish needs; please look at it",
    ru: "у бота нет доступа к тому, что нужно для просьбы клиента; посмотрите, пожалуйста",
  },
  foreign: {
    en: "the bot named something that belongs to another client, and got nothing; please look at what this client needs",
    ru: "бот назвал то, что принадлежит другому клиенту, и ничего не получил; посмотрите, что нужно этому",
  },
};
