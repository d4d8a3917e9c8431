import { createHash } from "node:crypto";
import { accessSync, chmodSync, constants, mkdirSync, realpathSync, rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf, StartError } from "../domain/errors.ts";

/** One command of the shell, handed to the process that holds the folder. */
export interface HandedCommand {
  command: string;
  args: string[];
  cwd: string;
}

export interface FolderLock {
  release(): Promise<void>;
}

export interface FolderHolder {
  /** "process 123 since …": who holds the folder. */
  description: string;
  /** Runs a handed command; each `write` is a line for the asker. Resolves to the exit code. */
  run(command: HandedCommand, write: (line: string) => void): Promise<number>;
}

/** Unix socket paths are cut at about 100 bytes by the system. */
const LONGEST_SOCKET_PATH = 100;
const WHO = "countersign:who";
const ANSWER_LIMIT_MS = 3_000;

/**
 * The embedded database has no lock of its own: two processes on one folder lose rows. A socket
 * beside it is held by exactly one; after a kill it refuses connections and is taken over.
 */
export async function holdFolder(dir: string, holder: FolderHolder): Promise<FolderLock> {
  prepareFolder(dir);
  const path = socketPath(dir);
  const token = `${process.pid}:${createHash("sha256").update(`${process.hrtime.bigint()}`).digest("hex")}`;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const server = await listen(path, (socket) => serve(socket, holder, token));
    if (server) {
      if ((await ask(path, WHO))[1] === token) return { release: () => close(server) };
      await close(server);
    }
    const [description] = await ask(path, WHO);
    if (description !== undefined)
      throw new StartError(
        `DATA_DIR: ${dir} is in use by ${description}; stop it, or choose another DATA_DIR`,
      );
    rmSync(path, { force: true }); // nobody answers: left behind by a killed process
  }
  throw new StartError(`DATA_DIR: ${dir} could not be locked; try again`);
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

function listen(path: string, serve: (socket: Socket) => void): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const server = createServer({ allowHalfOpen: true }, serve);
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve(null);
      else reject(new StartError(`DATA_DIR: the lock ${path} cannot be made (${error.message})`));
    });
    server.listen(path, () => {
      chmodSync(path, 0o600);
      resolve(server);
    });
  });
}

function serve(socket: Socket, holder: FolderHolder, token: string): void {
  let text = "";
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    text += chunk.toString("utf8");
    const end = text.indexOf("\n");
    if (end < 0) return;
    const line = text.slice(0, end);
    text = text.slice(end + 1);
    if (line === WHO) socket.end(`${holder.description}\n${token}\n`);
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

/** The lines that the holder answers; empty when nobody listens. */
async function ask(path: string, question: string): Promise<string[]> {
  const socket = await open(path);
  if (!socket) return [];
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
    socket.on("data", (chunk) => {
      text += chunk.toString("utf8");
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
