import { approvalName } from "../domain/approval.ts";
import type { Json, JsonObject } from "../domain/json.ts";
import type { CallPath } from "../store/audit-path.ts";

/** A step of the way: what it is, then a line for each thing that belongs to it. */
type Step = [title: string, ...lines: string[]];

const MOST_CHARS = 400;

/** The way of one call for people, one step after another. */
export function pathText(path: CallPath): string[] {
  const { candidate } = path;
  const code = candidate.code ? ` (${candidate.code})` : "";
  const steps = [
    messageStep(path),
    modelStep(path),
    proposalStep(path),
    checkStep(path),
    gateStep(path),
    approvalStep(path),
    executionStep(path),
    resultStep(path),
    replyStep(path),
    trailStep(path),
  ];
  return [
    `${candidate.toolName}: ${candidate.status}${code}, candidate ${candidate.id}`,
    ...steps.flatMap(([title, ...lines], at) => [
      `${String(at + 1).padStart(2)}. ${title}`,
      ...lines.map((line) => `      ${line}`),
    ]),
  ];
}

function messageStep({ messages, candidate }: CallPath): Step {
  if (messages.length === 0) return [`no message: ${candidate.source} asked for it`];
  return [
    "message of the lead",
    ...messages.map(({ id, text, media, createdAt }) => {
      const files = media.length > 0 ? ` [${media.map(({ kind }) => kind).join(", ")}]` : "";
      return `${timeText(createdAt)} ${quoted(text)}${files}, message ${id}`;
    }),
  ];
}

function modelStep({ modelCall }: CallPath): Step {
  if (!modelCall) return ["no model was asked"];
  const { provider, modelId, promptVersion, inputTokens, outputTokens } = modelCall;
  const { status, finishReason, latencyMs, id } = modelCall;
  return [
    `model call ${id}`,
    `${provider} ${modelId}, prompt ${promptVersion}`,
    `${status}${finishReason ? ` (${finishReason})` : ""}, ${inputTokens ?? "?"} + ${outputTokens ?? "?"} tokens, ${latencyMs} ms`,
  ];
}

function proposalStep({ candidate }: CallPath): Step {
  const { source, maker, createdAt, argumentsRaw, actionJson, businessKey } = candidate;
  return [
    `proposed by the ${source} for ${maker}, ${timeText(createdAt)}`,
    `arguments ${cut(argumentsRaw)}`,
    ...(actionJson ? [`action ${jsonText(actionJson)}`] : []),
    ...(businessKey ? [`business key ${businessKey}`] : []),
  ];
}

function checkStep({ checks, schema, candidate }: CallPath): Step {
  if (checks.length === 0) return ["not checked: there is no such tool"];
  const state = schema ? `, ${schema.status}` : ", which is not kept any more";
  return [
    `checked by schema version ${candidate.schemaVersion}${state}`,
    ...fieldLines(schema?.inputSchemaJson ?? {}, candidate.argumentsJson),
    ...checks.map(({ isValid, errorsJson, createdAt }) => {
      const verdict = isValid ? "valid" : `not valid: ${jsonText(errorsJson)}`;
      return `${timeText(createdAt)} ${verdict}`;
    }),
  ];
}

/** The arguments as the schema of that time describes them. */
function fieldLines(schema: JsonObject, args: Json): string[] {
  if (args === null || typeof args !== "object" || Array.isArray(args)) return [];
  const { properties } = schema;
  const known = isObject(properties) ? properties : {};
  return Object.entries(args).map(([name, value]) => {
    const field = known[name];
    const of = isObject(field) ? field : null;
    const type = typeof of?.type === "string" ? ` (${of.type})` : "";
    const about = typeof of?.description === "string" ? `: ${cut(of.description, 80)}` : "";
    return `${name}${of ? type : " (not in this schema)"} = ${jsonText(value)}${about}`;
  });
}

function gateStep({ gates }: CallPath): Step {
  if (gates.length === 0) return ["no gate: it did not get so far"];
  return [
    "gate",
    ...gates.flatMap((gate) => {
      const why = gate.blockReason ? `: ${gate.blockReason}` : "";
      const rule = gate.matchedPolicyId ? `rule ${gate.matchedPolicyId}` : "no rule";
      return [
        `${timeText(gate.createdAt)} ${gate.moment}: ${gate.policyResult}${why}, ${rule}, role ${gate.role}`,
        `  facts ${jsonText(gate.factsJson)}`,
      ];
    }),
  ];
}

function approvalStep({ approval, votes, cards }: CallPath): Step {
  if (!approval) return ["no person was asked"];
  const { number, status, approvalsRequired, approverRole, createdAt, auditHead } = approval;
  return [
    `${approvalName(number)}: ${status}, approval ${approval.id}`,
    `asked ${timeText(createdAt)}, ${approvalsRequired} of role ${approverRole}, digest ${approval.actionDigest}${auditHead ? `, audit head ${auditHead}` : ""}`,
    ...cards.map(
      (card) =>
        `${card.purpose} in ${card.channelId} ${card.chatId}: ${card.status}${card.externalIds.length > 0 ? ` as ${card.externalIds.join(", ")}` : ""}`,
    ),
    ...votes.map(
      (vote) =>
        `${timeText(vote.createdAt)} ${vote.decision} by ${vote.name ?? "?"} (${vote.staffId}) via ${vote.via}${vote.voidedAt ? ", counts no longer" : ""}`,
    ),
    ...versionLines(approval),
    ...(approval.decidedAt === null ? [] : [`decided ${timeText(approval.decidedAt)}`]),
    ...(approval.rejectedReason ? [`reason ${quoted(approval.rejectedReason)}`] : []),
  ];
}

/** What was proposed, what people approved, what was carried out: told apart where they differ. */
function versionLines(approval: NonNullable<CallPath["approval"]>): string[] {
  const { proposedActionJson, approvedActionJson, effectiveActionJson, editedBy } = approval;
  return [
    `proposed ${jsonText(proposedActionJson)}`,
    ...(approvedActionJson ? [`approved ${jsonText(approvedActionJson)}`] : []),
    ...(effectiveActionJson ? [`effective ${jsonText(effectiveActionJson)}`] : []),
    ...(editedBy ? [`edited by ${editedBy}`] : []),
  ];
}

function executionStep({ execution, keys, retries, outsideCalls }: CallPath): Step {
  if (!execution) return ["not executed"];
  const { id, status, attempts, lookUps, startedAt, finishedAt } = execution;
  return [
    `execution ${id}: ${status}, attempts ${attempts}, look-ups ${lookUps}`,
    `queued ${timeText(execution.createdAt)}, started ${timeText(startedAt)}, ended ${timeText(finishedAt)}`,
    ...keys.map((key) => `key ${key.idempotencyKey}: ${key.status}`),
    ...retries.map(
      (retry) =>
        `retry after attempt ${retry.attempt}: ${retry.retryReason}, next ${timeText(retry.nextRunAt)}`,
    ),
    ...outsideCalls.map(
      (made) =>
        `${made.method} ${made.provider} ${made.endpoint}: ${made.responseStatus ?? "no answer"}, ${made.latencyMs} ms, request ${cut(made.requestHash, 16)}`,
    ),
  ];
}

function resultStep({ results, candidate }: CallPath): Step {
  if (results.length === 0) return [`result: ${candidate.reply?.status ?? "none"}`];
  return [
    "result",
    ...results.map(
      ({ status, externalId, resultSummary, createdAt }) =>
        `${timeText(createdAt)} ${status}${externalId ? ` ${externalId}` : ""}: ${cut(resultSummary)}`,
    ),
  ];
}

function replyStep({ replies }: CallPath): Step {
  if (replies.length === 0) return ["no reply"];
  return [
    "reply to the lead",
    ...replies.map(({ id, text, status, createdAt }) => {
      const sent = status === "kept" ? "" : ", never sent";
      return `${timeText(createdAt)} ${quoted(text)}, message ${id}${sent}`;
    }),
  ];
}

function trailStep({ audit }: CallPath): Step {
  return [
    "rows of the trail",
    ...audit.map((row) => {
      const place = row.index === null ? "not sealed" : `row ${row.index}`;
      const by = row.userId ? ` by ${row.userId}` : "";
      return `${place}: ${timeText(row.createdAt)} ${row.eventType}: ${row.summary}${by}`;
    }),
  ];
}

function isObject(value: unknown): value is JsonObject {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function timeText(ms: number | null): string {
  return ms === null ? "–" : new Date(ms).toISOString();
}

function jsonText(value: Json): string {
  return cut(JSON.stringify(value));
}

/** What people wrote stays one line that cannot pass for one of ours. */
function quoted(text: string): string {
  return JSON.stringify(cut(text));
}

function cut(text: string, most = MOST_CHARS): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`;
}
