import { UserError } from "../domain/errors.ts";
import type { Json, JsonObject } from "../domain/json.ts";
import type { AuditRow } from "../store/audit.ts";
import { writeAudit } from "../store/audit.ts";
import type { Tx } from "../store/db.ts";
import {
  type CaseRow,
  type CaseStatus,
  caseName,
  findCase,
  insertCase,
  setCaseStatus,
  staffNumber,
} from "../store/quality-cases.ts";
import {
  type CallOrigin,
  callOrigin,
  languageOf,
  type ModelOrigin,
  replyOrigin,
} from "../store/quality-origins.ts";
import type { Evidence } from "../store/quality-proposals.ts";
import { expectedOf, type GivenExpectation, toolOfCase } from "./expected.ts";
import { keptObject, keptText } from "./kept-words.ts";
import { codesOf, type Deciding, endProposal, type Waiting, waitingProposal } from "./proposals.ts";
import { recordedMessages } from "./recorded-messages.ts";

/** What a reviewer says of a case; all of it may be left out, but for a tool that is missing. */
export interface GivenCase extends GivenExpectation {
  title?: string | undefined;
  /** Id or number of a call that the proposal rests on; left out: the newest label's. */
  toolCallId?: string | number | undefined;
  /** Where the reply came without a call. */
  toolName?: string | undefined;
  note: string | null;
}

/** Makes a case of a proposal, which is answered by it. Throws UserError. */
export async function makeCase(tx: Tx, deciding: Deciding, given: GivenCase): Promise<CaseRow> {
  const { tenantId, by, now } = deciding;
  const waiting = await waitingProposal(tx, deciding);
  const { proposal } = waiting;
  const { label } = proposal;
  const chosen = chosenEvidence(waiting, given.toolCallId);
  const origin = await originOf(tx, tenantId, chosen);
  const toolName = toolOfCase(label, origin.call?.toolName ?? null, {
    toolName: given.toolName,
    expectedTool: given.tool,
  });
  const expected = expectedOf(label, toolName, given);
  const codes = await codesOf(tx, deciding, [chosen]);
  const kept = (value: object) => keptObject(plain(value), codes);
  const made = await insertCase(tx, {
    ...{ tenantId, toolName, label, now },
    proposalNumber: proposal.number,
    toolCallNumber: chosen.toolCallNumber,
    title: keptText(given.title ?? `${toolName}: ${label.replace("_", " ")}`, codes),
    inputJson: kept({
      ...{ toolName, args: objectOrNull(origin.call?.args) },
      ...{ feedback: { label, note: chosen.note }, messages: origin.messages },
    }),
    expectedJson: kept(expected),
    contextJson: kept(await contextOf(tx, tenantId, chosen, origin)),
    createdByNumber: await staffNumber(tx, tenantId, by),
  });
  const ref = { kind: "regression_case" as const, value: caseName(made) };
  await endProposal(tx, deciding, waiting, { status: "applied", note: given.note, ref });
  const refs = { proposal: proposal.id, case: made.id };
  const { conversationId } = chosen;
  const line = { tenantId, createdAt: now, userId: by, toolName, conversationId, refs };
  await writeAudit(tx, [
    {
      ...{ ...line, eventType: "regression_case.created" },
      summary: `${ref.value} of proposal ${proposal.number}`,
    },
    {
      ...{ ...line, eventType: "improvement_proposal.applied", decision: "applied" },
      summary: `proposal ${proposal.number} applied with ${ref.kind} ${ref.value}`,
    },
  ]);
  return made;
}

/** null: there is no such case. One that has the status already is left as it is. */
export async function moveCase(
  tx: Tx,
  change: Omit<Deciding, "secrets"> & { status: CaseStatus },
): Promise<CaseRow | null> {
  const { tenantId, by, now, which, status } = change;
  const found = await findCase(tx, tenantId, which);
  if (!found) return null;
  const { id } = found;
  const moved = await setCaseStatus(tx, { tenantId, id, status, now });
  if (!moved) return findCase(tx, tenantId, id);
  const verb = status === "archived" ? "archived" : "restored";
  const line: AuditRow = {
    ...{ tenantId, createdAt: now, userId: by, toolName: moved.toolName, decision: verb },
    ...{ eventType: `regression_case.${verb}`, summary: `${caseName(moved)} ${verb}` },
    refs: { case: id },
  };
  await writeAudit(tx, [line]);
  return moved;
}

function chosenEvidence(
  { proposal, evidence }: Waiting,
  toolCallId: string | number | undefined,
): Evidence {
  if (toolCallId === undefined) return evidence[0];
  const chosen = evidence.find((one) =>
    typeof toolCallId === "number"
      ? one.toolCallNumber === toolCallId
      : one.toolCallId === toolCallId,
  );
  if (chosen) return chosen;
  throw new UserError(
    "unprocessable",
    `tool_call_id: proposal ${proposal.number} rests on no label of call ${toolCallId}; name one of its evidence`,
    "tool_call_id",
  );
}

/** Where the judged call, or the reply without one, came from. */
interface Origin {
  call: CallOrigin | null;
  model: ModelOrigin | null;
  /** null: the place in the conversation is not known. */
  messages: Awaited<ReturnType<typeof recordedMessages>> | undefined;
}

async function originOf(tx: Tx, tenantId: string, chosen: Evidence): Promise<Origin> {
  const { toolCallId, messageId, conversationId } = chosen;
  const call = toolCallId === null ? null : await callOrigin(tx, { tenantId, toolCallId });
  const reply = call === null ? await replyOrigin(tx, { tenantId, messageId }) : null;
  const beforeSeq = call === null ? reply?.seq : call.seq;
  const messages =
    typeof beforeSeq === "number"
      ? await recordedMessages(tx, { tenantId, conversationId, beforeSeq })
      : undefined;
  return { call, model: call?.model ?? reply?.model ?? null, messages };
}

async function contextOf(
  tx: Tx,
  tenantId: string,
  { conversationId, messageId }: Evidence,
  { call, model }: Origin,
): Promise<JsonObject> {
  const language = await languageOf(tx, { tenantId, conversationId });
  return plain({
    ...{ conversationId, messageId, language: language ?? undefined },
    facts: call?.facts ?? undefined,
    schemaVersion: call?.schemaVersion ?? undefined,
    policyResult: call?.policyResult ?? undefined,
    ...(model ?? {}),
    ...(call ? { toolCall: toolCallOf(call) } : {}),
  });
}

function toolCallOf(call: CallOrigin) {
  const { result, isError, cycle, toolCallIndex, latencyMs } = call;
  return { result: result ?? null, error: isError, cycle, toolCallIndex, latencyMs };
}

function objectOrNull(value: unknown): JsonObject | null {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonObject) : null; // a jsonb value
}

/** Without fields that are not known. */
function plain(value: object): JsonObject {
  const json: Json = JSON.parse(JSON.stringify(value));
  return json as JsonObject; // of an object
}
