import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf, StartError } from "../domain/errors.ts";
import { type Language, languageOf } from "../domain/language.ts";
import type { ReplyStyle } from "../domain/style.ts";
import { buildPrompt } from "../engine/prompt.ts";
import { createClock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { type ModelPool, modelIdOf, oneModel } from "../model/broker/model-pool.ts";
import { ownPool } from "../model/broker/own-pool.ts";
import { approvalNeed } from "../policy/approval-need.ts";
import type { RegressionRecord } from "../quality/regressions/record.ts";
import type { Replay } from "../quality/regressions/run.ts";
import type { Rules } from "../quality/replay/judge-call.ts";
import { type CaseReplay, replayCase } from "../quality/replay/replay-case.ts";
import { createUnwinder, type Unwinder } from "../unwind.ts";
import { catalogRegistry } from "./catalog-registry.ts";
import { modelNamed } from "./named-model.ts";
import { readRules } from "./regression-rules.ts";
import type { CaseSource, ReplayOptions } from "./tool-regression-options.ts";

/** A replay and what it holds open. `undecided`: cases that only a model could have answered. */
export interface OpenReplay {
  replay: Replay;
  undecided: number[];
  close(): Promise<void>;
}

/** Throws StartError when rules, model or script cannot be had. */
export async function openReplay(
  options: ReplayOptions,
  source: CaseSource,
  log: Log,
): Promise<OpenReplay> {
  const registry = catalogRegistry();
  const { style, ...read } = await readRules(options, source);
  const rules: Rules = { registry, ...read };
  const unwinder = createUnwinder(log);
  try {
    const undecided: number[] = [];
    const onUndecided = ({ id }: RegressionRecord) => void undecided.push(id);
    const model = await openModel(options, { rules, style, log }, unwinder);
    const running = new AbortController();
    unwinder.push("replay", async () => running.abort());
    return {
      replay: (record, where) =>
        replayCase({ rules, model, onUndecided }, record, where, running.signal),
      undecided,
      close: () => unwinder.unwind(),
    };
  } catch (error) {
    await unwinder.unwind();
    throw error;
  }
}

async function openModel(
  { model, script }: ReplayOptions,
  { rules, style, log }: { rules: Rules; style: ReplyStyle | null; log: Log },
  unwinder: Unwinder,
): Promise<CaseReplay["model"]> {
  if (model === null) return null;
  const pool = model === "sandbox" ? await playedModel(script, unwinder) : modelNamed(model);
  const { registry, policies, activeTools } = rules;
  const tools = registry
    .all()
    .filter(({ tool }) => tool.offered && (activeTools?.has(tool.name) ?? true))
    .map(({ tool }) => registry.definitionOf(tool.name, approvalNeed(tool, policies)));
  return {
    model: ownPool({ ...pool, keys: pool.keyNamed }, { log, clock: createClock() }),
    modelId: modelIdOf(pool),
    tools,
    systemFor: (record) => systemFor(record, style),
  };
}

async function playedModel(script: string | null, unwinder: Unwinder): Promise<ModelPool> {
  const { playWorld } = await import("./lab-world.ts");
  const dir = await mkdtemp(join(tmpdir(), "countersign-replay-"));
  unwinder.push("folder", () => rm(dir, { recursive: true, force: true }));
  const { env } = await playWorld(dir, unwinder);
  const { OPENAI_BASE_URL: baseUrl = "", OPENAI_API_KEY: apiKey = "", OPENAI_MODEL = "" } = env;
  if (script !== null) await writeScript(script, new URL(baseUrl).origin);
  const entry = oneModel({ baseUrl, model: OPENAI_MODEL });
  return { entries: [entry], file: null, keyNamed: () => apiKey };
}

async function writeScript(file: string, origin: string): Promise<void> {
  let text: string;
  try {
    text = JSON.stringify(JSON.parse(await readFile(file, "utf8")));
  } catch (cause) {
    const line = `--script: ${file} cannot be read as JSON: ${messageOf(cause)}`;
    throw new StartError(line, { cause });
  }
  const response = await fetch(`${origin}/sandbox/api/model/script`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: text,
  });
  if (!response.ok)
    throw new StartError(`--script: ${file} is no list of answers: ${await response.text()}`);
}

/** The rules of today, for a client who writes as in the case. */
function systemFor({ context, input }: RegressionRecord, style: ReplyStyle | null): string {
  const words = input.messages?.findLast(({ role }) => role === "user")?.content ?? "";
  const given = context.language;
  const language: Language = given === "ru" || given === "en" ? given : languageOf(words, "en");
  const [system] = buildPrompt({
    transcript: { messages: [], calls: new Map() },
    evidence: [],
    ...{ language, style, businessName: "the business", continuation: false },
  });
  return system?.role === "system" ? system.content : "";
}
