import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readEnvironment } from "../config.ts";
import type { EvalReport } from "../quality/evals/run-cases.ts";
import type { Snapshot } from "../quality/evals/snapshot.ts";

/** `npm run evals` as a process of its own: the lab has a database and clock that are not ours. */
export interface EvalsChild {
  /** `model`: null: the played one. Throws with the last line that the process said. */
  play(snapshot: Snapshot, model: string | null): Promise<EvalReport>;
  stop(): void;
}

const LIMIT_MS = 30 * 60_000;
const LAST_WORDS = 2000;

/** All that the process needs of ours: none of the bot's tokens, and not its master key. */
const HANDED_ON = /^(PATH|HOME|TMPDIR|LANG|NODE_EXTRA_CA_CERTS|OPENAI_(API_KEY|BASE_URL))$/;

export function createEvalsChild(): EvalsChild {
  const stopping = new AbortController();
  return {
    async play(snapshot, model) {
      const dir = await mkdtemp(join(tmpdir(), "countersign-evals-"));
      try {
        const given = join(dir, "snapshot.json");
        const out = join(dir, "report.json");
        await writeFile(given, JSON.stringify(snapshot), { mode: 0o600 });
        const flags = ["--snapshot", given, "--out-json", out];
        const said = await run([...flags, ...(model === null ? [] : ["--model", model])], stopping);
        return await reportIn(out, said);
      } finally {
        await rm(dir, { recursive: true, force: true });
      }
    },
    stop: () => stopping.abort(),
  };
}

/** A case that failed ends it with 1, too: whether it ran is told by the report. */
async function reportIn(file: string, said: string): Promise<EvalReport> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as EvalReport; // written by the same version
  } catch {
    throw new Error(said || "the process ended without a word");
  }
}

function run(flags: string[], stopping: AbortController): Promise<string> {
  const program = fileURLToPath(
    new URL(`../cli${extname(fileURLToPath(import.meta.url))}`, import.meta.url),
  );
  const env = Object.fromEntries(
    Object.entries(readEnvironment()).filter(([name]) => HANDED_ON.test(name)),
  );
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...process.execArgv, program, "evals", ...flags], {
      ...{ env, stdio: ["ignore", "ignore", "pipe"], timeout: LIMIT_MS, signal: stopping.signal },
    });
    let said = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      said = `${said}${chunk.toString("utf8")}`.slice(-LAST_WORDS);
    });
    child.once("error", reject);
    child.once("close", (code, signal) =>
      resolve(signal === null || code !== null ? lastLine(said) : `it was ended by ${signal}`),
    );
  });
}

function lastLine(said: string): string {
  return said.trim().split("\n").at(-1) ?? "";
}
