import type { ChatMessage } from "../../domain/chat-model.ts";
import { type Attempted, attempt, writeDown } from "./attempt.ts";
import { type BrokerSaid, type ChatOptions, COMMON_OPERATION } from "./chat-options.ts";
import { choose } from "./choose.ts";
import type { Clients } from "./clients.ts";
import { soonAgain, type Verdict, verdictOf } from "./cooldown.ts";
import {
  type BrokerError,
  EveryEndpointFailedError,
  NoModelAvailableError,
  ProviderError,
  StreamBrokenError,
} from "./errors.ts";
import type { AttemptRow } from "./journal.ts";
import { ATTEMPT_LIMIT_MS, type ModelEntry } from "./models-file.ts";
import type { BrokerParts } from "./parts.ts";
import type { PoolWatch } from "./pool-watch.ts";
import { eligible, type Member, type Roster, rosterOf } from "./roster.ts";
import { saidOf } from "./said.ts";
import { firstReturn, lookAround, type Sight } from "./sight.ts";
import { deadlineOf, standInLine } from "./stand-in-line.ts";

export interface Conversing {
  parts: BrokerParts;
  clients: Clients;
  watch: PoolWatch;
}

export interface Question {
  messages: ChatMessage[];
  options: ChatOptions;
  scope: string | null;
}

/** One call, while it lasts. */
interface Course {
  question: Question;
  signal: AbortSignal;
  /** Real time; null: none. */
  deadline: number | null;
  attempts: AttemptRow[];
  /** Asking them again changes nothing. */
  settled: Set<string>;
  /** Each that answered said that the request itself is at fault. */
  isAllRefused: boolean;
  /** One was still answering when the caller's time was over. */
  hasOverrun: boolean;
  waitedMs: number;
  roster: Roster;
}

/** Asks one model after the other until one answers. Throws a BrokerError, or the abort's reason. */
export async function converse(by: Conversing, question: Question): Promise<BrokerSaid> {
  const { parts, watch } = by;
  const { options, scope } = question;
  const roster = await rosterOf(parts, scope);
  const course: Course = {
    question,
    signal: options.signal ?? new AbortController().signal,
    deadline: deadlineOf(options, parts.realNow()),
    attempts: [],
    settled: new Set(),
    isAllRefused: true,
    hasOverrun: false,
    waitedMs: 0,
    roster,
  };
  for (;;) {
    course.signal.throwIfAborted();
    const sight = await lookAround(parts, roster, options.operation ?? COMMON_OPERATION);
    watch.note(scope, sight);
    const members = eligible(roster, options);
    const left = members.filter(({ name }) => !course.settled.has(name));
    const retryAt = firstReturn(members, sight);
    if (isTimeOver(course, sight.now))
      throw new NoModelAvailableError("timeout", { attempts: course.attempts, retryAt });
    if (left.length === 0) throw allFailed(course, retryAt);
    const next = pick(left, sight, { course, random: parts.random });
    const hasOthers = left.length > 1;
    const said = next
      ? await askOne(by, course, { member: next, hasOthers })
      : await wait(by, course, { left, sight });
    if (said) return said;
  }
}

function isTimeOver({ deadline, hasOverrun }: Course, now: number): boolean {
  return hasOverrun || (deadline !== null && now >= deadline);
}

function allFailed(course: Course, retryAt: number | null): BrokerError {
  const { attempts, isAllRefused } = course;
  const last = attempts.at(-1);
  if (isAllRefused && last)
    return new ProviderError(last.httpStatus, last.error ?? "it gave no reason", attempts);
  return new EveryEndpointFailedError(attempts, retryAt);
}

/** Who has not been asked yet comes first, then who is fast enough, then who can all that is wished. */
function pick(
  left: readonly Member[],
  sight: Sight,
  { course, random }: { course: Course; random(): number },
): Member | null {
  const { options } = course.question;
  const asked = new Set(course.attempts.map(({ llmName }) => llmName));
  const candidates = left.flatMap((member) => {
    const { coolingUntil, isFull, rating, overranMs } = sight.stateOf(member);
    if (coolingUntil !== null || isFull) return [];
    const { capabilities, weight } = member.entry;
    const isSlow =
      options.timeoutMs !== undefined && options.timeoutMs <= (overranMs ?? -1) * AS_TIGHT;
    const lacks =
      (options.onDelta && !capabilities.streaming) ||
      (options.responseSchema && !capabilities.jsonSchema);
    const rank = (asked.has(member.name) ? 4 : 0) + (isSlow ? 2 : 0) + (lacks ? 1 : 0);
    return [{ name: member.name, weight, rating, rank, member }];
  });
  return choose(candidates, random)?.member ?? null;
}

/** Budgets that differ by less are the same: of what is left of a reply's time no two are equal. */
const AS_TIGHT = 1.25;
const LONGEST_BUDGET_MS = 86_400_000;
/** So much of the caller's time goes to one model while others could still be asked. */
const SHARE = 2 / 3;
/** Who said nothing for so long failed, unless its own limit is beyond the usual one. */
const FAIR_MS = 30_000;

/** After that a place of a lost process is free again. */
const LEASE_MARGIN_MS = 30_000;

/** null: it gave no answer, or its place was taken meanwhile. */
async function askOne(
  by: Conversing,
  course: Course,
  { member, hasOthers }: { member: Member; hasOthers: boolean },
): Promise<BrokerSaid | null> {
  const { parts } = by;
  const { question, signal, deadline, attempts } = course;
  const { entry, key } = member;
  const startedAt = parts.realNow();
  const left = deadline === null ? entry.timeoutMs : deadline - startedAt;
  const share = hasOthers && deadline !== null ? Math.ceil(left * SHARE) : left;
  const timeoutMs = Math.max(1, Math.min(entry.timeoutMs, share));
  const leaseMs = timeoutMs + LEASE_MARGIN_MS;
  const place = await parts.state.take(member, { now: startedAt, leaseMs });
  if (place.kind !== "taken") return null;
  let attempted: Attempted;
  try {
    const ordinal = attempts.length + 1;
    attempted = await attempt(by, { ...question, entry, key, ordinal, timeoutMs, signal });
    // before the place is free: nobody may slip in
    const isAllOfIt = timeoutMs >= left;
    await settle(by, course, { member, attempted, startedAt, timeoutMs, isAllOfIt });
  } finally {
    await place.leave();
  }
  const { outcome, row, hasSpoken } = attempted;
  await writeDown(parts, question.options, row);
  if (outcome.kind === "answer") return { ...saidOf(outcome, row.cost), ...namesOf(row) };
  if (outcome.fault === "aborted") signal.throwIfAborted();
  if (hasSpoken) throw new StreamBrokenError(attempts);
  return null;
}

function namesOf({ llmName, callId }: AttemptRow) {
  return { llmName, callId };
}

interface Asked {
  member: Member;
  attempted: Attempted;
  startedAt: number;
  timeoutMs: number;
  /** It was given all that the caller had left. */
  isAllOfIt: boolean;
}

/** What the attempt teaches, for this call and for the others. */
async function settle(
  { parts }: Conversing,
  course: Course,
  { member, attempted, startedAt, timeoutMs, isAllOfIt }: Asked,
): Promise<void> {
  const { outcome, row } = attempted;
  course.attempts.push(row);
  const now = parts.realNow();
  if (outcome.kind === "answer") return parts.state.succeeded(member, now);
  const verdict = verdictOf(outcome, timeoutMs >= wholeTimeOf(member.entry));
  if (verdict.kind !== "wait") course.settled.add(member.name);
  if (verdict.kind !== "unsuited" || outcome.fault === "text_call") course.isAllRefused = false;
  if (verdict.kind === "silent") return parts.state.overran(member.name, LONGEST_BUDGET_MS);
  if (verdict.kind === "overran") {
    course.hasOverrun ||= isAllOfIt;
    return parts.state.overran(member.name, course.question.options.timeoutMs ?? timeoutMs);
  }
  const soon = isAlone(course) ? soonAgain(verdict) : verdict;
  await cool(parts, { verdict: soon, member, row, now, startedAt });
}

/** No other model with a key can do what is asked. */
function isAlone({ roster, question }: Course): boolean {
  return eligible(roster, { ...question.options, exclude: [] }).length === 1;
}

/** After which silence is its fault, and not the caller's haste. */
function wholeTimeOf({ timeoutMs }: ModelEntry): number {
  return timeoutMs > ATTEMPT_LIMIT_MS ? timeoutMs : Math.min(timeoutMs, FAIR_MS);
}

async function cool(
  { state }: BrokerParts,
  given: { verdict: Verdict; member: Member; row: AttemptRow; now: number; startedAt: number },
): Promise<void> {
  const { verdict, member, row, now, startedAt } = given;
  if (verdict.kind !== "wait" && verdict.kind !== "stop") return;
  const { scope, baseMs, mostMs, leastMs } = verdict;
  const cause = causeOf(row);
  const returns = scope !== "key";
  await state.cool(member.coolingNames[scope], {
    ...{ cause, now, startedAt, baseMs, mostMs, leastMs, returns },
  });
}

/** For everybody who shares the model: the endpoint's own words may be about a client's. */
function causeOf({ httpStatus, fault, failure }: AttemptRow): string {
  const what = fault === "status" ? "HTTP" : (fault ?? "it failed").replaceAll("_", " ");
  const status = httpStatus === null ? "" : ` ${httpStatus}`;
  return `${what}${status}${failure ? ` (${failure.replaceAll("_", " ")})` : ""}`;
}

/** Stands in line, or throws when there is no point in it. Always null: look again. */
async function wait(
  { parts }: Conversing,
  course: Course,
  { left, sight }: { left: readonly Member[]; sight: Sight },
): Promise<null> {
  const { question, attempts, waitedMs, deadline, signal } = course;
  const { options } = question;
  const retryAt = firstReturn(left, sight);
  const hasFull = left.some((member) => sight.stateOf(member).coolingUntil === null);
  const line = { options, waitedMs, deadline, signal, hasFull };
  const worthIt = options.waitsForCooling === false ? null : retryAt;
  const stood = await standInLine(parts, { ...line, retryAt: worthIt });
  if (stood !== null) {
    course.waitedMs += stood;
    return null;
  }
  if (hasFull) throw new NoModelAvailableError("timeout", { attempts, retryAt });
  if (attempts.length > 0) throw new EveryEndpointFailedError(attempts, retryAt);
  throw new NoModelAvailableError(retryAt === null ? "no_keys" : "all_cooling", { retryAt });
}
