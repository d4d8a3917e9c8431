import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import type { z } from "zod";
import { messageOf, StartError } from "../../domain/errors.ts";
import { type EvalCase, evalCaseSchema } from "./case-format.ts";

/** The scenarios that ship with the product. */
export const SHIPPED_CASES = fileURLToPath(new URL("../../../examples/evals", import.meta.url));

const CASE_FILE = /\.(ya?ml|json)$/;

/**
 * The cases of files, and of all files of folders, in order. Throws StartError, one line, with file,
 * case and path of what is wrong.
 */
export function readCases(places: readonly string[]): EvalCase[] {
  const cases = places.flatMap(filesOf).flatMap(readFile);
  const seen = new Map<string, string>();
  for (const { case_name: name, source } of cases) {
    const earlier = seen.get(name);
    if (earlier !== undefined)
      throw new StartError(`${source}: case "${name}": stands in ${earlier} already; rename one`);
    seen.set(name, source);
  }
  return cases;
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

function readFile(file: string): EvalCase[] {
  const written = parseText(file);
  if (!Array.isArray(written)) throw new StartError(`${file}: a list of cases is wanted`);
  return written.map((one: unknown, index) => {
    const parsed = evalCaseSchema.safeParse(one);
    if (parsed.success) return { ...parsed.data, source: sourceOf(file) };
    throw new StartError(`${file}: ${caseOf(one, index)}: ${problemOf(parsed.error)}`);
  });
}

/** What ships is named alike wherever the product lies. */
function sourceOf(file: string): string {
  return dirname(file) === SHIPPED_CASES ? `examples/evals/${basename(file)}` : file;
}

/** JSON is YAML, too; dates stay texts. */
function parseText(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new StartError(`--cases: ${file} cannot be read (${messageOf(error)})`);
  }
  try {
    return parse(text, { schema: "core", prettyErrors: true });
  } catch (error) {
    throw new StartError(`${file}: not YAML: ${messageOf(error).split("\n")[0]}`);
  }
}

function caseOf(one: unknown, index: number): string {
  const name = (one as { case_name?: unknown } | null)?.case_name;
  return typeof name === "string" ? `case "${name}"` : `case ${index + 1}`;
}

/** The first problem, with the path of the field; of a union's ways the one that got furthest. */
export function problemOf(error: z.ZodError): string {
  const [issue] = error.issues;
  return issue ? told(issue) : "is no case";
}

function told(issue: z.core.$ZodIssue, above: readonly PropertyKey[] = []): string {
  const path = [...above, ...issue.path];
  if (issue.code === "invalid_union") {
    const deepest = issue.errors
      .flat()
      .toSorted((one, other) => other.path.length - one.path.length)[0];
    if (deepest && deepest.path.length > 0) return told(deepest, path);
  }
  const keys = issue.code === "unrecognized_keys" ? `unknown fields: ${issue.keys.join(", ")}` : "";
  return `${path.join(".") || "case"}: ${keys || issue.message}`;
}
