import { readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { messageOf, StartError } from "../domain/errors.ts";
import { newId } from "../domain/ids.ts";
import { type ModelPool, poolOfHanded } from "../model/broker/model-pool.ts";
import type { EvalCase } from "../quality/evals/case-format.ts";
import { refuseFaults } from "../quality/evals/check-case.ts";
import { compareOutcomes } from "../quality/evals/compare.ts";
import { readCases, SHIPPED_CASES } from "../quality/evals/read-cases.ts";
import { junitOf, markdownOf, summaryLine } from "../quality/evals/reports.ts";
import { type EvalReport, runCases } from "../quality/evals/run-cases.ts";
import { casesOf, type Snapshot } from "../quality/evals/snapshot.ts";
import { knownTools } from "../quality/known-tools.ts";
import { catalogRegistry } from "./catalog-registry.ts";
import type { GivenEvals } from "./evals-child.ts";
import { type EvalsHome, openHome } from "./evals-home.ts";
import type { EvalsOptions, EvalsRunOptions } from "./evals-options.ts";
import { evalsProgress } from "./evals-progress.ts";
import { openLab } from "./lab.ts";
import { modelNamed } from "./named-model.ts";

/** `say`: standard output. */
export interface EvalsParts {
  say(line: string): void;
  /** The output is a terminal: progress is shown in place. */
  terminal: NodeJS.WriteStream | null;
}

/**
 * Plays the cases and writes the reports. 1 when a case failed, with it when a forbidden tool was
 * called, or when a comparison shows one broken; 2 when no case has the name. Throws StartError.
 */
export async function runEvals(options: EvalsOptions, parts: EvalsParts): Promise<number> {
  if (options.verb === "compare") return compare(options, parts);
  const home =
    options.database === null ? null : await openHome(options.database, options.tenant ?? "");
  try {
    const cases = await gather(options, home);
    if (options.verb === "list") return list(cases, parts);
    const model = options.model === null ? null : modelNamed(options.model);
    const report = await play(cases, { model, snapshot: home?.snapshot ?? {}, home }, parts);
    parts.say(summaryLine(report));
    writeReports(report, options);
    return report.failed > 0 ? 1 : 0;
  } finally {
    await home?.close();
  }
}

/** Plays what the bot has handed over, apart from it. Throws StartError. */
export function playGiven(
  { snapshot, models }: GivenEvals,
  parts: EvalsParts,
): Promise<EvalReport> {
  const cases = wantedOf(casesOf(snapshot, knownTools(catalogRegistry())), []);
  const on = { model: models && poolOfHanded(models), snapshot, home: null };
  return play(cases, on, parts);
}

async function gather(options: EvalsRunOptions, home: EvalsHome | null): Promise<EvalCase[]> {
  const named = options.cases.length > 0;
  const tools = knownTools(catalogRegistry());
  const written = readCases(named ? options.cases : [SHIPPED_CASES], tools);
  const wanted = wantedOf(home ? await home.gather(written, named) : written, options.only);
  // a tenant's own may be of another version
  if (home) refuseFaults(wanted, tools);
  return wanted;
}

function wantedOf(all: readonly EvalCase[], only: readonly string[]): EvalCase[] {
  const wanted = all
    .filter(({ is_active }) => is_active)
    .filter(({ case_name }) => only.length === 0 || only.some((part) => case_name.includes(part)));
  if (wanted.length > 0) return wanted;
  throw new StartError(
    only.length > 0
      ? `--only: no case has "${only.join('" or "')}" in its name; --list shows the names`
      : "there is no active case",
  );
}

function list(cases: readonly EvalCase[], { say }: EvalsParts): number {
  for (const { case_name, any_tool, expected_tool, source } of cases)
    say(`${case_name} → ${any_tool ? "any tool" : (expected_tool ?? "no tool")} (${source})`);
  say(`${cases.length} cases`);
  return 0;
}

async function play(
  cases: readonly EvalCase[],
  on: { model: ModelPool | null; snapshot: Snapshot; home: EvalsHome | null },
  { say, terminal }: EvalsParts,
): Promise<EvalReport> {
  const progress = evalsProgress({ total: cases.length, say, terminal });
  progress.begin();
  const lab = await openLab(on);
  try {
    const report = await runCases(lab, cases, {
      ...{ batchId: newId(), now: Date.now, realNow: Date.now },
      onStart: progress.started,
      onResult: progress.ended,
    });
    await lab.keep(cases, report);
    await on.home?.store(report, Date.now());
    return report;
  } finally {
    progress.end();
    await lab.close();
  }
}

function writeReports(report: EvalReport, { outJson, outJunit, outMd }: EvalsRunOptions): void {
  if (outJson) write("--out-json", outJson, `${JSON.stringify(report, null, 2)}\n`);
  if (outJunit) write("--out-junit", outJunit, junitOf(report));
  if (outMd) write("--out-md", outMd, markdownOf(report));
}

function write(flag: string, file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new StartError(`${flag}: ${file} cannot be written (${messageOf(error)})`);
  }
}

const outcomesSchema = z.object({
  results: z.array(
    z.object({
      case_name: z.string(),
      passed: z.boolean(),
      failure_reason: z.string().nullable().optional(),
    }),
  ),
});

function compare(
  { before, after }: Extract<EvalsOptions, { verb: "compare" }>,
  { say }: EvalsParts,
): number {
  const found = compareOutcomes(outcomesIn(before), outcomesIn(after));
  for (const name of found.fixed) say(`fixed: ${name}`);
  for (const { case_name, failure_reason } of found.broken)
    say(`broken: ${case_name}${failure_reason ? `: ${failure_reason}` : ""}`);
  for (const name of found.added) say(`only in ${after}: ${name}`);
  for (const name of found.removed) say(`only in ${before}: ${name}`);
  const { passed, failed } = found.same;
  say(
    `${found.fixed.length} fixed, ${found.broken.length} broken, ${passed + failed} same (${passed} pass, ${failed} fail)`,
  );
  return found.broken.length > 0 ? 1 : 0;
}

function outcomesIn(file: string) {
  try {
    return outcomesSchema.parse(JSON.parse(readFileSync(file, "utf8"))).results;
  } catch (error) {
    const why = error instanceof z.ZodError ? "it is no report of --out-json" : messageOf(error);
    throw new StartError(`--compare: ${file} cannot be read (${why})`);
  }
}
