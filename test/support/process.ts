import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Canary, canariesOf, canary, refuseLeaks } from "./canary.ts";

/** A program that was started; its whole environment is what the test gave. */
export interface Running {
  pid: number;
  out(): string;
  err(): string;
  /** Resolves with what `look` finds in the standard output; rejects when the program ends before. */
  says(look: RegExp): Promise<RegExpExecArray>;
  /** `kill -9`: nothing is tidied up. */
  kill(): Promise<void>;
  /** SIGTERM; resolves with the exit code. */
  terminate(): Promise<number | null>;
  ended: Promise<number | null>;
}

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

export interface ProgramOptions {
  env?: Record<string, string>;
  /** Modules loaded before the program. */
  preload?: string[];
  /** A folder with the program compiled; without it the sources run. */
  compiled?: string | undefined;
  /** Away from the checkout by default in the tests: a developer's `.env` must not be read. */
  cwd: string;
}

export const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const TSX = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;

/** `npm start` without npm: `program` is main.ts or cli.ts. */
export function startProgram(program: string, args: string[], options: ProgramOptions): Running {
  const { compiled, preload = [] } = options;
  const script = compiled
    ? `${compiled}/${program.replace(/\.ts$/, ".js")}`
    : `${REPOSITORY}src/${program}`;
  const imports = [...(compiled ? [] : [TSX]), ...preload].flatMap((one) => ["--import", one]);
  const child = spawn(process.execPath, [...imports, script, ...args], {
    cwd: options.cwd,
    env: { ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return follow(child, (out, err) => {
    const [command = ""] = args;
    refuseLeaksOf(`${program} ${command}`, { command, out, err, env: options.env ?? {} });
  });
}

/** Tokens that a program of this file has shown once; no other program may show them again. */
const shownOnce: Canary[] = [];

/** A program's secrets must not be in what it says, but for a new token and the world's own. */
function refuseLeaksOf(
  where: string,
  said: { command: string; out: string; err: string; env: Record<string, string> },
): void {
  const once = /^Admin token for the set-up, shown this once: (\S+)\n/m;
  const token = once.exec(said.out)?.[1] ?? "";
  shownOnce.push(...canary("the admin token", token));
  const canaries = [...canariesOf(said.env), ...shownOnce];
  refuseLeaks(`The standard error of ${where}`, said.err, canaries);
  if (said.command === "tokens") shownOnce.push(...canary("a personal token", firstLine(said.out)));
  // it prints the environment that points a bot at the played world
  if (said.command === "sandbox") return;
  refuseLeaks(`The standard output of ${where}`, said.out.replace(once, ""), canaries);
}

function firstLine(text: string): string {
  return /^\S+(?=\n)/.exec(text)?.[0] ?? "";
}

export async function runProgram(
  program: string,
  args: string[],
  options: ProgramOptions,
): Promise<Ended> {
  const running = startProgram(program, args, options);
  const code = await running.ended;
  return { code, out: running.out(), err: running.err() };
}

/** A port that was free a moment ago; a restart takes the same one again. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

function follow(child: ChildProcess, check: (out: string, err: string) => void): Running {
  let out = "";
  let err = "";
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of [...listeners]) listener();
  };
  child.stdout?.on("data", (chunk) => {
    out += chunk;
    tell();
  });
  child.stderr?.on("data", (chunk) => {
    err += chunk;
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code));
  }).then((code) => {
    check(out, err);
    return code;
  });
  ended.catch(() => {}); // whoever ends the program or waits for its end is told
  return {
    pid: child.pid ?? 0,
    out: () => out,
    err: () => err,
    says: (look) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const found = look.exec(out);
          if (!found) return;
          listeners.delete(check);
          resolve(found);
        };
        listeners.add(check);
        ended.then(
          (code) => reject(new Error(`ended with ${code} before ${look}:\n${out}${err}`)),
          reject,
        );
        check();
      }),
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
    terminate() {
      child.kill("SIGTERM");
      return ended;
    },
    ended,
  };
}
