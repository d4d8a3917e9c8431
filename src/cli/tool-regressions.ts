import { readFile, writeFile } from "node:fs/promises";
import { messageOf, StartError } from "../domain/errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { knownTools } from "../quality/known-tools.ts";
import {
  type CaseLine,
  chooseLines,
  decodeText,
  readCaseLines,
} from "../quality/regressions/case-lines.ts";
import { faultLine } from "../quality/regressions/fault.ts";
import { exportUrl, fetchExport } from "../quality/regressions/fetch-export.ts";
import { junitOf } from "../quality/regressions/junit.ts";
import { markdownOf } from "../quality/regressions/markdown.ts";
import {
  type Metadata,
  makeReport,
  type RegressionReport,
  summaryLine,
} from "../quality/regressions/report.ts";
import { runRegressions } from "../quality/regressions/run.ts";
import { catalogRegistry } from "./catalog-registry.ts";
import { productVersion } from "./product-version.ts";
import { type OpenReplay, openReplay } from "./regression-replay.ts";
import type { CaseSource, ToolRegressionOptions } from "./tool-regression-options.ts";

/** `say`: standard output. `note`: standard error. */
export interface ToolRegressionParts {
  options: ToolRegressionOptions;
  clock: Clock;
  say(line: string): void;
  note(line: string): void;
  log: Log;
}

/**
 * Looks at every case and writes the reports. 1 when one failed. Throws StartError, one line, when
 * the cases cannot be read or a report cannot be written.
 */
export async function runToolRegressions(parts: ToolRegressionParts): Promise<number> {
  const { options, log } = parts;
  const open = options.replay && (await openReplay(options.replay, options.source, log));
  try {
    return await runWith(parts, open);
  } finally {
    await open?.close();
  }
}

async function runWith(parts: ToolRegressionParts, open: OpenReplay | null): Promise<number> {
  const { options, clock } = parts;
  const { say, note } = withoutToken(parts);
  for (const warning of options.warnings) note(`note: ${warning}`);
  const registry = catalogRegistry();
  const names = registry.all().map(({ tool }) => tool.name);
  const tools = options.tools ?? names;
  const { includeArchived, skipUnsupported } = options;
  const known = knownTools(registry, tools);
  const results = await runRegressions({
    lines: await readSource(options.source),
    options: { tools: new Set(tools), known, includeArchived, skipUnsupported },
    ...(open ? { replay: open.replay } : {}),
  });
  const report = makeReport({
    now: clock.now(),
    metadata: metadataOf(parts, tools),
    notes: [...notesOfTools(tools, names), ...notesOfReplay(open)],
    results,
  });
  // with --json the output is the report and nothing else
  const tell = options.json ? note : say;
  for (const { faults } of results) for (const fault of faults) tell(faultLine(fault));
  for (const line of report.notes) note(`note: ${line}`);
  tell(summaryLine(report.summary));
  if (options.json) say(JSON.stringify(report, null, 2));
  await writeReports(report, options);
  return report.summary.failed > 0 ? 1 : 0;
}

/** No text of a case or of a bot's answer may carry the token into a log. */
function withoutToken({ options, say, note }: ToolRegressionParts) {
  const { source } = options;
  const hide = (line: string) =>
    source.kind === "api" ? line.replaceAll(source.token, "***") : line;
  return {
    say: (line: string) => say(hide(line)),
    note: (line: string) => note(hide(line)),
  };
}

async function readSource(source: CaseSource): Promise<CaseLine[]> {
  if (source.kind === "api") return readCaseLines(await fetchExport(source));
  try {
    return chooseLines(readCaseLines(decodeText(await readFile(source.file))), source);
  } catch (cause) {
    throw new StartError(`--file: ${source.file} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

function metadataOf({ options }: ToolRegressionParts, tools: string[]): Metadata {
  const { source, includeArchived, skipUnsupported } = options;
  const { status, limit } = source;
  return {
    source: source.kind === "api" ? exportUrl(source).href : source.file,
    ...{ status, limit },
    tools,
    flags: { includeArchived, skipUnsupported, replay: options.replay !== null },
    version: productVersion(),
  };
}

/** A slip of the pen in `--tools` would make cases fail that are right. */
function notesOfTools(tools: readonly string[], known: readonly string[]): string[] {
  const strange = tools.filter((name) => !known.includes(name));
  return strange.length > 0 ? [`--tools: this version has no ${strange.join(", ")}`] : [];
}

function notesOfReplay(open: OpenReplay | null): string[] {
  if (!open || open.undecided.length === 0) return [];
  const names = open.undecided.map((id) => `REG-${id}`).join(", ");
  return [`only a model can answer these; add --model: ${names}`];
}

async function writeReports(
  report: RegressionReport,
  { outJson, outJunit, outMd, source }: ToolRegressionOptions,
): Promise<void> {
  const files: [string, string | null, () => string][] = [
    ["--out-json", outJson, () => `${JSON.stringify(report, null, 2)}\n`],
    ["--out-junit", outJunit, () => junitOf(report)],
    ["--out-md", outMd, () => markdownOf(report)],
  ];
  for (const [flag, file, make] of files) {
    if (file === null) continue;
    const text = source.kind === "api" ? make().replaceAll(source.token, "***") : make();
    try {
      await writeFile(file, text);
    } catch (cause) {
      throw new StartError(`${flag}: ${file} cannot be written: ${messageOf(cause)}`, { cause });
    }
  }
}
