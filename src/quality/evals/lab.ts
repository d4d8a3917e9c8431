import { newId } from "../../domain/ids.ts";
import type { MessageEvent } from "../../domain/inbound.ts";
import type { EngineDeps } from "../../engine/deps.ts";
import { handleExecution } from "../../engine/execution.ts";
import { handleRun } from "../../engine/run.ts";
import type { ShiftableClock } from "../../lib/clock.ts";
import { withTenant } from "../../store/db.ts";
import {
  effectCounts,
  pendingApprovals,
  proposedCalls,
  repliesOf,
  runsOf,
  waitingExecutions,
  waitingRuns,
} from "../../store/eval-played.ts";
import { clearScene, type SceneRefs, writeScene } from "../../store/scene.ts";
import type { Effects, EvalCase } from "./case-format.ts";
import type { Lab, Played, PlayedCall } from "./played.ts";
import { sceneOf } from "./scene-of.ts";

/** What a lab is made of: the product's own parts, and hands on the played world. */
export interface LabParts {
  engine: EngineDeps;
  clock: ShiftableClock;
  tenantId: string;
  channelId: string;
  agentVersion: string;
  modelId: string;
  /** A client's message comes in. */
  receive(event: MessageEvent): Promise<unknown>;
  /** One of the people who may, decides. Throws when nobody can. */
  decide(
    approval: { id: string; approverRole: "operator" | "admin" },
    how: Decision,
  ): Promise<void>;
  /** For one case; `removeDocument` takes it away again. Answers its id. */
  addDocument(document: EvalCase["documents"][number]): Promise<string>;
  removeDocument(id: string): Promise<void>;
  world: LabWorld;
  /** What the product logged since the last look. */
  takeLogged(): { errors: string[]; warnings: string[] };
}

type Decision = "approve" | "reject";

/** The outside of a lab. */
export interface LabWorld {
  addFault(fault: EvalCase["faults"][number]): Promise<void>;
  clearFaults(faults: EvalCase["faults"]): Promise<void>;
  /** `at`: product time. */
  addTransfer(transfer: EvalCase["transfers"][number], at: number): Promise<void>;
  /** What has left the house so far. */
  counts(): Promise<{ letters: number; payouts: number }>;
}

/** One case at a time: time and faults are of the whole lab. */
export function createLab(parts: LabParts): Lab {
  const { agentVersion, modelId } = parts;
  return { agentVersion, modelId, play: (evalCase) => play(parts, evalCase) };
}

async function play(parts: LabParts, evalCase: EvalCase): Promise<Played> {
  const { engine, tenantId, world, clock } = parts;
  parts.takeLogged();
  const scene = sceneOf(evalCase, { ...parts, now: clock.now() });
  const refs = await withTenant(engine.db, tenantId, (tx) => writeScene(tx, scene));
  const documents: string[] = [];
  try {
    for (const document of evalCase.documents) documents.push(await parts.addDocument(document));
    const sent = await world.counts();
    for (const transfer of evalCase.transfers) await world.addTransfer(transfer, clock.now());
    for (const fault of evalCase.faults) await world.addFault(fault);
    let except = refs.earlierRunIds;
    for (const text of evalCase.messages) {
      except = await earlierRuns(parts, refs);
      await parts.receive(messageOf(parts, refs, text));
      await settle(parts, refs, evalCase.operators ?? null);
    }
    return await whatCame(parts, { evalCase, refs, except, sent });
  } finally {
    await world.clearFaults(evalCase.faults);
    for (const id of documents) await parts.removeDocument(id);
    await withTenant(engine.db, tenantId, (tx) => clearScene(tx, tenantId, refs));
  }
}

/** What they said and called is no answer to what comes now. */
function earlierRuns({ engine, tenantId }: LabParts, refs: SceneRefs): Promise<string[]> {
  const { conversationId, earlierRunIds } = refs;
  return withTenant(engine.db, tenantId, async (tx) => [
    ...earlierRunIds,
    ...(await runsOf(tx, { tenantId, conversationId })),
  ]);
}

function messageOf({ clock, channelId }: LabParts, refs: SceneRefs, text: string): MessageEvent {
  return {
    ...{ kind: "message", messenger: "telegram", channelId, eventKey: newId() },
    ...{ chatId: refs.chatId, chatKind: "private", threadId: null, externalId: newId() },
    ...{ sentAt: clock.now(), text, media: [], replyToId: null },
    person: { id: refs.userId, teamId: "", name: "Client", isBot: false },
  };
}

/** More steps than any conversation of a few messages has. */
const MOST_STEPS = 40;
/** What is due later than this is left alone: reminders, checks of the next day. */
const LONGEST_WAIT_MS = 10 * 60_000;
/** Real time for one step; a run has a limit of its own below it. */
const STEP_LIMIT_MS = 180_000;

type Step = { kind: "run" | "execution"; id: string; dueAt: number };

/** Until nothing of the conversation is due soon: product time is moved to what comes next. */
async function settle(parts: LabParts, refs: SceneRefs, decision: Decision | null): Promise<void> {
  for (let steps = 0; steps < MOST_STEPS; steps += 1) {
    const step = await nextStep(parts, refs);
    if (step) await take(parts, step);
    else if (!(decision && (await decideNext(parts, refs, decision)))) return;
  }
  throw new Error(`the conversation is still at work after ${MOST_STEPS} steps`);
}

async function nextStep(
  { engine, tenantId, clock }: LabParts,
  { conversationId }: SceneRefs,
): Promise<Step | null> {
  const of = { tenantId, conversationId };
  const [run, execution] = await withTenant(engine.db, tenantId, async (tx) => [
    (await waitingRuns(tx, of))[0],
    (await waitingExecutions(tx, of)).find(
      ({ leaseUntil }) => leaseUntil === null || leaseUntil <= engine.realNow(),
    ),
  ]);
  const steps: Step[] = [
    ...(run ? [{ kind: "run" as const, id: run.id, dueAt: run.dueAt }] : []),
    ...(execution
      ? [{ kind: "execution" as const, id: execution.id, dueAt: execution.dueAt }]
      : []),
  ];
  const soon = steps.filter(({ dueAt }) => dueAt - clock.now() <= LONGEST_WAIT_MS);
  return soon.toSorted((one, other) => one.dueAt - other.dueAt)[0] ?? null;
}

async function take({ engine, tenantId, clock }: LabParts, { kind, id, dueAt }: Step) {
  const early = dueAt - clock.now();
  if (early > 0) clock.setOffset(clock.offsetMs + early);
  const signal = AbortSignal.timeout(STEP_LIMIT_MS);
  const handle = kind === "run" ? handleRun : handleExecution;
  await handle(engine, { tenantId, id }, signal);
}

async function decideNext(
  parts: LabParts,
  { conversationId }: SceneRefs,
  decision: Decision,
): Promise<boolean> {
  const { engine, tenantId } = parts;
  const pending = await withTenant(engine.db, tenantId, (tx) =>
    pendingApprovals(tx, { tenantId, conversationId }),
  );
  for (const approval of pending) await parts.decide(approval, decision);
  return pending.length > 0;
}

interface Came {
  evalCase: EvalCase;
  refs: SceneRefs;
  /** Runs of earlier messages. */
  except: string[];
  /** What had left the house before. */
  sent: { letters: number; payouts: number };
}

async function whatCame(parts: LabParts, { evalCase, refs, except, sent }: Came): Promise<Played> {
  const { engine, tenantId, world } = parts;
  const of = { tenantId, conversationId: refs.conversationId, except };
  const [calls, replies, counts] = await withTenant(engine.db, tenantId, async (tx) => [
    await proposedCalls(tx, of),
    await repliesOf(tx, of),
    await effectCounts(tx, of),
  ]);
  const { letters, payouts } = await world.counts();
  const effects: Effects = {
    ...counts,
    orders: counts.orders - (evalCase.client.order ? 1 : 0),
    letters: letters - sent.letters,
    payouts: payouts - sent.payouts,
  };
  return { calls: calls.map(playedCall), replies, effects, ...parts.takeLogged() };
}

type Proposed = Awaited<ReturnType<typeof proposedCalls>>[number];

function playedCall({ toolName, args, status, code, reply, gate }: Proposed): PlayedCall {
  const refused = status === "schema_failed" || status === "blocked_by_policy";
  return {
    tool: toolName,
    args: args ?? null,
    policyResult: status === "schema_failed" ? "schema_failed" : (gate?.result ?? null),
    reason: gate?.reason ?? (refused ? code : null),
    reply,
  };
}
