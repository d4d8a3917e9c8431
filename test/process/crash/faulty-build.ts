import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";
import { REPOSITORY } from "../../support/process.ts";
import { faultPointsIn, filesOf, isApart, SOURCE } from "./fault-points.ts";

const PRELOAD = fileURLToPath(new URL("./preload.ts", import.meta.url));
const CODE = /\.tsx?$/;
/** What the compiled product looks for beside itself. */
const BESIDE = ["node_modules", "migrations", "examples", "package.json"];

export interface FaultyBuild {
  compiled: string;
  preload: string[];
}

/** The product compiled into a folder; every fault point tells when it is reached and when it is over. */
export function buildFaultyProduct(folder: string): FaultyBuild {
  const compiled = join(folder, "dist");
  for (const file of filesOf(SOURCE)) {
    const from = join(SOURCE, file);
    const to = join(compiled, file);
    mkdirSync(dirname(to), { recursive: true });
    if (!CODE.test(file)) cpSync(from, to);
    else if (!file.endsWith(".d.ts"))
      compile(withFaultPoints(file, readFileSync(from, "utf8")), to);
  }
  for (const name of BESIDE) symlinkSync(join(REPOSITORY, name), join(folder, name));
  const preload = join(folder, "preload.ts");
  compile(readFileSync(PRELOAD, "utf8"), preload);
  return { compiled, preload: [pathToFileURL(preload.replace(/\.ts$/, ".js")).href] };
}

function compile(code: string, to: string): void {
  const { outputText } = ts.transpileModule(code, {
    fileName: to,
    compilerOptions: {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
      jsx: ts.JsxEmit.ReactJSX,
      jsxImportSource: "hono/jsx",
    },
  });
  writeFileSync(to.replace(CODE, ".js"), outputText);
}

/** From the last edit to the first, so that earlier places stay right. */
function withFaultPoints(file: string, code: string): string {
  if (isApart(file)) return code;
  const edits = faultPointsIn(file, code).flatMap(({ name, start, end }) => [
    { at: start, text: `(globalThis.faultPoint(${JSON.stringify(name)},async()=>` },
    { at: end, text: "))" },
  ]);
  edits.sort((a, b) => b.at - a.at);
  let changed = code;
  for (const { at, text } of edits) changed = changed.slice(0, at) + text + changed.slice(at);
  return changed;
}
