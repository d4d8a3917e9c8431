import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { REPOSITORY } from "../support/process.ts";

const TSX = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;

/** Nobody reads a word of its standard output: as behind `head` that has read enough. */
function unread(script: string, ...args: string[]): Promise<{ code: number | null; err: string }> {
  const child = spawn(process.execPath, ["--import", TSX, join(REPOSITORY, script), ...args], {
    cwd: tmpdir(),
    env: {
      SANDBOX: "on",
      DATA_DIR: join(tmpdir(), `countersign-unread-${process.pid}`),
      PORT: "0",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.destroy();
  let err = "";
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, err }));
  });
}

it("a command whose output nobody reads on ends quietly, with its own exit code", async () => {
  // what it writes comes bit by bit, between looks at the machine
  expect(await unread("src/cli.ts", "doctor")).toEqual({ code: 0, err: "" });
});
