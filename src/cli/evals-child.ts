import { type ChildProcess, spawn } from "node:child_process";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { readEnvironment } from "../config.ts";
import { UserError } from "../domain/errors.ts";
import type { HandedModels } from "../model/broker/model-pool.ts";
import type { EvalReport } from "../quality/evals/run-cases.ts";
import type { Snapshot } from "../quality/evals/snapshot.ts";
import { STOPPED } from "../quality/left-work.ts";

/** Evals in a process of its own: the lab has a database and clock that are not ours. */
export interface EvalsChild {
  /** `models`: null: the played one. Throws with the last line that the process said. */
  play(snapshot: Snapshot, models: HandedModels | null): Promise<EvalReport>;
  stop(): void;
}

/** What the process is told; it goes over the channel and is never written to a disk. */
export interface GivenEvals {
  snapshot: Snapshot;
  models: HandedModels | null;
}

const LIMIT_MS = 30 * 60_000;
/** For the process to tidy up. */
const GRACE_MS = 5_000;
const LAST_WORDS = 2000;

/** All that the process needs of ours: none of the bot's tokens, and not its master key. */
const HANDED_ON = /^(PATH|HOME|TMPDIR|LANG|NODE_EXTRA_CA_CERTS)$/;

export function createEvalsChild(): EvalsChild {
  const stopping = new AbortController();
  return {
    play: (snapshot, models) => play({ snapshot, models }, stopping.signal),
    stop: () => stopping.abort(),
  };
}

/** A case that failed is no failure of the process: whether it ran is told by the report. */
async function play(given: GivenEvals, stop: AbortSignal): Promise<EvalReport> {
  if (stop.aborted) throw new UserError("conflict", STOPPED);
  const child = startWorker();
  const report = reportOf(child);
  child.send(given, () => {}); // one that is gone by now tells why by its last words
  const endIt = () => end(child);
  stop.addEventListener("abort", endIt);
  const limit = setTimeout(endIt, LIMIT_MS);
  try {
    return await report;
  } catch (error) {
    throw stop.aborted ? new UserError("conflict", STOPPED) : error;
  } finally {
    clearTimeout(limit);
    stop.removeEventListener("abort", endIt);
  }
}

function startWorker(): ChildProcess {
  const here = fileURLToPath(import.meta.url);
  const program = fileURLToPath(new URL(`evals-worker${extname(here)}`, import.meta.url));
  const env = Object.fromEntries(
    Object.entries(readEnvironment()).filter(([name]) => HANDED_ON.test(name)),
  );
  return spawn(process.execPath, [...process.execArgv, program], {
    ...{ env, stdio: ["ignore", "ignore", "pipe", "ipc"] },
  });
}

function reportOf(child: ChildProcess): Promise<EvalReport> {
  let report: EvalReport | undefined;
  let said = "";
  child.on("message", (message: { report?: EvalReport }) => {
    report = message.report ?? report; // written by the same version; a loader may talk, too
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    said = `${said}${chunk.toString("utf8")}`.slice(-LAST_WORDS);
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      if (report) return resolve(report);
      const ended = signal !== null && code === null ? `it was ended by ${signal}` : lastLine(said);
      reject(new Error(ended || "the process ended without a word"));
    });
  });
}

/** A process that does not come to its end is not waited for. */
function end(child: ChildProcess): void {
  child.kill("SIGTERM");
  const kill = setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
  child.once("close", () => clearTimeout(kill));
}

function lastLine(said: string): string {
  return said.trim().split("\n").at(-1) ?? "";
}
