import { canonicalJson } from "../../domain/json.ts";
import type { Language } from "../../domain/language.ts";
import type { JudgedCall, ReplayedTurn } from "../../domain/quality.ts";
import type { ReplyStyle } from "../../domain/style.ts";
import { buildPrompt } from "../../engine/prompt.ts";
import type { Evidence } from "../../engine/strategy.ts";
import type { GateFacts } from "../../policy/evaluate.ts";
import type { RecordedGate } from "../../store/replay-reads.ts";
import type { Transcript, TranscriptCall, TranscriptMessage } from "../../store/transcript.ts";
import { type Answer, type Asked, askAgain } from "./ask-again.ts";
import { jsonOf, judgeCall, type Rules } from "./judge-call.ts";
import { readFacts } from "./recorded-facts.ts";

/** A conversation as its rows tell it, and what it is put to. */
export interface ConversationReplay {
  transcript: Transcript;
  gates: readonly RecordedGate[];
  rules: Rules;
  businessName: string;
  /** The one that replies are written in now; null: there is none. */
  style: ReplyStyle | null;
  language: Language;
  /** null: no model is asked, and the recorded calls meet the rules as they are now. */
  model: Omit<Asked, "system"> | null;
  /** Passages for what a client wrote. */
  evidenceFor(leadTexts: string[]): Promise<Evidence[]>;
}

/** The newest answers; each costs a model call. */
const MOST_TURNS = 30;

/**
 * Every answer of the recorded conversation again, each after the recorded messages before it: what
 * came out otherwise earlier changes nothing later. Nothing is run, nothing is written.
 */
export async function replayConversation(
  replay: ConversationReplay,
  signal: AbortSignal,
): Promise<ReplayedTurn[]> {
  const { messages } = replay.transcript;
  const answers = messages.filter(isModels).slice(-MOST_TURNS);
  const turns: ReplayedTurn[] = [];
  for (const answer of answers) {
    signal.throwIfAborted();
    turns.push(await replayAnswer(replay, answer, signal));
  }
  return turns;
}

/** A model's own words or calls; events and what people wrote are none. */
function isModels({ author, kind }: TranscriptMessage): boolean {
  return author === "bot" && (kind === "calls" || kind === "text");
}

async function replayAnswer(
  replay: ConversationReplay,
  answer: TranscriptMessage,
  signal: AbortSignal,
): Promise<ReplayedTurn> {
  const { transcript, gates } = replay;
  const before = transcript.messages.filter(({ seq }) => seq < answer.seq);
  const calls = transcript.calls.get(answer.id) ?? [];
  const recorded = { text: answer.text, calls: calls.map((call) => asRecorded(call, gates)) };
  const again = replay.model
    ? await askedAgain(replay, before, signal)
    : { text: answer.text, calls: calls.map(asRaw), error: null };
  const facts = factsNear(gates, transcript, answer.seq);
  const judged = again.calls.map((call) =>
    judgeCall(replay.rules, call, factsOfSame(gates, calls, call) ?? facts),
  );
  return {
    seq: answer.seq,
    asked: before.findLast(({ author }) => author === "lead")?.text ?? "",
    recorded,
    replayed: { text: again.text, calls: judged, error: again.error },
    same: again.error === null && sameCalls(recorded.calls, judged),
  };
}

async function askedAgain(
  replay: ConversationReplay,
  before: TranscriptMessage[],
  signal: AbortSignal,
): Promise<Answer> {
  const lastWords = before.findLastIndex(
    ({ kind, author }) => kind === "text" && author !== "lead",
  );
  const leadTexts = before
    .slice(lastWords + 1)
    .filter(({ author }) => author === "lead")
    .map(({ text }) => text);
  const [system, ...messages] = buildPrompt({
    transcript: { messages: before, calls: replay.transcript.calls },
    evidence: await replay.evidenceFor(leadTexts),
    language: replay.language,
    businessName: replay.businessName,
    style: replay.style,
    continuation: before.at(-1)?.kind === "event",
  });
  if (!replay.model || system?.role !== "system") throw new Error("a prompt begins with its rules");
  return askAgain({ ...replay.model, system: system.content }, messages, signal);
}

function asRaw({ toolName, argumentsRaw }: TranscriptCall) {
  return { name: toolName, arguments: argumentsRaw };
}

function asRecorded(call: TranscriptCall, gates: readonly RecordedGate[]): JudgedCall {
  const gate = gates.find(({ candidateId }) => candidateId === call.id);
  const { toolName } = call;
  return {
    toolName,
    args: jsonOf(call.argumentsRaw),
    policyResult: gate?.policyResult ?? null,
    reason: gate ? gate.blockReason : call.status === "schema_failed" ? "schema_failed" : call.code,
  };
}

/** Of the same call, when it was made. */
function factsOfSame(
  gates: readonly RecordedGate[],
  calls: readonly TranscriptCall[],
  { name }: { name: string },
): GateFacts | null {
  const same = calls.find(({ toolName }) => toolName === name);
  const gate = gates.find(({ candidateId }) => candidateId === same?.id);
  return readFacts(gate?.facts);
}

/** Of this answer or the newest before it, else of the first one after. */
function factsNear(
  gates: readonly RecordedGate[],
  transcript: Transcript,
  answerSeq: number,
): GateFacts | null {
  const seqOf = new Map(
    transcript.messages.flatMap(({ id, seq }) =>
      (transcript.calls.get(id) ?? []).map((call) => [call.id, seq] as const),
    ),
  );
  const isBefore = ({ candidateId }: RecordedGate) =>
    (seqOf.get(candidateId) ?? Number.POSITIVE_INFINITY) <= answerSeq;
  const gate = gates.findLast(isBefore) ?? gates.find(({ candidateId }) => seqOf.has(candidateId));
  return readFacts(gate?.facts);
}

function sameCalls(recorded: readonly JudgedCall[], replayed: readonly JudgedCall[]): boolean {
  const keyOf = ({ toolName, args, policyResult }: JudgedCall) =>
    canonicalJson([toolName, args, policyResult]);
  const before = recorded.map(keyOf).sort();
  const after = replayed.map(keyOf).sort();
  return before.length === after.length && before.every((key, index) => key === after[index]);
}
