import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Chromium, findChromium } from "../test/support/chromium.ts";
import { answersRedis } from "../test/support/redis.ts";
import { findTestServer, type TestServer } from "./test-server.ts";
import { countTests, type Report, type Tally, tallyLine } from "./test-tally.ts";

/** What `npm test` runs: the checks, then every test. The last line counts; exit 1 on any failure. */
async function main(): Promise<number> {
  const server = await findTestServer(process.env.TEST_DATABASE_URL);
  const chromium = findChromium(process.env.CHROMIUM_PATH);
  const notes: string[] = [];
  let failedChecks = 0;
  for (const [name, args] of CHECKS) {
    console.log(`\n── ${name}`);
    const code = await run(args, {});
    if (code === 0) continue;
    failedChecks += 1;
    notes.push(`${name}: failed`);
  }
  console.log("\n── tests");
  const { code, report } = await runTests(server);
  const { total, groups } = countTests(report);
  const tally: Tally = { ...total, failed: total.failed + failedChecks };
  // an error outside of every test, and a run without tests, leave no failed test behind
  if ((code !== 0 && total.failed === 0) || total.passed + total.failed === 0) {
    tally.failed += 1;
    notes.push(`vitest ended with ${code}; see above`);
  }
  if (server.kind === "unreachable") {
    tally.failed += 1;
    notes.push(server.note);
  }
  console.log("");
  const hasRedis = await answersRedis();
  const redis = hasRedis ? "limits and servers on it, too" : "none answers";
  if (process.env.TEST_REDIS_URL && !hasRedis) {
    tally.failed += 1;
    notes.push("TEST_REDIS_URL is set, and no Redis answers there");
  }
  const places = [noteOf(server), `redis: ${redis}`, browserNote(chromium)];
  for (const line of [...groups, ...places, ...notes]) console.log(line);
  console.log(tallyLine(tally));
  return tally.failed > 0 ? 1 : 0;
}

const CHECKS: [name: string, command: string[]][] = [
  ["format and lint", ["biome", "check", "."]],
  [
    "import rules",
    ["depcruise", "src", "bench", "--config", ".dependency-cruiser.mjs", "--output-type", "err"],
  ],
  ["types", ["tsc", "--noEmit"]],
];

async function runTests(server: TestServer): Promise<{ code: number; report: Report | null }> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-test-"));
  const file = join(folder, "report.json");
  const args = [
    "vitest",
    "run",
    "--project=!crash",
    "--reporter=default",
    "--reporter=json",
    "--no-color",
  ];
  const env: NodeJS.ProcessEnv = server.kind === "answers" ? { TEST_DATABASE_URL: server.url } : {};
  try {
    const code = await run([...args, `--outputFile.json=${file}`], env);
    return { code, report: readReport(file) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readReport(file: string): Report | null {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Report; // written by vitest's JSON reporter
  } catch {
    return null;
  }
}

/** A program of this package's own `node_modules`; resolves with its exit code. */
function run([program = "", ...args]: string[], env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(join("node_modules", ".bin", program), args, {
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...process.env, ...env },
    });
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 1));
  });
}

function noteOf(server: TestServer): string {
  switch (server.kind) {
    case "answers":
      return `databases: the embedded one, and PostgreSQL ${server.version} at ${server.place}`;
    case "none":
    case "unreachable":
      return `databases: the embedded one alone; no PostgreSQL answers at ${server.place}`;
    default:
      return server satisfies never;
  }
}

function browserNote(chromium: Chromium): string {
  if (chromium.kind === "found") return `page: in ${chromium.path}`;
  return `page: skipped, ${chromium.note}`;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    console.log(tallyLine({ passed: 0, failed: 1, skipped: 0 }));
    process.exit(1);
  },
);
