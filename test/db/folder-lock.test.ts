import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StartError } from "../../src/domain/errors.ts";
import {
  type FolderHolder,
  type FolderLock,
  type HandedCommand,
  handCommand,
  holdFolder,
} from "../../src/store/folder-lock.ts";

const command: HandedCommand = { command: "kb", args: ["list"], cwd: "/somewhere" };
let dir: string;
let locks: FolderLock[];
let children: ChildProcess[];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "countersign-lock-"));
  locks = [];
  children = [];
});
afterEach(async () => {
  for (const lock of locks) await lock.release();
  for (const child of children) child.kill("SIGKILL");
  rmSync(dir, { recursive: true, force: true });
});

function holder(over: Partial<FolderHolder> = {}): FolderHolder {
  return { description: "process 42 since noon", run: async () => 0, ...over };
}

async function hold(folder = dir, over: Partial<FolderHolder> = {}): Promise<FolderLock> {
  const lock = await holdFolder(folder, holder(over));
  locks.push(lock);
  return lock;
}

/** Another process that holds the folder; resolves once it does. */
function holdInChild(folder: string): Promise<ChildProcess> {
  const script = `
    import { holdFolder } from "./src/store/folder-lock.ts";
    const run = async () => 0;
    await holdFolder(${JSON.stringify(folder)}, { description: "the child", run });
    process.stdout.write("held\\n");
    setInterval(() => {}, 1000);`;
  const child = spawn(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "--eval", script],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  children.push(child);
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the child ended with ${code}`)));
    child.stdout?.once("data", () => resolve(child));
  });
}

function killed(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.removeAllListeners("exit");
    child.once("exit", () => resolve());
    child.kill("SIGKILL");
  });
}

describe("a data folder", () => {
  it("has one holder; the second start is refused and told who", async () => {
    await hold();
    const second = holdFolder(dir, holder({ description: "the second" }));
    await expect(second).rejects.toThrow(StartError);
    await expect(holdFolder(dir, holder())).rejects.toThrow(
      /^DATA_DIR: .* is in use by process 42 since noon; stop it/,
    );
  });

  it("is made when it is not there, and its lock is for the owner alone", async () => {
    const inside = join(dir, "new", "data");
    await hold(inside);
    expect(statSync(join(inside, "countersign.sock")).mode & 0o077).toBe(0);
  });

  it("is free again after its holder let go", async () => {
    const first = await hold();
    await first.release();
    locks.length = 0;
    await expect(hold()).resolves.toBeDefined();
  });

  it("of another process is refused, and taken over after that was killed", async () => {
    const child = await holdInChild(dir);
    await expect(holdFolder(dir, holder())).rejects.toThrow("in use by the child");
    await killed(child);
    expect(existsSync(join(dir, "countersign.sock"))).toBe(true);
    await expect(hold()).resolves.toBeDefined();
  });

  it("that many want at once gets one of them", async () => {
    const starts = Array.from({ length: 8 }, () => holdFolder(dir, holder()));
    const ends = await Promise.allSettled(starts);
    for (const end of ends) if (end.status === "fulfilled") locks.push(end.value);
    expect(locks).toHaveLength(1);
  });

  it("left by a killed process and wanted by many gets one of them", async () => {
    await killed(await holdInChild(dir));
    const starts = Array.from({ length: 8 }, () => holdFolder(dir, holder()));
    const ends = await Promise.allSettled(starts);
    for (const end of ends) if (end.status === "fulfilled") locks.push(end.value);
    expect(locks).toHaveLength(1);
    await expect(holdFolder(dir, holder())).rejects.toThrow(StartError);
  });

  it("with a path longer than a socket may have is held all the same", async () => {
    const long = join(dir, "x".repeat(60), "y".repeat(60));
    mkdirSync(long, { recursive: true });
    await hold(long);
    await expect(holdFolder(long, holder())).rejects.toThrow("in use by process 42");
    expect(await handCommand(long, command, () => {})).toBe(0);
  });

  it("that cannot be made says so in one line", async () => {
    writeFileSync(join(dir, "taken"), "a file");
    const start = holdFolder(join(dir, "taken", "data"), holder());
    await expect(start).rejects.toThrow(/^DATA_DIR: .*data cannot be written/);
  });
});

describe("a command of the shell", () => {
  it("goes to the holder, with its lines as they come and its exit code", async () => {
    const taken: HandedCommand[] = [];
    await hold(dir, {
      async run(given, write) {
        taken.push(given);
        write("one document");
        write("пол\nстроки 👍");
        return 3;
      },
    });
    const lines: string[] = [];
    expect(await handCommand(dir, command, (line) => lines.push(line))).toBe(3);
    expect(lines).toEqual(["one document", "пол\nстроки 👍"]);
    expect(taken).toEqual([command]);
  });

  it("opens the folder itself where nobody holds it", async () => {
    expect(await handCommand(dir, command, () => {})).toBeNull();
    expect(await handCommand(join(dir, "nowhere"), command, () => {})).toBeNull();
    await killed(await holdInChild(dir));
    expect(await handCommand(dir, command, () => {})).toBeNull();
  });

  it("that fails in the holder says why and ends with 1", async () => {
    await hold(dir, { run: () => Promise.reject(new Error("no such document")) });
    const lines: string[] = [];
    expect(await handCommand(dir, command, (line) => lines.push(line))).toBe(1);
    expect(lines).toEqual(["no such document"]);
  });

  it("of many lines arrives whole, also beside another", async () => {
    await hold(dir, {
      async run({ args }, write) {
        for (let index = 0; index < 500; index += 1)
          write(`${args[0]} ${"ж".repeat(200)} ${index}`);
        return 0;
      },
    });
    const ask = async (name: string) => {
      const lines: string[] = [];
      const code = await handCommand(dir, { ...command, args: [name] }, (line) => lines.push(line));
      const whole = lines.every((line, index) => line === `${name} ${"ж".repeat(200)} ${index}`);
      return { code, count: lines.length, whole };
    };
    const wanted = { code: 0, count: 500, whole: true };
    expect(await Promise.all([ask("a"), ask("b")])).toEqual([wanted, wanted]);
  });
});
