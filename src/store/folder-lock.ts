import { createHash } from "node:crypto";
import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { messageOf, StartError } from "../domain/errors.ts";

/** One command of the shell, handed to the process that holds the folder. */
export interface HandedCommand {
  command: string;
  args: string[];
  cwd: string;
}

/** Held until it is released or the process ends. */
export interface FolderLock {
  release(): Promise<void>;
}

/** What the holder tells and does for others that want the folder. */
export interface FolderHolder {
  /** "process 123 since …": who holds the folder. */
  description: string;
  /** Runs a handed command; each `write` is a line for the asker. Resolves to the exit code. */
  run(command: HandedCommand, write: (line: string) => void): Promise<number>;
}

/** Another process holds the folder. */
export class FolderInUse extends StartError {}

/** Unix socket paths are cut at about 100 bytes by the system; a name beside it needs room too. */
const LONGEST_SOCKET_PATH = 100;
const WHO = "countersign:who";
const ANSWER_LIMIT_MS = 3_000;
const GATE_STEP_MS = 50;
/** Steps after which an unchanged gate counts as left behind by a killed process. */
const GATE_STEPS = 200;

/**
 * The embedded database has no lock of its own: two processes on one folder lose rows. A socket
 * beside it is held by exactly one; after a kill it refuses connections and is taken over.
 */
export async function holdFolder(dir: string, holder: FolderHolder): Promise<FolderLock> {
  prepareFolder(dir);
  const path = socketPath(dir);
  const leave = await enterGate(`${path}.taking`, dir);
  try {
    const answer = await ask(path, WHO);
    if (answer)
      throw new FolderInUse(
        `DATA_DIR: ${dir} is in use by ${answer[0] ?? "a process that does not answer"}; stop it, or choose another DATA_DIR`,
      );
    rmSync(path, { force: true }); // nobody listens: left behind by a killed process
    const server = await listen(path, (socket) => serve(socket, holder));
    return { release: () => close(server) };
  } finally {
    leave();
  }
}

/** The played world's own folder: two processes on one journal would number their events alike. */
export function holdWorld(dataDir: string, command: string): Promise<FolderLock> {
  return holdFolder(join(dataDir, "sandbox"), {
    description: `process ${process.pid} (${command}, since ${new Date().toISOString()})`,
    run: () => Promise.reject(new Error("the played world runs no commands")),
  });
}

/** Of several that find a dead socket only one at a time may remove it: else they remove live ones. */
async function enterGate(gate: string, dir: string): Promise<() => void> {
  const leave = () => rmSync(gate, { recursive: true, force: true });
  let seen = "";
  for (let step = 0; step < GATE_STEPS; step += 1) {
    if (makeFolder(gate)) return leave;
    const now = identityOf(gate);
    if (now !== seen) step = 0;
    seen = now;
    await setTimeout(GATE_STEP_MS);
  }
  leave();
  if (makeFolder(gate)) return leave;
  throw new StartError(`DATA_DIR: ${dir} could not be locked; try again`);
}

function makeFolder(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false; // what mkdir throws
    throw error;
  }
}

function identityOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? `${found.ino} ${found.mtimeMs}` : "";
}

/**
 * Hands a command to the process that holds the folder. null: nobody holds it, the caller may open
 * it itself.
 */
export async function handCommand(
  dir: string,
  command: HandedCommand,
  write: (line: string) => void,
): Promise<number | null> {
  const socket = await open(socketPath(dir));
  if (!socket) return null;
  let code = 1;
  await exchange(socket, JSON.stringify(command), (line) => {
    const said = JSON.parse(line) as { line?: string; exit?: number }; // our own holder wrote it
    if (said.line !== undefined) write(said.line);
    if (said.exit !== undefined) code = said.exit;
  });
  return code;
}

/** Who holds the folder, in the holder's own words; null: nobody does. */
export async function holderOf(dir: string): Promise<string | null> {
  const answer = await ask(socketPath(dir), WHO);
  return answer && (answer[0] ?? "a process that does not answer");
}

function prepareFolder(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true });
    accessSync(dir, constants.W_OK);
  } catch (error) {
    throw new StartError(
      `DATA_DIR: ${dir} cannot be written (${messageOf(error)}); choose another folder or give rights`,
    );
  }
}

function socketPath(dir: string): string {
  const inside = join(realpathOr(dir), "countersign.sock");
  if (Buffer.byteLength(inside) <= LONGEST_SOCKET_PATH) return inside;
  const name = createHash("sha256").update(inside).digest("hex").slice(0, 24);
  return join(tmpdir(), `countersign-${name}.sock`);
}

function realpathOr(dir: string): string {
  try {
    return realpathSync(dir);
  } catch {
    return dir;
  }
}

function listen(path: string, serve: (socket: Socket) => void): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer({ allowHalfOpen: true }, serve);
    server.once("error", (error) =>
      reject(new StartError(`DATA_DIR: the lock ${path} cannot be made (${error.message})`)),
    );
    server.listen(path, () => {
      chmodSync(path, 0o600);
      resolve(server);
    });
  });
}

function serve(socket: Socket, holder: FolderHolder): void {
  let text = "";
  socket.setEncoding("utf8"); // a character may come in two pieces
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    text += chunk;
    const end = text.indexOf("\n");
    if (end < 0) return;
    const line = text.slice(0, end);
    text = text.slice(end + 1);
    if (line === WHO) socket.end(`${holder.description}\n`);
    else void runHanded(socket, holder, line);
  });
}

async function runHanded(socket: Socket, holder: FolderHolder, line: string): Promise<void> {
  const say = (answer: object) => socket.write(`${JSON.stringify(answer)}\n`);
  try {
    const command = JSON.parse(line) as HandedCommand; // from our own CLI, over a 0600 socket
    say({ exit: await holder.run(command, (text) => say({ line: text })) });
  } catch (error) {
    say({ line: messageOf(error) });
    say({ exit: 1 });
  }
  socket.end();
}

/** The lines that the holder answers, none when it is too busy; null when nobody listens. */
async function ask(path: string, question: string): Promise<string[] | null> {
  const socket = await open(path);
  if (!socket) return null;
  const lines: string[] = [];
  socket.setTimeout(ANSWER_LIMIT_MS, () => socket.destroy());
  await exchange(socket, question, (line) => lines.push(line));
  return lines;
}

function open(path: string): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => resolve(socket));
    socket.once("error", () => resolve(null));
  });
}

function exchange(socket: Socket, line: string, onLine: (line: string) => void): Promise<void> {
  return new Promise((resolve) => {
    let text = "";
    socket.setEncoding("utf8");
    socket.on("data", (chunk) => {
      text += chunk;
      const lines = text.split("\n");
      text = lines.pop() ?? "";
      for (const one of lines) onLine(one);
    });
    socket.on("error", () => resolve());
    socket.on("close", () => resolve());
    socket.on("end", () => resolve());
    socket.write(`${line}\n`);
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
