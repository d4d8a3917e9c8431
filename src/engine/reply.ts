import { approvalById } from "../store/approvals.ts";
import { withTenant } from "../store/db.ts";
import { type Order, orderName } from "../store/orders.ts";
import { raiseHandoff } from "../tools/raise-handoff.ts";
import { askModel, timeLeftMs } from "./ask-model.ts";
import type { EngineDeps } from "./deps.ts";
import { guardReply } from "./guard/guard.ts";
import type { Finding } from "./guard/guard-facts.ts";
import { guardFactsOf } from "./guard-input.ts";
import { outcomeText } from "./outcome-texts.ts";
import { buildPrompt } from "./prompt.ts";
import type { Reply } from "./run-end.ts";
import { handoverText, textFromResults } from "./templates.ts";
import { type Turn, unanswered } from "./turn.ts";

/** Telegram takes 4096 characters a message; a longer answer to a lead is no answer. */
const MAX_REPLY_CHARS = 6000;

/**
 * The model's words if everything in them is backed; else one repair call that is shown the exact
 * findings, and then a template. An outcome is told by its own text at once. What cannot be backed
 * is never sent.
 */
export async function backedReply(
  deps: EngineDeps,
  turn: Turn,
  draft: string,
  signal: AbortSignal,
): Promise<Reply> {
  const first = checkDraft(turn, draft);
  if (first.findings.length === 0)
    return { text: first.text, status: "completed", origin: "model", findings: [] };
  const findings = kindsOf(first.findings);
  deps.log.info({ run: turn.run.id, findings }, "draft blocked by the guard");
  // a repair is free to leave the outcome out, which the lead waits for
  const told = await outcomeTemplate(deps, turn);
  const isAsked = told === null || unanswered(turn.view.transcript).length > 0;
  const repaired = isAsked ? await repairedText(deps, turn, { draft, ...first }, signal) : null;
  if (told === null && repaired === null)
    return { ...(await templateReply(deps, turn, "blocked")), findings };
  const text = [told, repaired].filter((part) => part !== null).join("\n\n");
  return { text, status: "completed", origin: told === null ? "repaired" : "template", findings };
}

/** One more call of the model, which sees what was found; null: it did not mend the draft. */
async function repairedText(
  deps: EngineDeps,
  turn: Turn,
  blocked: { draft: string; findings: readonly Finding[] },
  signal: AbortSignal,
): Promise<string | null> {
  if (timeLeftMs(deps, turn) <= 0) return null;
  const messages = repairMessages(turn, blocked.draft, blocked.findings);
  const request = { operation: "repair" as const, messages, tools: [] };
  const { outcome } = await askModel(deps, turn, request, signal);
  if (signal.aborted) throw new Error("the process stops");
  if (outcome.kind !== "answer" || outcome.calls.length > 0) return null;
  const second = checkDraft(turn, outcome.text);
  return second.findings.length === 0 ? second.text : null;
}

/**
 * Words of our own, from what the calls of this run returned; when they say nothing, the
 * conversation goes to a person and the lead is told so.
 */
export async function templateReply(deps: EngineDeps, turn: Turn, why: Why): Promise<Reply> {
  const status = why === "blocked" ? ("completed" as const) : why;
  const { language } = turn.conversation;
  const outcome = await outcomeTemplate(deps, turn);
  const text = outcome ?? textFromResults(callsOfRun(turn), language);
  if (text !== null) return { text, status, origin: "template", findings: [] };
  await handOver(deps, turn, why);
  const words = handoverText(callsOfRun(turn), language);
  return { text: words, status, origin: "handover", findings: [] };
}

/** A continuation tells one outcome: when the model cannot, this text does. */
async function outcomeTemplate(deps: EngineDeps, turn: Turn): Promise<string | null> {
  const { approvalId } = turn.run;
  if (approvalId === null) return null;
  const approval = await withTenant(deps.db, turn.tenantId, (tx) =>
    approvalById(tx, turn.tenantId, approvalId),
  );
  if (!approval) return null;
  const call = [...turn.view.transcript.calls.values()]
    .flat()
    .find((one) => one.id === approval.candidateId);
  const { isVerified, order } = turn.view;
  const decided = { ...approval, isVerified, order: order && stateOf(order) };
  return outcomeText(decided, call?.reply ?? null, turn.conversation.language);
}

const PAID_STATES: ReadonlySet<string> = new Set(["paid", "payout", "completed"]);

function stateOf(order: Order) {
  return { name: orderName(order), isPaid: PAID_STATES.has(order.status) };
}

type Why = "blocked" | "exhausted" | "failed";

const HANDOVER_SUMMARIES: Record<Why, { en: string; ru: string }> = {
  blocked: {
    en: "the bot's answer was not backed by facts and was not sent",
    ru: "ответ бота не подтверждён фактами и не отправлен",
  },
  exhausted: {
    en: "the bot found no answer in time",
    ru: "бот не нашёл ответа за отведённое время",
  },
  failed: { en: "the model gives no answer", ru: "модель не отвечает" },
};

async function handOver(deps: EngineDeps, turn: Turn, why: Why): Promise<void> {
  const { tenantId, conversation } = turn;
  await withTenant(deps.db, tenantId, (tx) =>
    raiseHandoff(tx, deps.jobs, {
      tenantId,
      conversationId: conversation.id,
      contactId: conversation.contactId,
      now: deps.clock.now(),
      reason: "operator_request",
      order: turn.view.order,
      summary: HANDOVER_SUMMARIES[why],
    }),
  );
}

function callsOfRun(turn: Turn) {
  return [...turn.view.transcript.calls.values()]
    .flat()
    .filter((call) => call.runId === turn.run.id);
}

function checkDraft(turn: Turn, draft: string): { text: string; findings: Finding[] } {
  const { language } = turn.conversation;
  const verdict = guardReply({
    reply: draft,
    lang: language,
    facts: guardFactsOf(turn.view, turn.late),
  });
  const text = withoutCitations(draft);
  const findings = [...verdict.findings];
  if (text === "") findings.push(finding("empty", draft, "a reply must say something"));
  if (text.length > MAX_REPLY_CHARS)
    findings.push(finding("too_long", "", `at most ${MAX_REPLY_CHARS} characters`));
  return { text, findings };
}

function finding(kind: string, text: string, rule: string): Finding {
  return { kind, text, rule, hint: rule };
}

/** Citations were checked; the lead does not need them. */
function withoutCitations(text: string): string {
  return text
    .replace(/\s*\[E\d+(?:\s*,\s*E\d+)*\]/g, "")
    .replace(/[ \t]+\n/g, "\n")
    .trim();
}

function repairMessages(turn: Turn, draft: string, findings: readonly Finding[]) {
  const messages = buildPrompt({
    transcript: turn.view.transcript,
    evidence: turn.view.evidence,
    language: turn.conversation.language,
    businessName: turn.businessName,
    style: turn.style,
    continuation: turn.run.kind === "continuation",
    late: turn.late,
  });
  const list = findings.map((one) => `- "${one.text}": ${one.rule}. ${one.hint}`).join("\n");
  const order = `Your draft cannot be sent:\n${list}\nWrite the whole answer again without these. Keep what is backed. Answer with the text only.`;
  return [
    ...messages,
    { role: "assistant" as const, content: draft },
    { role: "system" as const, content: order },
  ];
}

function kindsOf(findings: readonly Finding[]): string[] {
  return [...new Set(findings.map((one) => one.kind))];
}
