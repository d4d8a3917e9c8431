import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type YAMLError,
} from "yaml";
import { messageOf, StartError } from "../../domain/errors.ts";
import type { KnownTools } from "../known-tools.ts";
import type { EvalCase } from "./case-format.ts";
import { caseFaultLine, caseTitle, checkCase } from "./check-case.ts";

/** The scenarios that ship with the product. */
export const SHIPPED_CASES = fileURLToPath(new URL("../../../examples/evals", import.meta.url));

const CASE_FILE = /\.(ya?ml|json)$/;

/**
 * The cases of files, and of all files of folders, in order. `tools`: null: tools that they name are
 * not looked up. Throws StartError, one line for each thing that is wrong, with file, case and path.
 */
export function readCases(places: readonly string[], tools: KnownTools | null = null): EvalCase[] {
  const files = places.flatMap(filesOf).map((file) => readFile(file, tools));
  const read = files.flatMap(({ cases }) => cases);
  const faults = [...files.flatMap((file) => file.faults), ...sameNames(read)];
  if (faults.length > 0) throw new StartError(faults.join("\n"));
  return read.flatMap(({ evalCase }) => (evalCase ? [evalCase] : []));
}

/** `evalCase`: null: there are faults. */
interface ReadCase {
  /** null: there is none that can be read. */
  name: string | null;
  /** What faults of it begin with. */
  place: string;
  evalCase: EvalCase | null;
}

interface ReadFile {
  cases: ReadCase[];
  faults: string[];
}

function sameNames(cases: readonly ReadCase[]): string[] {
  const seen = new Map<string, string>();
  return cases.flatMap(({ name, place }) => {
    if (name === null) return [];
    const earlier = seen.get(name);
    if (earlier === undefined) seen.set(name, place);
    const expected = `a name of its own (${earlier} has it)`;
    const path = ["case_name"];
    return earlier === undefined ? [] : [caseFaultLine(place, { path, expected, actual: name })];
  });
}

function filesOf(place: string): string[] {
  try {
    if (!statSync(place).isDirectory()) return [place];
    const files = readdirSync(place)
      .filter((name) => CASE_FILE.test(name))
      .sort();
    if (files.length === 0)
      throw new StartError(`--cases: ${place} holds no .yaml, .yml or .json file`);
    return files.map((name) => join(place, name));
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`--cases: ${place} cannot be read (${messageOf(error)})`);
  }
}

function readFile(file: string, tools: KnownTools | null): ReadFile {
  const lines = new LineCounter();
  const document = parseText(textOf(file), lines);
  if (document.errors.length > 0)
    return { cases: [], faults: document.errors.map((error) => notYaml(file, error)) };
  const written = valueIn(file, document);
  if (!Array.isArray(written)) return { cases: [], faults: [`${file}: a list of cases is wanted`] };
  const placeOf = (index: number, path: readonly PropertyKey[]) => {
    const line = lineOf(document, lines, [index, ...path]);
    return `${file}${line === null ? "" : `:${line}`}: ${caseTitle(written[index], index)}`;
  };
  const read = written.map((one: unknown, index) => ({ one, index, ...checkCase(one, tools) }));
  return {
    cases: read.map(({ one, index, evalCase }) => ({
      name: nameOf(one),
      place: placeOf(index, ["case_name"]),
      evalCase: evalCase && { ...evalCase, source: sourceOf(file) },
    })),
    faults: read.flatMap(({ index, faults }) =>
      faults.map((fault) => caseFaultLine(placeOf(index, fault.path), fault)),
    ),
  };
}

function nameOf(written: unknown): string | null {
  const name = (written as { case_name?: unknown } | null)?.case_name;
  return typeof name === "string" ? name.trim() : null;
}

/** What ships is named alike wherever the product lies. */
function sourceOf(file: string): string {
  return dirname(file) === SHIPPED_CASES ? `examples/evals/${basename(file)}` : file;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new StartError(`--cases: ${file} cannot be read (${messageOf(error)})`);
  }
}

/** JSON is YAML, too; dates stay texts. */
function parseText(text: string, lineCounter: LineCounter): Document.Parsed {
  return parseDocument(text, { schema: "core", prettyErrors: true, lineCounter });
}

function notYaml(file: string, { message, linePos }: YAMLError): string {
  const line = linePos ? `:${linePos[0].line}` : "";
  return `${file}${line}: not YAML: ${message.split("\n")[0]}`;
}

function valueIn(file: string, document: Document.Parsed): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw new StartError(`${file}: not YAML: ${messageOf(error).split("\n")[0]}`);
  }
}

/** Where a field stands; of what is not there, where that stands which should hold it. */
function lineOf(
  document: Document.Parsed,
  lines: LineCounter,
  path: readonly PropertyKey[],
): number | null {
  let node: unknown = document.contents;
  let offset = 0;
  for (const key of path) {
    const held = isAlias(node) ? node.resolve(document) : node;
    const pair = isMap(held) ? held.items.find((one) => nameIn(one.key) === String(key)) : null;
    node = pair ? pair.value : isSeq(held) ? held.items[Number(key)] : undefined;
    const start = startOf(pair?.key) ?? startOf(node);
    if (start === null) break;
    offset = start;
  }
  const { line } = lines.linePos(offset);
  return line > 0 ? line : null;
}

function nameIn(key: unknown): string {
  return isScalar(key) ? String(key.value) : "";
}

function startOf(node: unknown): number | null {
  return isNode(node) ? (node.range?.[0] ?? null) : null;
}
