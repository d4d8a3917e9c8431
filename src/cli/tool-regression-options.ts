import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { baseProblem } from "../quality/regressions/fetch-export.ts";

/** Where the cases come from. */
export type CaseSource =
  /** `status`, `limit`: null: all cases of the file. */
  | { kind: "file"; file: string; status: string | null; limit: number | null }
  | {
      kind: "api";
      base: URL;
      status: string;
      limit: number;
      tenant: string | null;
      token: string;
    };

/** What cases are replayed against. */
export interface ReplayOptions {
  /** A file of policy rows, as GET /policies answers; null: see `database`. */
  policies: string | null;
  /** null: the bot's own rules in API mode, else those that ship with this version. */
  database: { url: string; tenant: string } | null;
  /** `sandbox`: the played one; null: no model is asked. */
  model: string | null;
  /** Answers that the played model gives, in order; null: its own. */
  script: string | null;
}

/** The command as it was typed. Files are null when they are not wanted. */
export interface ToolRegressionOptions {
  source: CaseSource;
  /** null: every tool of the product. */
  tools: string[] | null;
  includeArchived: boolean;
  skipUnsupported: boolean;
  /** null: the shape alone is looked at. */
  replay: ReplayOptions | null;
  json: boolean;
  outJson: string | null;
  outJunit: string | null;
  outMd: string | null;
  /** What the user should know of what was typed. */
  warnings: string[];
}

/** One line, for help and for bad usage. */
export const TOOL_REGRESSIONS_USAGE =
  "npm run quality:tool-regressions -- --file F.jsonl | --api-base URL [--tenant T] [--token T, better in QUALITY_LAB_TOKEN]   [--status active|archived|all] [--limit N, of a file all by default] [--include-archived] [--tools a,b] [--skip-unsupported] [--replay [--policies F.json | --database URL] [--model NAME|sandbox] [--script F.json]] [--json] [--out-json F] [--out-junit F] [--out-md F]";

const STATUSES = ["active", "archived", "all"];
const DEFAULT_LIMIT = 500;
const MOST_CASES = 5000;
const ONLY_API = ["tenant", "token"] as const;

/** A text: what is wrong with the command. What `parseArgs` does not know, it throws. */
export function readToolRegressionArgs(
  args: string[],
  env: { QUALITY_LAB_TOKEN?: string | undefined },
): ToolRegressionOptions | string {
  const { values, positionals } = parse(args);
  // not shown: it may be a token that lost its flag
  if (positionals.length > 0) return "everything wants a flag before it";
  const source = sourceOf(values, env.QUALITY_LAB_TOKEN?.trim() ?? "");
  if (typeof source === "string") return source;
  const tools = values.tools === undefined ? null : namesIn(values.tools);
  if (tools?.length === 0)
    return "--tools: wants names of tools, like send_email,create_task_draft";
  const replay = replayOf(values);
  if (typeof replay === "string") return replay;
  const files = filesOf(values);
  if (typeof files === "string") return files;
  return {
    source,
    tools,
    includeArchived: values["include-archived"] || asksForArchived(source),
    skipUnsupported: values["skip-unsupported"],
    replay,
    json: values.json,
    ...files,
    warnings: warningsOf(values, source),
  };
}

function parse(args: string[]) {
  const text = { type: "string" } as const;
  const flag = { type: "boolean", default: false } as const;
  return parseArgs({
    args,
    allowPositionals: true,
    options: {
      ...{ file: text, "api-base": text, status: text, limit: text, tenant: text, token: text },
      ...{ policies: text, database: text, model: text, script: text, replay: flag },
      ...{ tools: text, "out-json": text, "out-junit": text, "out-md": text },
      ...{ "include-archived": flag, "skip-unsupported": flag, json: flag },
    },
  });
}

type Values = ReturnType<typeof parse>["values"];

function sourceOf(values: Values, tokenInEnv: string): CaseSource | string {
  const { file, "api-base": base, tenant } = values;
  if ((file === undefined) === (base === undefined))
    return "one of --file and --api-base is wanted";
  if (file === "") return "--file: wants a file";
  if (tenant === "") return "--tenant: wants the name of a tenant";
  const choice = choiceOf(values);
  if (typeof choice === "string") return choice;
  return file !== undefined
    ? { kind: "file", file, ...choice }
    : apiSource(values, choice, tokenInEnv);
}

/** Which cases are wanted; null: it is not said. */
interface Choice {
  status: string | null;
  limit: number | null;
}

function choiceOf(values: Values): Choice | string {
  const { status = null, limit: text } = values;
  if (status !== null && !STATUSES.includes(status))
    return `--status: wants one of ${STATUSES.join(", ")}`;
  const limit = text === undefined ? null : wholeNumber(text);
  if (limit !== null && (limit < 1 || limit > MOST_CASES))
    return `--limit: wants a whole number from 1 to ${MOST_CASES}`;
  return { status, limit };
}

function apiSource(values: Values, choice: Choice, tokenInEnv: string): CaseSource | string {
  const { "api-base": base = "", tenant = null } = values;
  const problem = baseProblem(base);
  if (problem !== null) return problem;
  const status = choice.status ?? (values["include-archived"] ? "all" : "active");
  const limit = choice.limit ?? DEFAULT_LIMIT;
  const token = values.token?.trim() || tokenInEnv;
  if (token === "") return "--api-base wants a token: set QUALITY_LAB_TOKEN";
  // a header would refuse them with a message that shows the token
  if (!/^[\x21-\x7e]+$/.test(token))
    return "QUALITY_LAB_TOKEN or --token holds characters that no token has; copy it again";
  return { kind: "api", base: new URL(base), status, limit, tenant, token };
}

/** Who asks for them alone wants them looked at; skipped, they would be green for ever. */
function asksForArchived(source: CaseSource): boolean {
  return source.status === "archived";
}

/** null: it is not asked for. */
function replayOf(values: Values): ReplayOptions | null | string {
  const { policies = null, database = null, model = null, script = null, tenant } = values;
  const given = { policies, database, model, script };
  const named = Object.entries(given).filter(([, value]) => value !== null);
  if (!values.replay) {
    const [first] = named;
    return first ? `--${first[0]}: has no place without --replay` : null;
  }
  const empty = named.find(([, value]) => value === "");
  if (empty) return `--${empty[0]}: wants a value`;
  if (policies !== null && database !== null)
    return "--policies and --database: both name rules; give one of them";
  if (script !== null && model !== null && model !== "sandbox")
    return "--script: is what the played model says; leave --model out, or name sandbox";
  return {
    ...{ policies, script },
    model: script === null ? model : "sandbox",
    database: database === null ? null : { url: database, tenant: tenant ?? "default" },
  };
}

/** 0: it is none. */
function wholeNumber(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

function namesIn(list: string): string[] {
  const names = list.split(",").map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ""))];
}

function filesOf(
  values: Values,
): Pick<ToolRegressionOptions, "outJson" | "outJunit" | "outMd"> | string {
  const { file, "out-json": outJson, "out-junit": outJunit, "out-md": outMd } = values;
  const named = [file, outJson, outJunit, outMd].filter((name) => name !== undefined);
  if (named.includes("")) return "--out-json, --out-junit and --out-md want a file each";
  if (new Set(named.map((name) => resolve(name))).size < named.length)
    return "two flags name the same file; give each report its own";
  return { outJson: outJson ?? null, outJunit: outJunit ?? null, outMd: outMd ?? null };
}

function warningsOf(values: Values, source: CaseSource): string[] {
  const isUsed = (name: string) => name === "tenant" && values.database !== undefined;
  const unused =
    source.kind === "file"
      ? ONLY_API.filter((name) => values[name] !== undefined && !isUsed(name))
      : [];
  const isOpen = source.kind === "api" && isUnencrypted(source.base);
  return [
    ...(values.token === undefined
      ? []
      : ["a token on the command line shows in lists of processes; set QUALITY_LAB_TOKEN instead"]),
    ...(unused.length > 0
      ? [
          `without --api-base these count for nothing: ${unused.map((name) => `--${name}`).join(", ")}`,
        ]
      : []),
    ...(isOpen ? ["the token goes over the network unencrypted; use https"] : []),
  ];
}

function isUnencrypted({ protocol, hostname }: URL): boolean {
  return protocol === "http:" && !/^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}
