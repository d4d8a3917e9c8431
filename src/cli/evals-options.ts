import { resolve } from "node:path";
import { parseArgs } from "node:util";

/** The command as it was typed. null: not given. */
export type EvalsOptions =
  | { verb: "compare"; before: string; after: string }
  | {
      verb: "run" | "list";
      /** Of the configured endpoint; null: the stand-in of the played world. */
      model: string | null;
      /** Files and folders; empty: what ships with the product. */
      cases: string[];
      /** Names, or parts of names; empty: all. */
      only: string[];
      database: string | null;
      tenant: string | null;
      outJson: string | null;
      outJunit: string | null;
      outMd: string | null;
    };

/** What `run` and `list` are given. */
export type EvalsRunOptions = Exclude<EvalsOptions, { verb: "compare" }>;

/** One line, for help and for bad usage. */
export const EVALS_USAGE =
  "npm run evals -- [--model NAME] [--cases FILE|DIR …] [--only NAME] [--out-json F] [--out-junit F] [--out-md F] [--database URL --tenant T] [--list] | --compare A.json B.json";

/** A text: what is wrong with the command. What `parseArgs` does not know, it throws. */
export function readEvalsArgs(args: string[]): EvalsOptions | string {
  const { values, positionals } = parse(args);
  if (values.compare) return compareOf(values, positionals);
  if (positionals.length > 0 && values.cases.length === 0)
    return `"${positionals[0]}": wants --cases before it`;
  const empty = Object.entries(values).find(([, value]) => [value].flat().includes(""));
  if (empty) return `--${empty[0]}: wants a value`;
  const { model = null, database = null, tenant = null } = values;
  if ((database === null) !== (tenant === null))
    return "--database and --tenant: are wanted together";
  const files = [values["out-json"], values["out-junit"], values["out-md"]].flatMap((file) =>
    file === undefined ? [] : [resolve(file)],
  );
  if (new Set(files).size < files.length)
    return "two flags name the same file; give each report its own";
  return {
    verb: values.list ? "list" : "run",
    ...{ model, database, tenant, only: values.only },
    cases: [...values.cases, ...positionals],
    outJson: values["out-json"] ?? null,
    outJunit: values["out-junit"] ?? null,
    outMd: values["out-md"] ?? null,
  };
}

function compareOf(values: object, [before, after, ...more]: string[]): EvalsOptions | string {
  const others = Object.entries(values).filter(
    ([name, value]) => name !== "compare" && [value].flat().some((one) => one !== false),
  );
  if (others[0]) return `--${others[0][0]}: has no place beside --compare`;
  if (before === undefined || after === undefined || more.length > 0)
    return "--compare: wants two files that --out-json wrote";
  return { verb: "compare", before, after };
}

function parse(args: string[]) {
  const text = { type: "string" } as const;
  const many = { type: "string", multiple: true, default: [] as string[] } as const;
  const flag = { type: "boolean", default: false } as const;
  return parseArgs({
    args,
    allowPositionals: true,
    options: {
      ...{ model: text, cases: many, only: many, database: text, tenant: text },
      ...{ "out-json": text, "out-junit": text, "out-md": text, list: flag, compare: flag },
    },
  });
}
