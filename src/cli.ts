import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { AUDIT_USAGE, readAuditArgs } from "./cli/audit.ts";
import { runDatabaseCommand } from "./cli/database-commands.ts";
import { runDoctor } from "./cli/doctor.ts";
import { environmentLine } from "./cli/environment-line.ts";
import { EVALS_USAGE, readEvalsArgs } from "./cli/evals-options.ts";
import { runGuardCases } from "./cli/guard-cases.ts";
import { runQuoteCases } from "./cli/quote-cases.ts";
import { type ReportFiles, reportProblem } from "./cli/report-folders.ts";
import { restore } from "./cli/restore.ts";
import { rotateSecrets } from "./cli/secrets.ts";
import { seed } from "./cli/seed.ts";
import { readToolRegressionArgs, TOOL_REGRESSIONS_USAGE } from "./cli/tool-regression-options.ts";
import { runToolRegressions } from "./cli/tool-regressions.ts";
import { ignoreUnreadOutput } from "./cli/unread-output.ts";
import { loadConfig, readEnvironment } from "./config.ts";
import { messageOf } from "./domain/errors.ts";
import { createClock } from "./lib/clock.ts";
import { createLog } from "./lib/log.ts";
import { openEmbedded, openPostgres, prepareDatabase } from "./store/database.ts";
import { handCommand, holdFolder, holdWorld } from "./store/folder-lock.ts";
import { placeOfMasterKey } from "./store/master-key.ts";
import { refuseUnfinishedRestore } from "./store/unfinished-restore.ts";
import { unlockDatabase } from "./store/unlock.ts";

const COMMANDS: Record<string, { usage: string; run(args: string[]): Promise<number> }> = {
  sandbox: {
    usage: "npm run sandbox -- [--port P] [--data-dir D]   (mail: P+1; D: DATA_DIR)",
    run: sandbox,
  },
  seed: { usage: "npm run seed -- --url URL --token T", run: seedDesk },
  tokens: {
    usage: "npm run tokens -- create --staff ID [--tenant T] [--days N]",
    run: onDatabase("tokens"),
  },
  kb: {
    usage: 'npm run kb -- import PATH… | search "…" [--json] | list | remove ID   [--tenant T]',
    run: onDatabase("kb"),
  },
  backup: {
    usage: "npm run backup -- FILE [--force]",
    run: onDatabase("backup", { migrates: false }),
  },
  audit: { usage: AUDIT_USAGE, run: auditTrail },
  restore: { usage: "npm run restore -- FILE", run: restoreFile },
  secrets: { usage: "npm run secrets -- rotate", run: changeKey },
  doctor: {
    usage: "npm run doctor [-- --json]",
    run: (args) => runDoctor(args, (line) => console.log(line)),
  },
  quote: { usage: "npm run quote -- --cases F.json", run: quote },
  guard: { usage: "npm run guard -- --cases F.jsonl", run: guard },
  evals: { usage: EVALS_USAGE, run: evals },
  "quality:tool-regressions": { usage: TOOL_REGRESSIONS_USAGE, run: toolRegressions },
};

/** Bad usage: one line and exit 2. */
class UsageError extends Error {}

async function main(): Promise<number> {
  const [name = "", ...args] = process.argv.slice(2);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) {
    console.error(`usage: npm run ${Object.keys(COMMANDS).join("|")} -- --help`);
    return 2;
  }
  if (args.includes("--help")) {
    console.log(`usage: ${command.usage}`);
    return 0;
  }
  try {
    return await command.run(args);
  } catch (error) {
    const bad = error instanceof UsageError || isParseError(error);
    console.error(
      bad ? `${messageOf(error).split("\n")[0]}; usage: ${command.usage}` : messageOf(error),
    );
    return bad ? 2 : 1;
  }
}

async function sandbox(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: "string", default: "4000" },
      "data-dir": { type: "string" },
    },
  });
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError(`--port: got "${values.port}", wants a port from 0 to 65535`);
  const dataDir = resolve(values["data-dir"] ?? (readEnvironment().DATA_DIR || "./.data"));
  const lock = await holdWorld(dataDir, "npm run sandbox");
  const { startStandalone } = await import("./sandbox/standalone.ts");
  const { makeParts } = await import("./sandbox/parts.ts");
  const running = await startStandalone({
    port,
    dataDir,
    // a fixed place, so that a bot's SMTP_URL outlives a restart
    parts: (world, origin) => makeParts(world, origin, { smtpPort: port > 0 ? port + 1 : 0 }),
  });
  console.log(`The played world is ready on ${running.origin}/sandbox`);
  console.log(
    `Its mail server is at ${running.env.SMTP_URL}; what happened is kept in ${dataDir}/sandbox`,
  );
  console.log("Start a bot with:");
  console.log("SANDBOX=off");
  for (const [name, value] of Object.entries(running.env))
    console.log(environmentLine(name, value));
  await new Promise<void>((resolve) => {
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
  });
  await running.stop();
  await lock.release();
  return 0;
}

async function seedDesk(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { url: { type: "string" }, token: { type: "string" } },
  });
  if (!values.url || !values.token) throw new UsageError("--url and --token are wanted");
  await seed({ url: values.url, token: values.token, write: (line) => console.log(line) });
  return 0;
}

/**
 * Talks through the process that holds the embedded folder; opens it itself when nobody does.
 * `migrates`: the command wants this version's schema.
 */
function onDatabase(
  command: string,
  { migrates }: { migrates: boolean } = { migrates: true },
): (args: string[]) => Promise<number> {
  return async (args) => {
    const config = loadConfig();
    const handed = { command, args, cwd: process.cwd() };
    const write = (line: string) => console.log(line);
    if (!config.databaseUrl) {
      const code = await handCommand(config.dataDir, handed, write);
      if (code !== null) return code;
    }
    const lock = config.databaseUrl
      ? null
      : await holdFolder(config.dataDir, {
          description: `process ${process.pid} (npm run ${command})`,
          run: () => Promise.reject(new Error("another command is running; try again")),
        });
    try {
      await refuseUnfinishedRestore(config.dataDir);
    } catch (error) {
      await lock?.release();
      throw error;
    }
    const database = config.databaseUrl
      ? await openPostgres(config.databaseUrl)
      : await openEmbedded({ dir: `${config.dataDir}/db`, durable: !config.sandbox });
    try {
      const keySource = { fromEnv: config.masterKey, dataDir: config.dataDir };
      if (migrates) {
        await unlockDatabase(database.db, keySource);
        await prepareDatabase(database, config.world);
      }
      const keyPlace = placeOfMasterKey(keySource);
      const parts = { db: database.db, clock: createClock(), keyPlace, keySource, write };
      return await runDatabaseCommand(parts, handed);
    } finally {
      await database.close();
      await lock?.release();
    }
  };
}

/** Bad usage is told here: who holds the folder could only answer with a line. */
async function auditTrail(args: string[]): Promise<number> {
  if (!readAuditArgs(args)) throw new UsageError("verify, or show with one ID, is wanted");
  return onDatabase("audit", { migrates: false })(args);
}

async function restoreFile(args: string[]): Promise<number> {
  const { positionals } = parseArgs({ args, allowPositionals: true, options: {} });
  const [file] = positionals;
  if (!file || positionals.length > 1) throw new UsageError("one FILE is wanted");
  await restore({ file, config: loadConfig(), write: (line) => console.log(line) });
  return 0;
}

async function changeKey(args: string[]): Promise<number> {
  const { positionals } = parseArgs({ args, allowPositionals: true, options: {} });
  if (positionals.length !== 1 || positionals[0] !== "rotate")
    throw new UsageError("rotate is wanted");
  await rotateSecrets({ config: loadConfig(), write: (line) => console.log(line) });
  return 0;
}

async function quote(args: string[]): Promise<number> {
  const report = await runQuoteCases(casesFile(args));
  console.log(JSON.stringify(report));
  return report.failed.length > 0 ? 1 : 0;
}

async function guard(args: string[]): Promise<number> {
  await runGuardCases(casesFile(args), (line) => console.log(line));
  return 0;
}

async function toolRegressions(args: string[]): Promise<number> {
  const options = readToolRegressionArgs(args, readEnvironment());
  if (typeof options === "string") throw new UsageError(options);
  refuseReports(options);
  return runToolRegressions({
    options,
    clock: createClock(),
    say: (line) => console.log(line),
    note: (line) => console.error(line),
    log: createLog("silent"),
  });
}

/** Loaded only here: the lab is the whole product. */
async function evals(args: string[]): Promise<number> {
  const options = readEvalsArgs(args);
  if (typeof options === "string") throw new UsageError(options);
  if (options.verb !== "compare") refuseReports(options);
  const { runEvals } = await import("./cli/evals.ts");
  return runEvals(options, {
    say: (line) => console.log(line),
    terminal: process.stdout.isTTY ? process.stdout : null,
  });
}

function refuseReports(files: ReportFiles): void {
  const problem = reportProblem(files);
  if (problem !== null) throw new UsageError(problem);
}

function casesFile(args: string[]): string {
  const { values } = parseArgs({ args, options: { cases: { type: "string" } } });
  if (!values.cases) throw new UsageError("--cases: a file is wanted");
  return values.cases;
}

function isParseError(error: unknown): boolean {
  const code = (error as { code?: unknown })?.code;
  return typeof code === "string" && code.startsWith("ERR_PARSE_ARGS");
}

ignoreUnreadOutput();
main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(messageOf(error));
    process.exit(1);
  },
);
